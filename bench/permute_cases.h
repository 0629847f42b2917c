/* Permutations that users of tensor libraries run, the library's benchmark.  They come from the benchmarks of
 * cuTT, HPTT and TTC, and from networks: attention heads, image channels, windows, patches. */
#ifndef WIDELOAD_BENCH_PERMUTE_CASES_H
#define WIDELOAD_BENCH_PERMUTE_CASES_H

/* name, width in bytes, rank, (sizes of the input, the last dimension contiguous), (order) */
#define WL_PERMUTE_CASE_MAP(X)                                                                               \
    X("swap-outer-3d", 4, 3, (450, 600, 384), (1, 0, 2))                                                     \
    X("reverse-3d", 4, 3, (384, 512, 640), (2, 1, 0))                                                        \
    X("reverse-3d-odd", 4, 3, (397, 503, 401), (2, 1, 0))                                                    \
    X("batched-transpose", 4, 3, (64, 1000, 1536), (0, 2, 1))                                                \
    X("rotate-3d-f64", 8, 3, (400, 500, 320), (2, 0, 1))                                                     \
    X("heads-128", 2, 4, (16, 2048, 32, 128), (0, 2, 1, 3))                                                  \
    X("heads-80", 2, 4, (24, 2000, 20, 80), (0, 2, 1, 3))                                                    \
    X("nchw-nhwc", 2, 4, (64, 256, 64, 96), (0, 2, 3, 1))                                                    \
    X("nhwc-nchw", 4, 4, (64, 112, 112, 96), (0, 3, 1, 2))                                                   \
    X("reverse-4d", 4, 4, (96, 112, 100, 80), (3, 2, 1, 0))                                                  \
    X("2130-f64", 8, 4, (80, 90, 72, 100), (2, 1, 3, 0))                                                     \
    X("2130-odd", 4, 4, (101, 83, 97, 103), (2, 1, 3, 0))                                                    \
    X("3102-f16", 2, 4, (128, 120, 96, 80), (3, 1, 0, 2))                                                    \
    X("reverse-5d", 4, 5, (40, 36, 44, 32, 48), (4, 3, 2, 1, 0))                                             \
    X("24130-f16", 2, 5, (48, 40, 36, 44, 42), (2, 4, 1, 3, 0))                                              \
    X("41203-f64-odd", 8, 5, (31, 37, 41, 35, 33), (4, 1, 2, 0, 3))                                          \
    X("reverse-6d", 4, 6, (22, 20, 24, 18, 20, 26), (5, 4, 3, 2, 1, 0))                                      \
    X("230451", 4, 6, (24, 20, 22, 18, 26, 20), (2, 3, 0, 4, 5, 1))                                          \
    X("windows", 2, 6, (128, 16, 7, 16, 7, 96), (0, 1, 3, 2, 4, 5))                                          \
    X("patches", 2, 6, (512, 3, 14, 16, 14, 16), (0, 2, 4, 3, 5, 1))

#endif
