/* The kernels that the library carries: the modules (a fatbin each, a .cu file each) and in each the
 * entry functions, named wl_<kernel>. */
#ifndef WIDELOAD_LIB_KERNELS_H
#define WIDELOAD_LIB_KERNELS_H

/* Kernels of 2, 4 and 8 accesses a thread, each alone in a module of its name; ladder/unroll.h chooses. */
#define WL_UNROLLED_MODULES(X, kernel)                                                                       \
    X(kernel##_unroll2)                                                                                      \
    X(kernel##_unroll4)                                                                                      \
    X(kernel##_unroll8)
#define WL_UNROLLED_KERNELS(X, kernel)                                                                       \
    X(kernel##_unroll2, kernel##_unroll2)                                                                    \
    X(kernel##_unroll4, kernel##_unroll4)                                                                    \
    X(kernel##_unroll8, kernel##_unroll8)

/* Kernels of wl_permute's tiles, each alone in a module of its name.  lib/permute/permute.c counts on their
 * order: the elements' width; whose rows begin anywhere; accesses a thread.  Those of blocks of 512 threads
 * come after the others. */
#define WL_ALONE_MODULE(X, kernel) X(kernel)
#define WL_ALONE_KERNEL(X, kernel) X(kernel, kernel)
#define WL_PERMUTE_PASSES_MAP(ALONE, X, kernel)                                                              \
    ALONE(X, kernel##_4)                                                                                     \
    ALONE(X, kernel##_6)                                                                                     \
    ALONE(X, kernel##_8)
#define WL_PERMUTE_ROWS_MAP(ALONE, X, kernel)                                                                \
    WL_PERMUTE_PASSES_MAP(ALONE, X, kernel##_whole)                                                          \
    WL_PERMUTE_PASSES_MAP(ALONE, X, kernel##_out)                                                            \
    WL_PERMUTE_PASSES_MAP(ALONE, X, kernel##_in)                                                             \
    WL_PERMUTE_PASSES_MAP(ALONE, X, kernel##_both)
#define WL_PERMUTE_WIDE_MAP(ALONE, X, kernel)                                                                \
    ALONE(X, kernel##_whole_wide)                                                                            \
    ALONE(X, kernel##_out_wide)                                                                              \
    ALONE(X, kernel##_in_wide)                                                                               \
    ALONE(X, kernel##_both_wide)
#define WL_PERMUTE_MAP(ALONE, X)                                                                             \
    WL_PERMUTE_ROWS_MAP(ALONE, X, permute_tile1)                                                             \
    WL_PERMUTE_ROWS_MAP(ALONE, X, permute_tile2)                                                             \
    WL_PERMUTE_ROWS_MAP(ALONE, X, permute_tile4)                                                             \
    WL_PERMUTE_ROWS_MAP(ALONE, X, permute_tile8)                                                             \
    WL_PERMUTE_PASSES_MAP(ALONE, X, permute_tile16_whole)                                                    \
    WL_PERMUTE_WIDE_MAP(ALONE, X, permute_tile4)                                                             \
    WL_PERMUTE_WIDE_MAP(ALONE, X, permute_tile8)                                                             \
    ALONE(X, permute_bulk4_0)                                                                                \
    ALONE(X, permute_bulk4_1)                                                                                \
    ALONE(X, permute_bulk8_0)                                                                                \
    ALONE(X, permute_bulk8_1)                                                                                \
    ALONE(X, permute_narrow1)                                                                                \
    ALONE(X, permute_narrow2)                                                                                \
    ALONE(X, permute_async1)                                                                                 \
    ALONE(X, permute_async2)                                                                                 \
    ALONE(X, permute_async4)                                                                                 \
    ALONE(X, permute_async8)                                                                                 \
    ALONE(X, permute_strips)

/* The in-place transposes, a module each width. */
#define WL_INPLACE_MODULES(X, width)                                                                         \
    X(inplace_square##width)                                                                                 \
    X(inplace_near##width)                                                                                   \
    X(inplace_runs##width)                                                                                   \
    X(inplace_panels##width)                                                                                 \
    X(inplace_shuffle##width)
#define WL_INPLACE_KERNELS(X, width)                                                                         \
    X(inplace_square##width, inplace_square##width)                                                          \
    X(inplace_near##width, inplace_save##width)                                                              \
    X(inplace_near##width, inplace_close##width)                                                             \
    X(inplace_near##width, inplace_open##width)                                                              \
    X(inplace_runs##width, inplace_close_runs##width)                                                        \
    X(inplace_runs##width, inplace_open_runs##width)                                                         \
    X(inplace_panels##width, inplace_close_panels##width)                                                    \
    X(inplace_panels##width, inplace_open_panels##width)                                                     \
    X(inplace_shuffle##width, inplace_rows##width)                                                           \
    X(inplace_shuffle##width, inplace_columns##width)                                                        \
    X(inplace_shuffle##width, inplace_band_of_rows##width)                                                   \
    X(inplace_shuffle##width, inplace_band_of_columns##width)
/* Structures of equal fields, by width.  Kernels for 2 to 8 fields stand in that order. */
#define WL_INTERLEAVE_MODULES(X, width)                                                                      \
    X(interleave##width)                                                                                     \
    X(interleave##width##_shifted)                                                                           \
    X(interleave_wide##width)                                                                                \
    X(interleave_few##width)
#define WL_INTERLEAVE_KERNELS(X, width)                                                                      \
    X(interleave##width, deinterleave##width)                                                                \
    X(interleave##width, interleave##width)                                                                  \
    X(interleave##width##_shifted, deinterleave##width##_shifted)                                            \
    X(interleave##width##_shifted, interleave##width##_shifted)                                              \
    X(interleave_wide##width, wide_deinterleave##width)                                                      \
    X(interleave_wide##width, wide_interleave##width)                                                        \
    X(interleave_few##width, deinterleave##width##_few2)                                                     \
    X(interleave_few##width, deinterleave##width##_few3)                                                     \
    X(interleave_few##width, deinterleave##width##_few4)                                                     \
    X(interleave_few##width, deinterleave##width##_few5)                                                     \
    X(interleave_few##width, deinterleave##width##_few6)                                                     \
    X(interleave_few##width, deinterleave##width##_few7)                                                     \
    X(interleave_few##width, deinterleave##width##_few8)                                                     \
    X(interleave_few##width, interleave##width##_few2)                                                       \
    X(interleave_few##width, interleave##width##_few3)                                                       \
    X(interleave_few##width, interleave##width##_few4)                                                       \
    X(interleave_few##width, interleave##width##_few5)                                                       \
    X(interleave_few##width, interleave##width##_few6)                                                       \
    X(interleave_few##width, interleave##width##_few7)                                                       \
    X(interleave_few##width, interleave##width##_few8)

#define WL_MODULE_MAP(X)                                                                                     \
    X(copy)                                                                                                  \
    X(copy_any)                                                                                              \
    X(copy_dense)                                                                                            \
    X(copy_seams)                                                                                            \
    X(copy_rows_16_16)                                                                                       \
    X(copy_rows_16_8)                                                                                        \
    X(copy_rows_16_4)                                                                                        \
    X(copy_rows_16_2)                                                                                        \
    X(copy_rows_16_1)                                                                                        \
    X(copy_rows_8_8)                                                                                         \
    X(copy_rows_4_4)                                                                                         \
    X(copy_rows_2_2)                                                                                         \
    X(copy_rows_1_1)                                                                                         \
    X(add_any_8)                                                                                             \
    X(add_any_16)                                                                                            \
    X(add_any_32)                                                                                            \
    X(add_any_64)                                                                                            \
    X(add_any_f16)                                                                                           \
    X(add_any_bf16)                                                                                          \
    X(add_any_f32)                                                                                           \
    X(add_any_f64)                                                                                           \
    X(add)                                                                                                   \
    X(read_offset)                                                                                           \
    X(write_offset)                                                                                          \
    X(stride)                                                                                                \
    X(layout)                                                                                                \
    X(transpose)                                                                                             \
    X(transpose_tiled)                                                                                       \
    X(transpose_vectors1)                                                                                    \
    X(transpose_vectors2)                                                                                    \
    X(transpose_vectors4)                                                                                    \
    X(transpose_vectors8)                                                                                    \
    X(transpose_vectors16)                                                                                   \
    X(transpose_async1)                                                                                      \
    X(transpose_async2)                                                                                      \
    X(transpose_async4)                                                                                      \
    X(transpose_async8)                                                                                      \
    X(transpose_async16)                                                                                     \
    X(transpose_tall2)                                                                                       \
    X(transpose_window1)                                                                                     \
    X(transpose_window2)                                                                                     \
    X(transpose_clusters1)                                                                                   \
    X(transpose_clusters2)                                                                                   \
    X(transpose_slots2)                                                                                      \
    X(transpose_slots4)                                                                                      \
    X(transpose_pieces1)                                                                                     \
    X(transpose_pieces2)                                                                                     \
    X(transpose_pieces4)                                                                                     \
    X(transpose_columns1_1)                                                                                  \
    X(transpose_columns1_2)                                                                                  \
    X(transpose_columns2_1)                                                                                  \
    X(transpose_columns2_2)                                                                                  \
    X(transpose_columns4_1)                                                                                  \
    X(transpose_columns4_2)                                                                                  \
    X(transpose_panels1)                                                                                     \
    X(transpose_panels2)                                                                                     \
    X(transpose_panels4)                                                                                     \
    X(transpose_panels8)                                                                                     \
    X(transpose_panels16)                                                                                    \
    X(transpose_matrices1)                                                                                   \
    X(transpose_matrices2)                                                                                   \
    X(transpose_matrices4)                                                                                   \
    X(transpose_matrices8)                                                                                   \
    X(transpose_matrices16)                                                                                  \
    X(transpose_turned1)                                                                                     \
    X(transpose_turned2)                                                                                     \
    X(transpose_panels_apart1)                                                                               \
    X(transpose_panels_apart2)                                                                               \
    X(transpose_panels_apart4)                                                                               \
    X(transpose_panels_apart8)                                                                               \
    X(transpose_panels_apart16)                                                                              \
    X(transpose_matrices_apart1)                                                                             \
    X(transpose_matrices_apart2)                                                                             \
    X(transpose_matrices_apart4)                                                                             \
    X(transpose_matrices_apart8)                                                                             \
    X(transpose_matrices_apart16)                                                                            \
    X(transpose_groups1)                                                                                     \
    X(transpose_halves2)                                                                                     \
    X(transpose_elements4)                                                                                   \
    X(transpose_elements8)                                                                                   \
    X(transpose_elements16)                                                                                  \
    X(transpose_medium4)                                                                                     \
    X(transpose_low4)                                                                                        \
    X(transpose_low8)                                                                                        \
    X(shared)                                                                                                \
    X(matmul)                                                                                                \
    X(scan)                                                                                                  \
    X(csr_transpose)                                                                                         \
    WL_PERMUTE_MAP(WL_ALONE_MODULE, X)                                                                       \
    WL_INPLACE_MODULES(X, 1)                                                                                 \
    WL_INPLACE_MODULES(X, 2)                                                                                 \
    WL_INPLACE_MODULES(X, 4)                                                                                 \
    WL_INPLACE_MODULES(X, 8)                                                                                 \
    WL_INPLACE_MODULES(X, 16)                                                                                \
    X(inplace_aligned1)                                                                                      \
    X(inplace_aligned2)                                                                                      \
    X(inplace_small2)                                                                                        \
    WL_INTERLEAVE_MODULES(X, 1)                                                                              \
    WL_INTERLEAVE_MODULES(X, 2)                                                                              \
    WL_INTERLEAVE_MODULES(X, 4)                                                                              \
    WL_INTERLEAVE_MODULES(X, 8)                                                                              \
    WL_INTERLEAVE_MODULES(X, 16)                                                                             \
    X(fields)                                                                                                \
    X(fields_few)                                                                                            \
    X(deinterleave_bulk1)                                                                                    \
    X(deinterleave_bulk2)                                                                                    \
    X(deinterleave_32_1)                                                                                     \
    X(deinterleave_32_2)                                                                                     \
    X(deinterleave_32_4)                                                                                     \
    X(deinterleave_32_8)                                                                                     \
    X(deinterleave_32_16)                                                                                    \
    WL_UNROLLED_MODULES(X, copy_scalar)                                                                      \
    WL_UNROLLED_MODULES(X, copy_vec2)                                                                        \
    WL_UNROLLED_MODULES(X, copy_vec4)                                                                        \
    WL_UNROLLED_MODULES(X, add_scalar)                                                                       \
    WL_UNROLLED_MODULES(X, add_vec4)                                                                         \
    WL_UNROLLED_MODULES(X, read_offset)                                                                      \
    WL_UNROLLED_MODULES(X, write_offset)

/* module, kernel */
#define WL_KERNEL_MAP(X)                                                                                     \
    X(copy, copy_scalar)                                                                                     \
    X(copy, copy_vec2)                                                                                       \
    X(copy, copy_vec4)                                                                                       \
    X(copy_any, copy_any)                                                                                    \
    X(copy_dense, copy_dense)                                                                                \
    X(copy_seams, copy_seams)                                                                                \
    X(copy_rows_16_16, copy_rows_16_16)                                                                      \
    X(copy_rows_16_8, copy_rows_16_8)                                                                        \
    X(copy_rows_16_4, copy_rows_16_4)                                                                        \
    X(copy_rows_16_2, copy_rows_16_2)                                                                        \
    X(copy_rows_16_1, copy_rows_16_1)                                                                        \
    X(copy_rows_8_8, copy_rows_8_8)                                                                          \
    X(copy_rows_4_4, copy_rows_4_4)                                                                          \
    X(copy_rows_2_2, copy_rows_2_2)                                                                          \
    X(copy_rows_1_1, copy_rows_1_1)                                                                          \
    X(add_any_8, add_any_8)                                                                                  \
    X(add_any_8, add_alike_8)                                                                                \
    X(add_any_16, add_any_16)                                                                                \
    X(add_any_16, add_alike_16)                                                                              \
    X(add_any_32, add_any_32)                                                                                \
    X(add_any_32, add_alike_32)                                                                              \
    X(add_any_64, add_any_64)                                                                                \
    X(add_any_64, add_alike_64)                                                                              \
    X(add_any_f16, add_any_f16)                                                                              \
    X(add_any_f16, add_alike_f16)                                                                            \
    X(add_any_bf16, add_any_bf16)                                                                            \
    X(add_any_bf16, add_alike_bf16)                                                                          \
    X(add_any_f32, add_any_f32)                                                                              \
    X(add_any_f32, add_alike_f32)                                                                            \
    X(add_any_f64, add_any_f64)                                                                              \
    X(add_any_f64, add_alike_f64)                                                                            \
    X(add, add_scalar)                                                                                       \
    X(add, add_vec4)                                                                                         \
    X(read_offset, read_offset_plain)                                                                        \
    X(read_offset, read_offset_ldg)                                                                          \
    X(read_offset, read_offset_l2_only)                                                                      \
    X(read_offset, read_offset_realigned)                                                                    \
    X(write_offset, write_offset_plain)                                                                      \
    X(write_offset, write_offset_realigned)                                                                  \
    X(stride, stride_load)                                                                                   \
    X(stride, stride_store)                                                                                  \
    X(layout, layout_aos)                                                                                    \
    X(layout, layout_aos_vec2)                                                                               \
    X(layout, layout_soa)                                                                                    \
    X(transpose, transpose_copy_row)                                                                         \
    X(transpose, transpose_copy_col)                                                                         \
    X(transpose, transpose_naive_row)                                                                        \
    X(transpose, transpose_naive_col)                                                                        \
    X(transpose, transpose_unroll4_row)                                                                      \
    X(transpose, transpose_unroll4_col)                                                                      \
    X(transpose, transpose_diagonal_row)                                                                     \
    X(transpose, transpose_diagonal_col)                                                                     \
    X(transpose_tiled, transpose_shared)                                                                     \
    X(transpose_tiled, transpose_shared_pad)                                                                 \
    X(transpose_tiled, transpose_shared_swizzle)                                                             \
    X(transpose_tiled, transpose_shared_pad_unroll)                                                          \
    X(transpose_vectors1, transpose_vectors1)                                                                \
    X(transpose_vectors2, transpose_vectors2)                                                                \
    X(transpose_vectors4, transpose_vectors4)                                                                \
    X(transpose_vectors8, transpose_vectors8)                                                                \
    X(transpose_vectors16, transpose_vectors16)                                                              \
    X(transpose_async1, transpose_async1)                                                                    \
    X(transpose_async2, transpose_async2)                                                                    \
    X(transpose_async4, transpose_async4)                                                                    \
    X(transpose_async8, transpose_async8)                                                                    \
    X(transpose_async16, transpose_async16)                                                                  \
    X(transpose_tall2, transpose_tall2)                                                                      \
    X(transpose_window1, transpose_window1)                                                                  \
    X(transpose_window2, transpose_window2)                                                                  \
    X(transpose_clusters1, transpose_clusters1)                                                              \
    X(transpose_clusters2, transpose_clusters2)                                                              \
    X(transpose_slots2, transpose_slots2)                                                                    \
    X(transpose_slots4, transpose_slots4)                                                                    \
    X(transpose_pieces1, transpose_pieces1)                                                                  \
    X(transpose_pieces2, transpose_pieces2)                                                                  \
    X(transpose_pieces4, transpose_pieces4)                                                                  \
    X(transpose_columns1_1, transpose_columns1_1)                                                            \
    X(transpose_columns1_2, transpose_columns1_2)                                                            \
    X(transpose_columns2_1, transpose_columns2_1)                                                            \
    X(transpose_columns2_2, transpose_columns2_2)                                                            \
    X(transpose_columns4_1, transpose_columns4_1)                                                            \
    X(transpose_columns4_2, transpose_columns4_2)                                                            \
    X(transpose_panels1, transpose_panels1)                                                                  \
    X(transpose_panels2, transpose_panels2)                                                                  \
    X(transpose_panels4, transpose_panels4)                                                                  \
    X(transpose_panels8, transpose_panels8)                                                                  \
    X(transpose_panels16, transpose_panels16)                                                                \
    X(transpose_matrices1, transpose_matrices1)                                                              \
    X(transpose_matrices2, transpose_matrices2)                                                              \
    X(transpose_matrices4, transpose_matrices4)                                                              \
    X(transpose_matrices8, transpose_matrices8)                                                              \
    X(transpose_matrices16, transpose_matrices16)                                                            \
    X(transpose_turned1, transpose_turned1)                                                                  \
    X(transpose_turned2, transpose_turned2)                                                                  \
    X(transpose_panels_apart1, transpose_panels_apart1)                                                      \
    X(transpose_panels_apart2, transpose_panels_apart2)                                                      \
    X(transpose_panels_apart4, transpose_panels_apart4)                                                      \
    X(transpose_panels_apart8, transpose_panels_apart8)                                                      \
    X(transpose_panels_apart16, transpose_panels_apart16)                                                    \
    X(transpose_matrices_apart1, transpose_matrices_apart1)                                                  \
    X(transpose_matrices_apart2, transpose_matrices_apart2)                                                  \
    X(transpose_matrices_apart4, transpose_matrices_apart4)                                                  \
    X(transpose_matrices_apart8, transpose_matrices_apart8)                                                  \
    X(transpose_matrices_apart16, transpose_matrices_apart16)                                                \
    X(transpose_groups1, transpose_groups1)                                                                  \
    X(transpose_halves2, transpose_halves2)                                                                  \
    X(transpose_elements4, transpose_elements4)                                                              \
    X(transpose_elements8, transpose_elements8)                                                              \
    X(transpose_elements16, transpose_elements16)                                                            \
    X(transpose_medium4, transpose_medium4)                                                                  \
    X(transpose_low4, transpose_low4)                                                                        \
    X(transpose_low8, transpose_low8)                                                                        \
    X(shared, shared_row_row)                                                                                \
    X(shared, shared_row_col)                                                                                \
    X(shared, shared_row_col_pad)                                                                            \
    X(shared, shared_rect_row_col)                                                                           \
    X(shared, shared_rect_row_col_pad)                                                                       \
    X(matmul, matmul_naive)                                                                                  \
    X(matmul, matmul_tile_square)                                                                            \
    X(matmul, matmul_tile_rect)                                                                              \
    X(matmul, matmul_register_tile)                                                                          \
    X(scan, scan_sums)                                                                                       \
    X(scan, scan_tiles)                                                                                      \
    X(csr_transpose, csr_count)                                                                              \
    X(csr_transpose, csr_scatter)                                                                            \
    X(csr_transpose, coo_rank)                                                                               \
    X(csr_transpose, coo_scatter)                                                                            \
    WL_PERMUTE_MAP(WL_ALONE_KERNEL, X)                                                                       \
    WL_INPLACE_KERNELS(X, 1)                                                                                 \
    WL_INPLACE_KERNELS(X, 2)                                                                                 \
    WL_INPLACE_KERNELS(X, 4)                                                                                 \
    WL_INPLACE_KERNELS(X, 8)                                                                                 \
    WL_INPLACE_KERNELS(X, 16)                                                                                \
    X(inplace_aligned1, inplace_aligned1)                                                                    \
    X(inplace_aligned2, inplace_aligned2)                                                                    \
    X(inplace_small2, inplace_small2)                                                                        \
    WL_INTERLEAVE_KERNELS(X, 1)                                                                              \
    WL_INTERLEAVE_KERNELS(X, 2)                                                                              \
    WL_INTERLEAVE_KERNELS(X, 4)                                                                              \
    WL_INTERLEAVE_KERNELS(X, 8)                                                                              \
    WL_INTERLEAVE_KERNELS(X, 16)                                                                             \
    X(fields, deinterleave_fields)                                                                           \
    X(fields, interleave_fields)                                                                             \
    X(fields_few, deinterleave_fields_few)                                                                   \
    X(fields_few, interleave_fields_few)                                                                     \
    X(deinterleave_bulk1, deinterleave1_bulk)                                                                \
    X(deinterleave_bulk2, deinterleave2_bulk)                                                                \
    X(deinterleave_32_1, deinterleave1_32)                                                                   \
    X(deinterleave_32_2, deinterleave2_32)                                                                   \
    X(deinterleave_32_4, deinterleave4_32)                                                                   \
    X(deinterleave_32_8, deinterleave8_32)                                                                   \
    X(deinterleave_32_16, deinterleave16_32)                                                                 \
    WL_UNROLLED_KERNELS(X, copy_scalar)                                                                      \
    WL_UNROLLED_KERNELS(X, copy_vec2)                                                                        \
    WL_UNROLLED_KERNELS(X, copy_vec4)                                                                        \
    WL_UNROLLED_KERNELS(X, add_scalar)                                                                       \
    WL_UNROLLED_KERNELS(X, add_vec4)                                                                         \
    WL_UNROLLED_KERNELS(X, read_offset)                                                                      \
    WL_UNROLLED_KERNELS(X, write_offset)

enum wl__module {
#define WL_MODULE_ENUM(module) WL_MODULE_##module,
    WL_MODULE_MAP(WL_MODULE_ENUM)
#undef WL_MODULE_ENUM
        WL_MODULE_COUNT
};

enum wl__kernel {
#define WL_KERNEL_ENUM(module, kernel) WL_KERNEL_##kernel,
    WL_KERNEL_MAP(WL_KERNEL_ENUM)
#undef WL_KERNEL_ENUM
        WL_KERNEL_COUNT
};

/* The module's fatbin, as it lies in the library. */
const void *wl__fatbin(enum wl__module module);

#endif
