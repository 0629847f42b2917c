#include "cli/files/move.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cli/files/transfer.h"

enum { ALIGNMENT = 64 }; /* of boxes in memory, in bytes: a cache line */

/* Boxes of fewer bytes are not worth a thread. */
static const uint64_t least_for_thread = 1 << 20;

/* A box of one end in memory. */
struct buffer {
    unsigned char *memory;
    int same; /* another end, whose buffer this is, too; -1: none */
    int64_t strides[NPY_MOST_DIMENSIONS];
};

/* Boxes are read by a thread of their own, while the one before is rearranged and written.  So there are two
 * sets of memory for the ends that are read, which change places. */
struct mover {
    struct files_job *job;
    wl_context *context;
    struct buffer *buffers;  /* one per end */
    unsigned char **further; /* per end that is read: the memory of the other set */
    unsigned char *memory;
    size_t bytes;
    struct files_box most;
};

static bool out_of_memory(struct base_error *error) {
    return base_failure(error, "out of memory");
}

/* ---------------------------------------------------------------- memory */

/* An end that is written as one that is read lies, needs no rearrangement: both have one buffer. */
static void share_buffers(struct mover *mover) {
    struct files_job *job = mover->job;
    for (size_t i = 0; i < job->from_count + job->to_count; i++)
        mover->buffers[i].same = -1;
    for (size_t i = 0; i < job->piece_count; i++) {
        const struct files_piece *piece = &job->pieces[i];
        const struct files_view *from = &job->ends[piece->from].view, *to = &job->ends[piece->to].view;
        if (piece->bytes == from->record && piece->bytes == to->record &&
            memcmp(from->order, to->order, job->space.rank * sizeof *to->order) == 0)
            mover->buffers[piece->to].same = (int)piece->from;
    }
}

