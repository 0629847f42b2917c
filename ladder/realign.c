#include "ladder/realign.h"

#define LINE 32 /* elements in 128 bytes */

struct wl__realign wl__realign(wl_devptr out, wl_devptr a, wl_devptr b, uint64_t count) {
    /* Starts at a 128-byte line of out, not just at 16 bytes, so that no warp's store writes a partial
     * sector. */
    struct wl__realign cut = {.head = (LINE - out / 4 % LINE) % LINE};
    cut.shift_a = (uint32_t)((a / 4 + cut.head) % 4);
    cut.shift_b = (uint32_t)((b / 4 + cut.head) % 4);
    uint32_t most = cut.shift_a > cut.shift_b ? cut.shift_a : cut.shift_b;
    /* The first aligned vector begins at element head - shift, which must not precede the arrays. */
    if (cut.head < most)
        cut.head += LINE;
    if (cut.head >= count) {
        cut.head = count;
        cut.shift_a = cut.shift_b = 0;
        return cut;
    }
    /* A shifted array's last vector continues in the next one, up to 4 - shift elements past its own end,
     * which must exist too.  With two shifts, the smaller one reaches furthest. */
    cut.vectors = (count - cut.head) / 4;
    uint32_t reach = 0;
    if (cut.shift_a)
        reach = 4 - cut.shift_a;
    if (cut.shift_b && 4 - cut.shift_b > reach)
        reach = 4 - cut.shift_b;
    while (cut.vectors && cut.head + 4 * cut.vectors + reach > count)
        cut.vectors--;
    /* Without vectors there is no shift: no thread may load a vector that continues in the next one. */
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
