/* What the kernels of the in-place transposes and lib/transpose_inplace.c agree on. */
#ifndef WIDELOAD_KERNELS_INPLACE_H
#define WIDELOAD_KERNELS_INPLACE_H

#define WL_INPLACE_THREADS 256

/* Elements along a tile's side, by width. */
#define WL_INPLACE_TILE_1  128
#define WL_INPLACE_TILE_2  64
#define WL_INPLACE_TILE_4  64
#define WL_INPLACE_TILE_8  32
#define WL_INPLACE_TILE_16 32

/* Tiles along the side of a group of tiles that blocks take one after the other. */
#define WL_INPLACE_GROUP 8

/* inplace_near.cu: the longer side is at most so much longer; */
#define WL_INPLACE_EXTRA 16
/* elements that a thread moves of a chunk, */
#define WL_INPLACE_EACH(width) ((width) <= 4 ? 32 : 128 / (width))
/* blocks on a multiprocessor, that registers are cut down for, */
#define WL_INPLACE_BLOCKS(width) 4
/* steps from exchanges to the rows that they complete: more than the blocks that run at once need, fewer
 * than the L2 holds; */
#define WL_INPLACE_LAG 4
/* and its counters, 4 bytes each: the next task in 8 bytes, flags of chunks, and a count a row of tiles. */
#define WL_INPLACE_RING    4096
#define WL_INPLACE_RING_AT 32
#define WL_INPLACE_ROWS_AT (WL_INPLACE_RING_AT + WL_INPLACE_RING)

/* inplace_shuffle.cu: rows or columns that go through the workspace at a time, a warp's lanes. */
#define WL_INPLACE_BAND 32

#endif
