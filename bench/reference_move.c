/* Moves elements of any width: transposes, permutations, structures to arrays and back.  All are one loop
 * over dimensions, each with a stride in the input and one in the output. */
#include <string.h>

#include "bench/parallel.h"
#include "bench/reference.h"

enum {
    CHUNK = 1024, /* elements of a work item along the output's fastest dimension */
    GRAIN = 1 << 15,
    BLOCK = 16, /* side of the blocks that keep the strided side in cache */
    MOST = WL_RANK_MAX + 1,
};

struct dimension {
    uint64_t size, in, out; /* in, out: strides in bytes */
};

struct move {
    const unsigned char *in;
    unsigned char *out;
    uint32_t width;
    /* The output's fastest dimension, the input's fastest and the others.  If one dimension is the fastest of
     * both, it is fast_out, and fast_in has size 1. */
    struct dimension fast_out, fast_in, others[MOST];
    unsigned other_count;
};

/* With a constant width, the compiler makes one instruction of the copy. */
static inline __attribute__((always_inline)) void move_rows(const struct move *move, const unsigned char *in,
                                                            unsigned char *out, uint64_t first, uint64_t last,
                                                            uint32_t width) {
    const struct dimension *a = &move->fast_out, *b = &move->fast_in;
    for (uint64_t b0 = 0; b0 < b->size; b0 += BLOCK)
        for (uint64_t a0 = first; a0 < last; a0 += BLOCK)
            for (uint64_t j = b0; j < b0 + BLOCK && j < b->size; j++)
                for (uint64_t i = a0; i < a0 + BLOCK && i < last; i++)
                    memcpy(out + i * a->out + j * b->out, in + i * a->in + j * b->in, width);
}

static void move_any(const struct move *move, const unsigned char *in, unsigned char *out, uint64_t first,
                     uint64_t last) {
    switch (move->width) {
    case 1:
        move_rows(move, in, out, first, last, 1);
        break;
    case 2:
        move_rows(move, in, out, first, last, 2);
        break;
    case 4:
        move_rows(move, in, out, first, last, 4);
        break;
    case 8:
        move_rows(move, in, out, first, last, 8);
        break;
    case 16:
        move_rows(move, in, out, first, last, 16);
        break;
    default:
        move_rows(move, in, out, first, last, move->width);
    }
}

static uint64_t chunks_of(const struct move *move) {
    return move->fast_out.size / CHUNK + (move->fast_out.size % CHUNK != 0);
}

/* An item is a chunk of the output's fastest dimension at one index of the other dimensions. */
static void move_range(void *argument, uint64_t from, uint64_t to) {
    const struct move *move = argument;
    uint64_t chunks = chunks_of(move);
    for (uint64_t item = from; item < to; item++) {
        const unsigned char *in = move->in;
        unsigned char *out = move->out;
        uint64_t rest = item / chunks, first = item % chunks * CHUNK, last = first + CHUNK;
        for (unsigned d = 0; d < move->other_count; d++) {
            uint64_t at = rest % move->others[d].size;
            rest /= move->others[d].size;
            in += at * move->others[d].in;
            out += at * move->others[d].out;
        }
        move_any(move, in, out, first, last < move->fast_out.size ? last : move->fast_out.size);
    }
}

static void move_all(const struct dimension *dimensions, unsigned count, uint32_t width, const void *in,
                     void *out) {
    struct move move = {.in = in, .out = out, .width = width, .fast_out = {1, 0, 0}, .fast_in = {1, 0, 0}};
    unsigned a = count, b = count;
    uint64_t items = 1;
    for (unsigned d = 0; d < count; d++) {
        if (dimensions[d].size == 0)
            return;
        if (dimensions[d].size == 1)
            continue;
        if (a == count || dimensions[d].out < dimensions[a].out)
            a = d;
        if (b == count || dimensions[d].in < dimensions[b].in)
            b = d;
    }
    if (a < count)
        move.fast_out = dimensions[a];
    if (b < count && b != a)
        move.fast_in = dimensions[b];
    for (unsigned d = 0; d < count; d++)
        if (d != a && d != b && dimensions[d].size > 1) {
            move.others[move.other_count++] = dimensions[d];
            items *= dimensions[d].size;
        }
    uint64_t each = move.fast_in.size * (move.fast_out.size < CHUNK ? move.fast_out.size : CHUNK);
    bench_parallel(items * chunks_of(&move), 1 + GRAIN / each, move_range, &move);
}

