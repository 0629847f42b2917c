// Accesses to another block's shared memory: one per kernel, by one warp of a cluster of four blocks.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

static __device__ unsigned map(unsigned address, unsigned rank) {
    unsigned mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}

static __device__ void meet() {
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

// BODY runs in the first block; the value left in v is used.
#define KERNEL(NAME, ...)                                                                                    \
    __global__ void __cluster_dims__(4, 1, 1) NAME(unsigned *out) {                                          \
        __shared__ __align__(128) unsigned s[2048];                                                          \
        __shared__ unsigned long long object;                                                                \
        unsigned rank = cg::this_cluster().block_rank(), t = threadIdx.x, v[4] = {t, t, 1, 2};               \
        unsigned own = (unsigned)__cvta_generic_to_shared(s), far = map(own, rank ^ 1);                      \
        unsigned farther = map(own, rank ^ 2);                                                               \
        unsigned barrier = (unsigned)__cvta_generic_to_shared(&object),                                      \
                 far_barrier = map(barrier, rank ^ 1);                                                       \
        if (t == 0)                                                                                          \
            asm volatile("mbarrier.init.shared.b64 [%0], 1000;" ::"r"(barrier) : "memory");                  \
        meet();                                                                                              \
        if (rank == 0) {                                                                                     \
            __VA_ARGS__;                                                                                     \
        }                                                                                                    \
        meet();                                                                                              \
        if (v[0] == 0x12345)                                                                                 \
            out[0] = v[0] + v[1] + v[2] + v[3] + farther + far_barrier;                                      \
    }

#define LOAD(NAME, ADDRESS)                                                                                  \
    KERNEL(NAME, asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v[0]) : "r"(ADDRESS)))
#define STORE(NAME, ADDRESS)                                                                                 \
    KERNEL(NAME, asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(ADDRESS), "r"(t)))

LOAD(ld_row, far + 4 * t)
LOAD(ld_shift4, far + 4 * t + 4)
LOAD(ld_stride2, far + 8 * t)
LOAD(ld_stride8, far + 32 * t)
LOAD(ld_stride32, far + 128 * t)
LOAD(ld_broadcast, far)
LOAD(ld_two_words, far + 128 * (t & 1))
LOAD(ld_two_blocks, (t & 1 ? far : farther) + 4 * t)
LOAD(ld_two_blocks_halves, (t & 16 ? far : farther) + 4 * t)
LOAD(ld_own_and_far, (t & 1 ? far : own) + 4 * t)
KERNEL(ld_half_warp, if (t < 16) asm volatile("ld.shared::cluster.u32 %0, [%1];"
                                              : "=r"(v[0])
                                              : "r"(far + 4 * t)))
KERNEL(ld_v2, asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];"
                           : "=r"(v[0]), "=r"(v[1])
                           : "r"(far + 8 * t)))
KERNEL(ld_v4, asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                           : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                           : "r"(far + 16 * t)))
KERNEL(ld_u64_stride2, unsigned long long wide; asm volatile("ld.shared::cluster.u64 %0, [%1];"
                                                             : "=l"(wide)
                                                             : "r"(far + 16 * t));
       v[0] = wide)
KERNEL(ld_u8, asm volatile("ld.shared::cluster.u8 %0, [%1];" : "=r"(v[0]) : "r"(far + t)))
STORE(st_row, far + 4 * t)
STORE(st_shift4, far + 4 * t + 4)
STORE(st_stride2, far + 8 * t)
STORE(st_stride8, far + 32 * t)
STORE(st_stride32, far + 128 * t)
STORE(st_same, far)
KERNEL(st_v4, asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(far + 16 * t), "r"(t)))
KERNEL(atom_row, asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;"
                              : "=r"(v[0])
                              : "r"(far + 4 * t), "r"(t)))
KERNEL(atom_two_words, asm volatile("atom.shared::cluster.exch.b32 %0, [%1], %2;"
                                    : "=r"(v[0])
                                    : "r"(far + (t & 1) * 4), "r"(t)))
KERNEL(red_row, asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(far + 4 * t), "r"(t)))
KERNEL(red_stride8, asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(far + 32 * t), "r"(t)))
KERNEL(arrive, asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(far_barrier)))
KERNEL(st_async,
       asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                        far + 4 * t),
                    "r"(t), "r"(far_barrier)))
KERNEL(
    st_async_v4,
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, "
                 "[%2];" ::"r"(far + 16 * t),
                 "r"(t), "r"(far_barrier)))

int main() {
    unsigned *out;
    if (cudaMalloc(&out, sizeof *out))
        return 1;
    void (*const kernels[])(unsigned *) = {
        ld_row,       ld_shift4,    ld_stride2,    ld_stride8,           ld_stride32,
        ld_broadcast, ld_two_words, ld_two_blocks, ld_two_blocks_halves, ld_own_and_far,
        ld_half_warp, ld_v2,        ld_v4,         ld_u64_stride2,       ld_u8,
        st_row,       st_shift4,    st_stride2,    st_stride8,           st_stride32,
        st_same,      st_v4,        atom_row,      atom_two_words,       red_row,
        red_stride8,  arrive,       st_async,      st_async_v4};
    for (auto kernel : kernels)
        kernel<<<4, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(out);
}
