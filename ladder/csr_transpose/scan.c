#include "ladder/csr_transpose/scan.h"

/* The same as in ladder/csr_transpose/scan.cu. */
#define THREADS 256
#define TILE    2048

static uint64_t tiles_of(uint64_t length) {
    return length / TILE + (length % TILE != 0);
}

uint64_t wl__scan_work_bytes(uint64_t length) {
    uint64_t sums = 0;
    while (length > TILE) {
        length = tiles_of(length);
        sums += length;
    }
    return 4 * sums;
}

wl_error wl__scan(wl_context *context, wl_devptr out, wl_devptr copy, wl_devptr in, uint64_t length,
                  wl_devptr work, wl_stream stream) {
    struct wl__block block = {THREADS, 1};
    wl_devptr sums = length > TILE ? work : 0;
    uint64_t first;
    if (sums) {
        void *arguments[] = {&sums, &in, &length, &first};
        wl_error error =
            wl__launch_linear(context, WL_KERNEL_scan_sums, length, TILE, block, arguments, &first, stream);
        /* Each level is 2048 times smaller than the one above it, so there are at most six. */
        if (!error)
            error = wl__scan(context, sums, 0, sums, tiles_of(length), work + 4 * tiles_of(length), stream);
        if (error)
            return error;
    }
    void *arguments[] = {&out, &copy, &in, &sums, &length, &first};
    return wl__launch_linear(context, WL_KERNEL_scan_tiles, length, TILE, block, arguments, &first, stream);
}
