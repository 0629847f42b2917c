/* Transposes of tiles in registers.
 *
 * A lane of 16 bytes has `side` elements.  A tile of side x side elements is loaded, a row per lane, and
 * interleaved log2(side) times; then each lane is a column.  Vectors of several lanes do as many tiles at the
 * same time, which lie below each other in the input and beside each other in the output. */
#ifndef WIDELOAD_LIB_HOST_TRANSPOSE_H
#define WIDELOAD_LIB_HOST_TRANSPOSE_H

#include "lib/host/isa/vector.h"

#define WL_STAGE(to, from, width, side, lanes, mix)                                                          \
    WL_UNROLL for (int i = 0; i < (side) / 2; i++) {                                                         \
        to[2 * i] = __builtin_shufflevector(from[i], from[i + (side) / 2], WL_MIX_##lanes(mix, 0, side));    \
        to[2 * i + 1] =                                                                                      \
            __builtin_shufflevector(from[i], from[i + (side) / 2], WL_MIX_##lanes(mix, (side) / 2, side));   \
    }

/* The stages of each width, from x and back to it; y has room. */
#define WL_STAGES_1(lanes)                                                                                   \
    WL_STAGE(y, x, 1, 16, lanes, WL_MIX16)                                                                   \
    WL_STAGE(x, y, 1, 16, lanes, WL_MIX16)                                                                   \
    WL_STAGE(y, x, 1, 16, lanes, WL_MIX16)                                                                   \
    WL_STAGE(x, y, 1, 16, lanes, WL_MIX16)
#define WL_STAGES_2(lanes)                                                                                   \
    WL_STAGE(y, x, 2, 8, lanes, WL_MIX8)                                                                     \
    WL_STAGE(x, y, 2, 8, lanes, WL_MIX8)                                                                     \
    WL_STAGE(y, x, 2, 8, lanes, WL_MIX8)                                                                     \
    memcpy(x, y, sizeof(x));
#define WL_STAGES_4(lanes)                                                                                   \
    WL_STAGE(y, x, 4, 4, lanes, WL_MIX4)                                                                     \
    WL_STAGE(x, y, 4, 4, lanes, WL_MIX4)
#define WL_STAGES_8(lanes)                                                                                   \
    WL_STAGE(y, x, 8, 2, lanes, WL_MIX2)                                                                     \
    memcpy(x, y, sizeof(x));

#define WL_TILE(width, lanes)                                                                                \
    WL_INLINE void tile##width##_##lanes(unsigned char *to, int64_t to_pitch, const unsigned char *from,     \
                                         int64_t from_pitch) {                                               \
        enum { SIDE = 16 / width };                                                                          \
        wl_bytes##width##_##lanes x[SIDE], y[SIDE];                                                          \
        WL_UNROLL for (int i = 0; i < SIDE; i++) x[i] =                                                      \
            (wl_bytes##width##_##lanes)wl_load_##lanes(from + i * from_pitch, SIDE * from_pitch);            \
        WL_STAGES_##width(lanes) WL_UNROLL for (int i = 0; i < SIDE; i++)                                    \
            memcpy(to + i * to_pitch, &x[i], sizeof(x[i]));                                                  \
    }

/* Where the tile after the one at `at` begins: the last one ends where the block does, and repeats what the
 * one before it did. */
WL_INLINE uint64_t wl_next(uint64_t at, uint64_t step, uint64_t end) {
    at += step;
    return at >= end || at + step <= end ? at : end - step;
}

/* Blocks of at least a tile on either side.  Meanwhile the rows at `ahead` are fetched into the cache, some
 * lines with each tile. */
#define WL_TILES(width, lanes)                                                                               \
    static void tiles##width##_##lanes(unsigned char *to, int64_t to_pitch, const unsigned char *from,       \
                                       int64_t from_pitch, uint64_t across, uint64_t down,                   \
                                       const unsigned char *ahead, int64_t ahead_pitch) {                    \
        enum { SIDE = 16 / width, ROWS = SIDE * lanes, FETCHED = ROWS < 4 ? 1 : ROWS / 4 };                  \
        for (uint64_t a = 0; a < across; a = wl_next(a, ROWS, across))                                       \
            for (uint64_t b = 0; b < down; b = wl_next(b, SIDE, down)) {                                     \
                const uint64_t row = a + b / SIDE % 4 * FETCHED;                                             \
                for (int i = 0; ahead && i < FETCHED; i++)                                                   \
                    __builtin_prefetch(ahead + (int64_t)(row + i) * ahead_pitch + b * width);                \
                tile##width##_##lanes(to + (int64_t)b * to_pitch + a * width, to_pitch,                      \
                                      from + (int64_t)a * from_pitch + b * width, from_pitch);               \
            }                                                                                                \
    }

