// Each section is one planted bug and its clean twin: the same code, where `bug` says which.  "at" marks the
// line that the finding must name, "other" marks the line of the second access.  test_bugs.c runs them:
// a and b have n elements each.
#define PAIR(name)                                                                                           \
    extern "C" __global__ void bug_##name(int *a, int *b, int n) {                                           \
        name<true>(a, b, n);                                                                                 \
    }                                                                                                        \
    extern "C" __global__ void ok_##name(int *a, int *b, int n) {                                            \
        name<false>(a, b, n);                                                                                \
    }
#define CASE template <bool bug> static __device__ __forceinline__ void

static __device__ __forceinline__ int thread() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

#include "bugs_async.cuh"
#include "bugs_cluster.cuh"
#include "bugs_global.cuh"
#include "bugs_init.cuh"
#include "bugs_memory.cuh"
#include "bugs_race.cuh"
#include "bugs_sync.cuh"