static size_t round_up(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool map_buffers(struct mover *mover) {
    const struct files_job *job = mover->job;
    uint64_t elements = files_box_elements(&mover->most, &job->space);
    size_t ends = job->from_count + job->to_count, at = 0;
    mover->bytes = 0;
    for (size_t i = 0; i < ends; i++)
        if (mover->buffers[i].same < 0)
            mover->bytes += round_up(elements * job->ends[i].view.record) * (i < job->from_count ? 2 : 1);
    void *memory = mmap(NULL, mover->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    madvise(memory, mover->bytes, MADV_HUGEPAGE);
    mover->memory = memory;
    /* The first set, the second one, what is written: pieces that are equally far apart in files are so here,
     * too. */
    for (int set = 0; set < 2; set++)
        for (size_t i = 0; i < job->from_count; i++) {
            *(set ? &mover->further[i] : &mover->buffers[i].memory) = mover->memory + at;
            at += round_up(elements * job->ends[i].view.record);
        }
    for (size_t i = job->from_count; i < ends; i++)
        if (mover->buffers[i].same < 0) {
            mover->buffers[i].memory = mover->memory + at;
            at += round_up(elements * job->ends[i].view.record);
        }
    return true;
}

static unsigned char *memory_of(const struct mover *mover, size_t end) {
    int same = mover->buffers[end].same;
    return mover->buffers[same < 0 ? end : (size_t)same].memory;
}

/* Chooses the boxes and gets the memory; less of it if there is not that much. */
static bool get_memory(struct mover *mover, const struct files_view *views, struct base_error *error) {
    const struct files_job *job = mover->job;
    size_t ends = job->from_count + job->to_count;
    uint64_t element = 0, spare = 0; /* bytes; each buffer may take up to ALIGNMENT more */
    for (size_t i = 0; i < ends; i++)
        if (mover->buffers[i].same < 0) {
            element += views[i].record * (i < job->from_count ? 2 : 1);
            spare += 2 * ALIGNMENT;
        }
    for (uint64_t memory = job->memory; !mover->memory; memory /= 2) {
        uint64_t elements = memory > spare ? (memory - spare) / element : 0;
        files_box_choose(&mover->most, &job->space, views, ends, elements ? elements : 1);
        if (!map_buffers(mover) && !elements)
            return base_failure(error, "%.400s: there is no memory for an element of %llu bytes",
                                job->ends[0].name, (unsigned long long)views[0].record);
    }
    return true;
}

static bool prepare(struct mover *mover, struct base_error *error) {
    struct files_job *job = mover->job;
    size_t ends = job->from_count + job->to_count;
    struct files_view *views = calloc(ends, sizeof *views);
    mover->buffers = calloc(ends, sizeof *mover->buffers);
    mover->further = calloc(ends, sizeof *mover->further);
    if (!views || !mover->buffers || !mover->further) {
        free(views);
        return out_of_memory(error);
    }
    for (size_t i = 0; i < ends; i++)
        views[i] = job->ends[i].view;
    files_space_merge(&job->space, views, ends);
    for (size_t i = 0; i < ends; i++)
        job->ends[i].view = views[i];
    share_buffers(mover);
    bool good =
        job->space.rank <= WL_RANK_MAX
            ? get_memory(mover, views, error)
            : base_failure(error,
                           "%.400s: its order has %u dimensions, without those of size 1 and with neighbours "
                           "that stay together as one; at most %d can be moved",
                           job->ends[0].name, job->space.rank, WL_RANK_MAX);
    free(views);
    return good;
}

/* ---------------------------------------------------------------- a box */

static wl_devptr address(const struct mover *mover, unsigned end, uint64_t offset) {
    return (wl_devptr)(uintptr_t)memory_of(mover, end) + offset;
}

static bool library_failed(const char *call, struct base_error *error) {
    return base_failure(error, "%s: %s", call, wl_message());
}

/* How many pieces from this one on are one more dimension: equal in size, and equally far apart. */
static size_t equal_pieces(const struct mover *mover, size_t first, int64_t *from_step, int64_t *to_step) {
    const struct files_job *job = mover->job;
    const struct files_piece *pieces = &job->pieces[first];
    size_t count = 1;
    *from_step = *to_step = 0;
    for (; first + count < job->piece_count && job->space.rank < WL_RANK_MAX; count++) {
        const struct files_piece *last = &pieces[count - 1], *next = &pieces[count];
        int64_t from = (int64_t)(address(mover, next->from, next->from_offset) -
                                 address(mover, last->from, last->from_offset));
        int64_t to =
            (int64_t)(address(mover, next->to, next->to_offset) - address(mover, last->to, last->to_offset));
        bool strides_differ = memcmp(mover->buffers[next->from].strides, mover->buffers[pieces->from].strides,
                                     job->space.rank * sizeof(int64_t)) != 0 ||
                              memcmp(mover->buffers[next->to].strides, mover->buffers[pieces->to].strides,
                                     job->space.rank * sizeof(int64_t)) != 0;
        if (mover->buffers[next->to].same >= 0 || next->bytes != pieces->bytes || strides_differ ||
            (count > 1 && (from != *from_step || to != *to_step)))
            break;
        *from_step = from;
        *to_step = to;
    }
    return count;
}

static bool rearrange(const struct mover *mover, const struct files_box *box, struct base_error *error) {
    const struct files_job *job = mover->job;
    unsigned rank = job->space.rank;
    for (size_t i = 0; i < job->piece_count;) {
        const struct files_piece *piece = &job->pieces[i];
        if (mover->buffers[piece->to].same >= 0) {
            i++;
            continue;
        }
        int64_t from[WL_RANK_MAX + 1], to[WL_RANK_MAX + 1];
        uint64_t sizes[WL_RANK_MAX + 1];
        for (unsigned d = 0; d < rank; d++) {
            from[d] = mover->buffers[piece->from].strides[d];
            to[d] = mover->buffers[piece->to].strides[d];
            sizes[d] = box->count[d];
        }
        sizes[rank] = equal_pieces(mover, i, &from[rank], &to[rank]);
        if (piece->bytes &&
            wl_copy_strided(mover->context, piece->bytes, address(mover, piece->to, piece->to_offset), to,
                            address(mover, piece->from, piece->from_offset), from, rank + (sizes[rank] > 1),
                            sizes, NULL))
            return library_failed("wl_copy_strided", error);
        i += sizes[rank];
    }
    if (!job->adds)
        return true;
    unsigned sum = (unsigned)job->from_count;
    uint64_t numbers = files_box_elements(box, &job->space) * job->parts;
    return wl_add(mover->context, job->type, address(mover, sum, 0), address(mover, sum, 0),
                  address(mover, sum + 1, 0), numbers, NULL) == WL_ERROR_OK ||
           library_failed("wl_add", error);
}

static bool write_ends(const struct mover *mover, const struct files_box *box, struct base_error *error) {
    const struct files_job *job = mover->job;
    for (size_t i = job->from_count; i < job->from_count + job->to_count; i++)
        if (job->ends[i].file >= 0 &&
            !files_write_box(&job->ends[i], &job->space, box, memory_of(mover, i), error))
            return false;
    return true;
}

static bool rearrange_and_write(const struct mover *mover, const struct files_box *box,
                                struct base_error *error) {
    const struct files_job *job = mover->job;
    for (size_t i = 0; i < job->from_count + job->to_count; i++)
        files_box_strides(box, &job->space, &job->ends[i].view, mover->buffers[i].strides);
    return rearrange(mover, box, error) && write_ends(mover, box, error);
}

/* ---------------------------------------------------------------- all boxes */

/* Reads a box into the other set of memory. */
struct reader {
    const struct mover *mover;
    struct files_box box;
    bool good, is_thread;
    pthread_t thread;
    struct base_error error;
};

static void *read_ends(void *argument) {
    struct reader *reader = argument;
    const struct files_job *job = reader->mover->job;
    reader->good = true;
    for (size_t i = 0; i < job->from_count && reader->good; i++)
        reader->good = files_read_box(&job->ends[i], &job->space, &reader->box, reader->mover->further[i],
                                      &reader->error);
    return NULL;
}

/* Where no thread can be made, this one reads. */
static void begin_reading(struct reader *reader) {
    reader->is_thread = reader->mover->bytes >= least_for_thread &&
                        pthread_create(&reader->thread, NULL, read_ends, reader) == 0;
    if (!reader->is_thread)
        read_ends(reader);
}

static bool end_reading(struct reader *reader, struct base_error *error) {
    if (reader->is_thread)
        pthread_join(reader->thread, NULL);
    if (!reader->good)
        *error = reader->error;
    return reader->good;
}

static void change_sets(struct mover *mover) {
    for (size_t i = 0; i < mover->job->from_count; i++) {
        unsigned char *memory = mover->buffers[i].memory;
        mover->buffers[i].memory = mover->further[i];
        mover->further[i] = memory;
    }
}

/* Bytes that are written per element. */
static uint64_t written_bytes(const struct files_job *job) {
    uint64_t bytes = 0;
    for (size_t i = job->from_count; i < job->from_count + job->to_count; i++)
        if (job->ends[i].file >= 0)
            bytes += job->ends[i].view.record;
    return bytes;
}

static bool move_boxes(struct mover *mover, struct base_error *error) {
    struct files_job *job = mover->job;
    struct reader reader = {.mover = mover};
    struct base_error second; /* what fails after another failure is not reported */
    struct files_box box;
    uint64_t bytes = written_bytes(job), done = 0, total = 1;
    for (unsigned d = 0; d < job->space.rank; d++)
        total *= job->space.size[d];
    files_box_first(&reader.box, &job->space, &mover->most);
    read_ends(&reader);
    bool good = end_reading(&reader, error), more = good;
    while (more) {
        box = reader.box;
        change_sets(mover);
        more = files_box_next(&reader.box, &job->space, &mover->most);
        if (more)
            begin_reading(&reader);
        good = rearrange_and_write(mover, &box, error);
        if (more)
            good = end_reading(&reader, good ? error : &second) && good;
        more = more && good;
        done += files_box_elements(&box, &job->space);
        if (good)
            job->progress(job->argument, bytes * done, bytes * total);
    }
    return good;
}

bool files_move(struct files_job *job, struct base_error *error) {
    struct mover mover = {.job = job};
    bool good = prepare(&mover, error);
    if (good && wl_open(&mover.context, "host"))
        good = library_failed("wl_open", error);
    good = good && move_boxes(&mover, error);
    wl_close(mover.context);
    if (mover.memory)
        munmap(mover.memory, mover.bytes);
    free(mover.buffers);
    free(mover.further);
    return good;
}
