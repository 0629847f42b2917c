/* One plain C loop per enum wl_reference computes what a rung's output must be, bit for bit.
 *
 * A reference writes only the elements that the formula names.  The caller first fills the output with the
 * bytes that untouched elements must keep. */
#ifndef WIDELOAD_BENCH_REFERENCE_H
#define WIDELOAD_BENCH_REFERENCE_H

#include <stdint.h>

#include "bench/inputs.h"

/* in and out: host arrays for wl_problem's in[] and out[], sized by bench_extents_of. */
typedef void bench_reference_fn(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]);

bench_reference_fn bench_reference_copy, bench_reference_add, bench_reference_read_offset,
    bench_reference_write_offset, bench_reference_stride_load, bench_reference_stride_store,
    bench_reference_layout_aos, bench_reference_layout_soa, bench_reference_transpose_copy,
    bench_reference_transpose, bench_reference_tile_copy, bench_reference_tile_32x32,
    bench_reference_tile_32x16, bench_reference_matmul, bench_reference_csr_to_csc,
    bench_reference_coo_transpose, bench_reference_copy_bytes, bench_reference_add_type,
    bench_reference_transpose_any, bench_reference_deinterleave, bench_reference_interleave,
    bench_reference_permute, bench_reference_same_bytes, bench_reference_exchange;

/* The function of a reference.  In a sparse result, entries within a column ascend by row. */
bench_reference_fn *bench_reference_of(enum wl_reference reference);

#endif
