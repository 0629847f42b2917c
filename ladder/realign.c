#include "ladder/realign.h"

#define LINE 32 /* elements in 128 bytes */

struct wl__realign wl__realign(wl_devptr out, wl_devptr a, wl_devptr b, uint64_t count) {
    /* From a line of out on, not only from 16 bytes: then no warp's store writes a sector in part. */
    struct wl__realign cut = {.head = (LINE - out / 4 % LINE) % LINE};
    cut.shift_a = (uint32_t)((a / 4 + cut.head) % 4);
    cut.shift_b = (uint32_t)((b / 4 + cut.head) % 4);
    uint32_t most = cut.shift_a > cut.shift_b ? cut.shift_a : cut.shift_b;
    /* The first aligned vector begins at element head - shift: not before the arrays do. */
    if (cut.head < most)
        cut.head += LINE;
    if (cut.head >= count) {
        cut.head = count;
        cut.shift_a = cut.shift_b = 0;
        return cut;
    }
    /* A shifted array's last vector goes over into one more, up to 4 - shift elements past its own end,
     * which must be there as well.  With both shifts, the smaller one reaches furthest. */
    cut.vectors = (count - cut.head) / 4;
    uint32_t reach = 0;
    if (cut.shift_a)
        reach = 4 - cut.shift_a;
    if (cut.shift_b && 4 - cut.shift_b > reach)
        reach = 4 - cut.shift_b;
    while (cut.vectors && cut.head + 4 * cut.vectors + reach > count)
        cut.vectors--;
    /* Without vectors nothing is shifted: no thread may load one that would go over into the next. */
    if (cut.vectors == 0)
        cut.shift_a = cut.shift_b = 0;
    return cut;
}

wl_error wl__realign_launch(wl_context *context, wl__kernel kernel, wl_devptr out, wl_devptr a, wl_devptr b,
                            uint64_t count, struct wl__block block, wl_stream stream) {
    struct wl__realign cut = wl__realign(out, a, b, count);
    uint64_t first, items = cut.vectors + (count - 4 * cut.vectors);
    void *arguments[] = {&out, &a, &b, &count, &cut.head, &cut.vectors, &cut.shift_a, &cut.shift_b, &first};
    return wl__launch_linear(context, kernel, items, block.x, block, arguments, &first, stream);
}
