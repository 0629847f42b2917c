/* What the kernels of the in-place transposes and lib/inplace/transpose_inplace.c agree on. */
#ifndef WIDELOAD_KERNELS_INPLACE_H
#define WIDELOAD_KERNELS_INPLACE_H

#include <stdint.h>

/* By width: elements along a tile's side, threads that exchange two tiles, and blocks that should fit a
 * multiprocessor. */
#define WL_INPLACE_TILE(width)    ((width) <= 2 ? 128 : (width) <= 8 ? 64 : 32)
#define WL_INPLACE_THREADS(width) ((width) == 16 ? 256 : 512)
#define WL_INPLACE_BLOCKS(width)  ((width) == 1 ? 3 : (width) == 16 ? 4 : 2)
/* Bytes from one row of a tile to the next in shared memory: a tile's row, one vector of 16 bytes, and a word
 * or element that moves columns to other banks. */
#define WL_INPLACE_PITCH(width, tile) ((tile) * (width) + ((width) == 16 ? 16 : (width) == 8 ? 24 : 20))
/* The same for 1- and 2-byte elements, whose rows are shifted when stored, and from one tile to the next
 * (inplace_narrow.cuh). */
#define WL_INPLACE_NARROW_PITCH(width, tile) ((tile) * (width) + ((width) == 2 ? 18 : 23))
#define WL_INPLACE_NARROW_STRIDE(width, tile)                                                                \
    (((tile)*WL_INPLACE_NARROW_PITCH(width, tile) + 15) / 16 * 16 + 16)
/* Bytes of two tiles. */
#define WL_INPLACE_PAIR_OF(width, tile)                                                                      \
    ((width) < 4 ? 16 + 2 * WL_INPLACE_NARROW_STRIDE(width, tile) : 2 * (tile)*WL_INPLACE_PITCH(width, tile))
#define WL_INPLACE_PAIR_BYTES(width) WL_INPLACE_PAIR_OF(width, WL_INPLACE_TILE(width))

/* Smaller tiles of 2-byte elements, for shorter sides and for devices whose blocks have at most 64 KB: tile,
 * threads, blocks and bytes. */
#define WL_INPLACE_SMALL_TILE    64
#define WL_INPLACE_SMALL_THREADS 256
#define WL_INPLACE_SMALL_BLOCKS  6
#define WL_INPLACE_SMALL_BYTES   WL_INPLACE_PAIR_OF(2, WL_INPLACE_SMALL_TILE)

/* inplace_aligned.cu, widths 1 and 2: threads, and blocks that should fit a multiprocessor, each with two
 * tiles without a gap. */
#define WL_INPLACE_ALIGNED_THREADS(width) ((width) == 1 ? 256 : 512)
#define WL_INPLACE_ALIGNED_BLOCKS(width)  ((width) == 1 ? 4 : 2)
#define WL_INPLACE_ALIGNED_BYTES(width)   (2 * WL_INPLACE_TILE(width) * WL_INPLACE_TILE(width) * (width))

/* Tiles along the side of a group, whose tiles blocks take one after the other. */
#define WL_INPLACE_GROUP(width) ((width) <= 2 ? 8 : 4)

/* Threads per block of the other kernels. */
#define WL_INPLACE_MOVERS 256

/* inplace_near.cu: the longer side exceeds the shorter by at most EXTRA, and the shorter has a minimum. */
#define WL_INPLACE_EXTRA    16
#define WL_INPLACE_NEAR_MIN 256
/* 16-byte vectors of a chunk per thread. */
#define WL_INPLACE_CHUNK_VECTORS 8
#define WL_INPLACE_CHUNK_BYTES   (16 * WL_INPLACE_CHUNK_VECTORS * WL_INPLACE_MOVERS)
/* Bytes staged for a chunk of so many bytes.  A chunk comes from one run, which has the extra columns of all
 * rows that it passes, and a vector at each end. */
#define WL_INPLACE_STAGED(bytes)                                                                             \
    ((bytes) + (bytes) / WL_INPLACE_NEAR_MIN * WL_INPLACE_EXTRA + 16 * WL_INPLACE_EXTRA + 32)
/* Its counters, 4 bytes each: the next chunk in 8 bytes, and the ring of flags, one per sector. */
#define WL_INPLACE_RING       512
#define WL_INPLACE_RING_AT    32
#define WL_INPLACE_FLAG_WORDS 8
#define WL_INPLACE_COUNTERS   (WL_INPLACE_RING_AT + WL_INPLACE_RING * WL_INPLACE_FLAG_WORDS)

/* inplace_panels.cu: elements along a tile's side; threads per block; blocks that should fit a
 * multiprocessor; bytes from one row of two slots to the next in shared memory, with one more sector behind
 * them and a vector that moves rows to other banks; and bytes in all, more than a pair of tiles takes. */
#define WL_INPLACE_PANEL(width)         ((width) == 1 ? 128 : (width) <= 4 ? 64 : 32)
#define WL_INPLACE_PANEL_THREADS(width) ((width) == 8 ? 128 : 256)
#define WL_INPLACE_PANEL_BLOCKS(width)  ((width) == 1 ? 4 : (width) == 2 ? 6 : (width) == 8 ? 10 : 5)
#define WL_INPLACE_SLOT_PITCH(width)    (2 * WL_INPLACE_PANEL(width) * (width) + 32 + 16)
#define WL_INPLACE_PANEL_BYTES(width)   (WL_INPLACE_PANEL(width) * WL_INPLACE_SLOT_PITCH(width))
/* Its counters, 4 bytes each, for so many panels: the loads done of each panel, one counter per sector; for
 * each row of tiles a ring of the last panels loaded there; and one bit per tile in a slot. */
#define WL_INPLACE_PANEL_RING             8
#define WL_INPLACE_PANEL_TAKEN_AT(panels) ((panels)*WL_INPLACE_FLAG_WORDS)
#define WL_INPLACE_PANEL_KEPT_AT(panels)  (WL_INPLACE_PANEL_TAKEN_AT(panels) + (panels)*WL_INPLACE_PANEL_RING)
#define WL_INPLACE_PANEL_COUNTERS(panels)                                                                    \
    (WL_INPLACE_PANEL_KEPT_AT(panels) + (panels) * (((panels) + 31) / 32))
/* Blocks of panel k, each of which moves two tiles; and the most of any panel. */
#define WL_INPLACE_PANEL_TASKS(k, panels) ((panels) - (k) + ((k) + 1) / 2)
#define WL_INPLACE_PANEL_MOST(panels)     ((panels) + 1)

#endif