/* ---------------------------------------------------------------- the references */

void bench_reference_permute(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                             uint32_t *const out[BENCH_OUTPUTS]) {
    struct dimension dimensions[WL_RANK_MAX];
    uint64_t distances[WL_RANK_MAX], distance = problem->width;
    for (unsigned d = problem->rank; d-- > 0;) {
        distances[d] = distance;
        distance *= problem->sizes[d];
    }
    distance = problem->width;
    for (unsigned i = problem->rank; i-- > 0;) {
        unsigned from = problem->order[i];
        dimensions[i] = (struct dimension){problem->sizes[from], distances[from], distance};
        distance *= problem->sizes[from];
    }
    move_all(dimensions, problem->rank, problem->width, in[0], out[0]);
}

void bench_reference_transpose_any(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                   uint32_t *const out[BENCH_OUTPUTS]) {
    uint64_t rows = problem->rows, cols = problem->cols, width = problem->width;
    const struct dimension dimensions[] = {{problem->batch, rows * cols * width, rows * cols * width},
                                           {rows, cols * width, width},
                                           {cols, width, rows * width}};
    move_all(dimensions, 3, problem->width, in[0], out[0]);
}

/* Moves field by field if fields differ in size. */
static void move_fields(const struct wl_problem *problem, const uint32_t *in, uint32_t *out, bool apart) {
    uint64_t bytes = wl__structure_bytes(problem), array = wl__field_place(problem, 1);
    if (!problem->structure) {
        const struct dimension structures = {problem->n, apart ? bytes : problem->width,
                                             apart ? problem->width : bytes};
        const struct dimension fields = {problem->fields, apart ? problem->width : array,
                                         apart ? array : problem->width};
        move_all((const struct dimension[]){structures, fields}, 2, problem->width, in, out);
        return;
    }
    for (uint32_t f = 0; f < wl__field_count(problem); f++) {
        uint32_t width = wl__field_bytes(problem, f);
        uint64_t offset = problem->structure->fields[f].offset, place = wl__field_place(problem, f);
        const struct dimension along = {problem->n, apart ? bytes : width, apart ? width : bytes};
        move_all(&along, 1, width, (const unsigned char *)in + (apart ? offset : place),
                 (unsigned char *)out + (apart ? place : offset));
    }
}

void bench_reference_deinterleave(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                  uint32_t *const out[BENCH_OUTPUTS]) {
    move_fields(problem, in[0], out[0], true);
}

void bench_reference_interleave(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]) {
    if (problem->structure)
        memset(out[0], 0, problem->n * problem->structure->bytes);
    move_fields(problem, in[0], out[0], false);
}

static void copy_bytes(unsigned char *to, const unsigned char *from, uint64_t bytes) {
    if (bytes)
        memcpy(to, from, bytes);
}

void bench_reference_copy_bytes(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]) {
    copy_bytes((unsigned char *)out[0] + problem->to_shift,
               (const unsigned char *)in[0] + problem->from_shift, problem->n);
}

void bench_reference_same_bytes(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]) {
    copy_bytes((unsigned char *)out[0], (const unsigned char *)in[0], wl__bytes_a_side(problem));
}

/* The host's arrays have the devices' parts one after the other. */
void bench_reference_exchange(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                              uint32_t *const out[BENCH_OUTPUTS]) {
    uint64_t width = problem->width;
    for (unsigned from = 0; from < problem->gpus; from++)
        for (unsigned to = 0; to < problem->gpus; to++) {
            struct wl_piece piece = wl__piece(problem->rows, problem->cols, problem->gpus, from, to);
            if (from != to)
                copy_bytes((unsigned char *)out[0] +
                               width * (piece.col * problem->rows + piece.cols * piece.row),
                           (const unsigned char *)in[0] +
                               width * (piece.row * problem->cols + piece.rows * piece.col),
                           width * piece.rows * piece.cols);
        }
}
