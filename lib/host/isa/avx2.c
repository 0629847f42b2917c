#include "lib/host/isa/all.h"

const struct wl__host_kernels wl__host_avx2 = WL_TABLE("avx2");
