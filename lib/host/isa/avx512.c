#include "lib/host/isa/all.h"

const struct wl__host_kernels wl__host_avx512 = WL_TABLE("avx512");
