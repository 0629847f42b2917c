/* wl_copy: bytes of any alignment. */
#include "lib/arguments.h"
#include "lib/launch.h"

/* Enough threads to fill a multiprocessor, few enough for the tail of a grid to be short. */
#define THREADS 256
/* Words that each thread moves, as copy_bytes.cu has it. */
#define EACH 4
/* The body begins at a line of the destination, so that no warp's store writes a sector in part. */
#define LINE 128

/* The widest access for which both sides can be aligned at once, as a row of the table below. */
static unsigned widest(wl_devptr to, wl_devptr from) {
    unsigned row = 0;
    while (row < 4 && (to - from) % (2u << row) == 0)
        row++;
    return row;
}

wl_error wl_copy(wl_context *context, wl_devptr to, wl_devptr from, size_t bytes, wl_stream stream) {
    static const enum wl__kernel kernels[] = {WL_KERNEL_copy_bytes1, WL_KERNEL_copy_bytes2,
                                              WL_KERNEL_copy_bytes4, WL_KERNEL_copy_bytes8,
                                              WL_KERNEL_copy_bytes16};
    static const char call[] = "wl_copy";
    const struct wl__array target = {"to", to, bytes}, source = {"from", from, bytes};
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_array(call, context, &target, 1);
    if (!error)
        error = wl__check_array(call, context, &source, 1);
    if (!error)
        error = wl__check_apart(call, &target, &source);
    if (error || bytes == 0)
        return error;
    unsigned row = widest(to, from);
    uint64_t width = 1u << row, count = bytes, first;
    uint64_t head = (LINE - to % LINE) % LINE;
    if (head > count)
        head = count;
    uint64_t words = (count - head) / width, items = words + (count - words * width);
    void *arguments[] = {&to, &from, &count, &head, &words, &first};
    return wl__launch_linear(context, kernels[row], items, EACH * THREADS, (struct wl__block){THREADS, 1},
                             arguments, &first, stream);
}
