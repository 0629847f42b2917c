/* Bytes that are transposed by words: what transpose_group_panels.cu and transpose_group_pieces.cu share. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_GROUPS_CUH
#define WIDELOAD_KERNELS_TRANSPOSE_GROUPS_CUH

#define WL_WIDTH 1
#include "lib/transpose/transpose_groups.h"
#include "lib/transpose/transpose_tile.cuh"

/* All shared memory. */
extern __shared__ __align__(128) char shared[];

/* Words at addresses of shared memory: with the array above, each access would add its beginning. */
static __device__ __forceinline__ uint32_t word_at(uint32_t address) {
    uint32_t word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
    return word;
}

static __device__ __forceinline__ void put_word(uint32_t address, uint32_t word) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(word) : "memory");
}

static __device__ __forceinline__ uint32_t shared_address(uint32_t place) {
    return (uint32_t)__cvta_generic_to_shared(shared + place);
}

/* A lane's next step: the addresses of the words in which its rows begin, and where in these. */
struct rows {
    uint32_t at[4], bits[4];
};

static __device__ __forceinline__ void begin_row(struct rows &rows, int i, uint32_t address) {
    rows.at[i] = address & ~3u;
    rows.bits[i] = address * 8;
}

/* Takes rows' words, transposes them, and goes on by so many bytes.  aligned: they begin at words. */
template <bool aligned>
static __device__ __forceinline__ void take(uint32_t (&words)[4], struct rows &rows, uint32_t step) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        words[i] = aligned ? word_at(rows.at[i])
                           : __funnelshift_r(word_at(rows.at[i]), word_at(rows.at[i] + 4), rows.bits[i]);
        rows.at[i] += step;
    }
    wl_transpose_group(words);
}

/* The lane's task number `task`: its unit, and which of the unit's tasks it is. */
static __device__ __forceinline__ uint32_t part_of(const wl_group_lanes &lanes, uint32_t task,
                                                   uint32_t *unit) {
    const uint32_t high = wl_divide(task >> lanes.beside, lanes.by_units, unit);
    return (high << lanes.beside) + (task & ((1u << lanes.beside) - 1));
}

#endif
