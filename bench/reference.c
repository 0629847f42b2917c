#include "bench/reference.h"

bench_reference_fn *bench_reference_of(enum wl_reference reference) {
    static bench_reference_fn *const table[] = {
        [WL_REF_COPY] = bench_reference_copy,
        [WL_REF_ADD] = bench_reference_add,
        [WL_REF_READ_OFFSET] = bench_reference_read_offset,
        [WL_REF_WRITE_OFFSET] = bench_reference_write_offset,
        [WL_REF_STRIDE_LOAD] = bench_reference_stride_load,
        [WL_REF_STRIDE_STORE] = bench_reference_stride_store,
        [WL_REF_LAYOUT_AOS] = bench_reference_layout_aos,
        [WL_REF_LAYOUT_SOA] = bench_reference_layout_soa,
        [WL_REF_TRANSPOSE_COPY] = bench_reference_transpose_copy,
        [WL_REF_TRANSPOSE] = bench_reference_transpose,
        [WL_REF_TILE_COPY] = bench_reference_tile_copy,
        [WL_REF_TILE_32x32] = bench_reference_tile_32x32,
        [WL_REF_TILE_32x16] = bench_reference_tile_32x16,
        [WL_REF_MATMUL] = bench_reference_matmul,
        [WL_REF_CSR_TO_CSC] = bench_reference_csr_to_csc,
        [WL_REF_COO_TRANSPOSE] = bench_reference_coo_transpose,
        [WL_REF_COPY_BYTES] = bench_reference_copy_bytes,
        [WL_REF_ADD_TYPE] = bench_reference_add_type,
        [WL_REF_TRANSPOSE_ANY] = bench_reference_transpose_any,
        [WL_REF_DEINTERLEAVE] = bench_reference_deinterleave,
        [WL_REF_INTERLEAVE] = bench_reference_interleave,
        [WL_REF_PERMUTE] = bench_reference_permute,
        [WL_REF_SAME_BYTES] = bench_reference_same_bytes,
        [WL_REF_EXCHANGE] = bench_reference_exchange,
    };
    return table[reference];
}
