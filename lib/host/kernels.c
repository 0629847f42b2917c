#include "lib/host/kernels.h"

#include <string.h>

#include "lib/host/lines.h"

const struct wl__host_kernels *wl__host_kernels_at(unsigned i) {
    const struct wl__host_kernels *found[3] = {&wl__host_default};
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        found[1] = &wl__host_avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            found[2] = &wl__host_avx512;
    }
#endif
    return i < 3 ? found[i] : NULL;
}

const struct wl__host_kernels *wl__host_kernels(void) {
    const struct wl__host_kernels *best = NULL, *next;
    for (unsigned i = 0; (next = wl__host_kernels_at(i)); i++)
        best = next;
    return best;
}

void wl__host_stream(unsigned char *to, const unsigned char *from, uint64_t bytes) {
    const uint64_t head = -(uintptr_t)to % WL_HOST_LINE;
    uint64_t done = bytes < head ? bytes : head;
    memcpy(to, from, done);
    for (; done + WL_HOST_LINE <= bytes; done += WL_HOST_LINE)
        wl__host_stream_line(to + done, from + done);
    memcpy(to + done, from + done, bytes - done);
}

void wl__host_stream_end(void) {
#ifdef __SSE2__
    _mm_sfence();
#endif
}