/* Blocks that are narrower than a tile. */
#define WL_NARROW(width)                                                                                     \
    static void narrow##width(unsigned char *to, int64_t to_pitch, const unsigned char *from,                \
                              int64_t from_pitch, uint64_t across, uint64_t down) {                          \
        if (across >= down)                                                                                  \
            for (uint64_t b = 0; b < down; b++)                                                              \
                for (uint64_t a = 0; a < across; a++)                                                        \
                    ((wl_any##width *)(to + (int64_t)b * to_pitch))[a] =                                     \
                        *(const wl_any##width *)(from + (int64_t)a * from_pitch + b * width);                \
        else                                                                                                 \
            for (uint64_t a = 0; a < across; a++)                                                            \
                for (uint64_t b = 0; b < down; b++)                                                          \
                    *(wl_any##width *)(to + (int64_t)b * to_pitch + a * width) =                             \
                        ((const wl_any##width *)(from + (int64_t)a * from_pitch))[b];                        \
    }

/* Structures of 2, 3 or 4 elements without gaps, in loops that compilers have vectors for. */
#define WL_PACKED(width, n)                                                                                  \
    static void split##width##_##n(unsigned char *to, int64_t to_pitch, const unsigned char *from,           \
                                   uint64_t count) {                                                         \
        const wl_any##width *restrict in = (const wl_any##width *)from;                                      \
        wl_any##width *restrict out0 = (wl_any##width *)to;                                                  \
        wl_any##width *restrict out1 = (wl_any##width *)(to + to_pitch);                                     \
        wl_any##width *restrict out2 = (wl_any##width *)(to + (n > 2 ? 2 : 0) * to_pitch);                   \
        wl_any##width *restrict out3 = (wl_any##width *)(to + (n > 3 ? 3 : 0) * to_pitch);                   \
        for (uint64_t i = 0; i < count; i++) {                                                               \
            out0[i] = in[n * i];                                                                             \
            out1[i] = in[n * i + 1];                                                                         \
            if (n > 2)                                                                                       \
                out2[i] = in[n * i + 2];                                                                     \
            if (n > 3)                                                                                       \
                out3[i] = in[n * i + 3];                                                                     \
        }                                                                                                    \
    }                                                                                                        \
    static void join##width##_##n(unsigned char *to, const unsigned char *from, int64_t from_pitch,          \
                                  uint64_t count) {                                                          \
        wl_any##width *restrict out = (wl_any##width *)to;                                                   \
        const wl_any##width *restrict in0 = (const wl_any##width *)from;                                     \
        const wl_any##width *restrict in1 = (const wl_any##width *)(from + from_pitch);                      \
        const wl_any##width *restrict in2 = (const wl_any##width *)(from + (n > 2 ? 2 : 0) * from_pitch);    \
        const wl_any##width *restrict in3 = (const wl_any##width *)(from + (n > 3 ? 3 : 0) * from_pitch);    \
        for (uint64_t i = 0; i < count; i++) {                                                               \
            out[n * i] = in0[i];                                                                             \
            out[n * i + 1] = in1[i];                                                                         \
            if (n > 2)                                                                                       \
                out[n * i + 2] = in2[i];                                                                     \
            if (n > 3)                                                                                       \
                out[n * i + 3] = in3[i];                                                                     \
        }                                                                                                    \
    }

#define WL_SPLIT(width, n)                                                                                   \
    if (down == n && from_pitch == n * width) {                                                              \
        split##width##_##n(to, to_pitch, from, across);                                                      \
        return;                                                                                              \
    }                                                                                                        \
    if (across == n && to_pitch == n * width) {                                                              \
        join##width##_##n(to, from, from_pitch, down);                                                       \
        return;                                                                                              \
    }

#if WL_LANES == 1
#define WL_WIDEST(width)
#define WL_TILES_ALL(width)                                                                                  \
    WL_TILE(width, 1)                                                                                        \
    WL_TILES(width, 1)
#define WL_LANES_NAMED(name) name##1
#elif WL_LANES == 2
#define WL_TILES_ALL(width)                                                                                  \
    WL_TILE(width, 1)                                                                                        \
    WL_TILES(width, 1)                                                                                       \
    WL_TILE(width, 2)                                                                                        \
    WL_TILES(width, 2)
#define WL_LANES_NAMED(name) name##2
#else
#define WL_TILES_ALL(width)                                                                                  \
    WL_TILE(width, 1)                                                                                        \
    WL_TILES(width, 1)                                                                                       \
    WL_TILE(width, 4)                                                                                        \
    WL_TILES(width, 4)
#define WL_LANES_NAMED(name) name##4
#endif

#define WL_TRANSPOSE(width)                                                                                  \
    WL_TILES_ALL(width)                                                                                      \
    WL_NARROW(width)                                                                                         \
    WL_PACKED(width, 2)                                                                                      \
    WL_PACKED(width, 3)                                                                                      \
    WL_PACKED(width, 4)                                                                                      \
    static void transpose##width(unsigned char *to, int64_t to_pitch, const unsigned char *from,             \
                                 int64_t from_pitch, uint64_t across, uint64_t down,                         \
                                 const unsigned char *ahead, int64_t ahead_pitch) {                          \
        enum { SIDE = 16 / width };                                                                          \
        if (across >= SIDE * WL_LANES && down >= SIDE) {                                                     \
            WL_LANES_NAMED(tiles##width##_)                                                                  \
            (to, to_pitch, from, from_pitch, across, down, ahead, ahead_pitch);                              \
            return;                                                                                          \
        }                                                                                                    \
        if (across >= SIDE && down >= SIDE) {                                                                \
            tiles##width##_1(to, to_pitch, from, from_pitch, across, down, ahead, ahead_pitch);              \
            return;                                                                                          \
        }                                                                                                    \
        WL_SPLIT(width, 2)                                                                                   \
        WL_SPLIT(width, 3)                                                                                   \
        WL_SPLIT(width, 4)                                                                                   \
        narrow##width(to, to_pitch, from, from_pitch, across, down);                                         \
    }

WL_TRANSPOSE(1)
WL_TRANSPOSE(2)
WL_TRANSPOSE(4)
WL_TRANSPOSE(8)

/* Elements of 16 bytes are vectors already.  Four of them fill a line of the output. */
static void transpose16(unsigned char *to, int64_t to_pitch, const unsigned char *from, int64_t from_pitch,
                        uint64_t across, uint64_t down, const unsigned char *ahead, int64_t ahead_pitch) {
    uint64_t a = 0;
    for (; a + 4 <= across; a += 4)
        for (uint64_t b = 0; b < down; b++) {
            if (ahead)
                __builtin_prefetch(ahead + (int64_t)(a + b % 4) * ahead_pitch + b * 16);
            const unsigned char *in = from + (int64_t)a * from_pitch + b * 16;
            wl_any16 *out = (wl_any16 *)(to + (int64_t)b * to_pitch) + a;
            const wl_any16 x0 = *(const wl_any16 *)in, x1 = *(const wl_any16 *)(in + from_pitch),
                           x2 = *(const wl_any16 *)(in + 2 * from_pitch),
                           x3 = *(const wl_any16 *)(in + 3 * from_pitch);
            out[0] = x0;
            out[1] = x1;
            out[2] = x2;
            out[3] = x3;
        }
    for (; a < across; a++)
        for (uint64_t b = 0; b < down; b++)
            ((wl_any16 *)(to + (int64_t)b * to_pitch))[a] =
                ((const wl_any16 *)(from + (int64_t)a * from_pitch))[b];
}

#endif
