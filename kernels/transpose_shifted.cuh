/* The tile of a shifted transpose whose elements go to shared memory one by one: WL_ACROSS and WL_DOWN lines
 * of 128 bytes, and the rows before it that its first stores begin in. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_SHIFTED_CUH
#define WIDELOAD_KERNELS_TRANSPOSE_SHIFTED_CUH

#include "transpose_tile.cuh"

#define WL_EACH   (16 / WL_WIDTH)           /* elements a vector */
#define WL_COLS   (WL_ACROSS * 8 * WL_EACH) /* of a tile */
#define WL_ROWS   (WL_DOWN * 8 * WL_EACH)
#define WL_EXTRA  (32 / WL_WIDTH) /* rows before the tile's own */
#define WL_LOADED (WL_ROWS + WL_EXTRA)
#define WL_WARPS  (WL_THREADS / 32)
/* Rows from one of a thread's to the next, when it loads, and how many there are. */
#define WL_STEP  (4 * WL_WARPS / WL_ACROSS)
#define WL_LOADS ((WL_LOADED + WL_STEP - 1) / WL_STEP)

#endif
