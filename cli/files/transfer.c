/* Files are read and written with pread() and pwrite() rather than mapped: of a file that another program
 * cuts short, a read returns less, but an access to its mapping ends this program by SIGBUS; a full disk,
 * too, is an error of pwrite(). And mapped pages count for `ulimit -v`. */
#include "cli/files/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool read_run(const struct files_end *end, unsigned char *memory, uint64_t offset, uint64_t length,
                     struct base_error *error) {
    while (length) {
        ssize_t part = pread(end->file, memory, length, (off_t)offset);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return base_failure(error, "%.400s: it cannot be read: %s", end->name, strerror(errno));
        if (part == 0)
            return base_failure(error, "%.400s: it was cut short while it was read", end->name);
        memory += part;
        offset += (uint64_t)part;
        length -= (uint64_t)part;
    }
    return true;
}

bool files_write_run(const struct files_end *end, const unsigned char *memory, uint64_t offset,
                     uint64_t length, struct base_error *error) {
    while (length) {
        ssize_t part = pwrite(end->file, memory, length, (off_t)offset);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return base_failure(error, "%.400s: it cannot be written: %s", end->name,
                                strerror(part ? errno : ENOSPC));
        memory += part;
        offset += (uint64_t)part;
        length -= (uint64_t)part;
    }
    return true;
}

/* ---------------------------------------------------------------- boxes */

enum {
    LEAD = 4 << 20,            /* bytes that are asked for before they are read */
    ASKED_AT_ONCE = 128 << 10, /* the kernel reads no more for one call: the usual read_ahead_kb */
};

/* Where in a box's runs the kernel has been asked to read ahead, so that the disk always has several reads to
 * do. */
struct ahead {
    struct files_runs runs;
    uint64_t asked; /* bytes of the current run */
    bool ended;
};

static void ask(struct ahead *ahead, int file, uint64_t bytes) {
    while (bytes && !ahead->ended) {
        uint64_t part = ahead->runs.length - ahead->asked;
        if (part > ASKED_AT_ONCE)
            part = ASKED_AT_ONCE;
        /* It is advice: what fails here fails when it is read. */
        posix_fadvise(file, (off_t)(ahead->runs.offset + ahead->asked), (off_t)part, POSIX_FADV_WILLNEED);
        bytes -= part < bytes ? part : bytes;
        ahead->asked += part;
        if (ahead->asked == ahead->runs.length) {
            ahead->asked = 0;
            ahead->ended = !files_runs_next(&ahead->runs);
        }
    }
}

bool files_read_box(const struct files_end *end, const struct files_space *space, const struct files_box *box,
                    unsigned char *memory, struct base_error *error) {
    struct files_runs runs;
    struct ahead ahead = {.ended = false};
    files_runs_first(&runs, &end->view, space, box);
    /* Of a long run the kernel sees by itself that it is read from first to last. */
    ahead.ended = runs.length >= LEAD;
    files_runs_first(&ahead.runs, &end->view, space, box);
    ask(&ahead, end->file, LEAD);
    do {
        if (!read_run(end, memory, runs.offset, runs.length, error))
            return false;
        memory += runs.length;
        ask(&ahead, end->file, runs.length);
    } while (files_runs_next(&runs));
    return true;
}

bool files_write_box(const struct files_end *end, const struct files_space *space,
                     const struct files_box *box, const unsigned char *memory, struct base_error *error) {
    struct files_runs runs;
    files_runs_first(&runs, &end->view, space, box);
    do {
        if (!files_write_run(end, memory, runs.offset, runs.length, error))
            return false;
        memory += runs.length;
    } while (files_runs_next(&runs));
    return true;
}
