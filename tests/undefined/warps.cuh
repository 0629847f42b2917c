/* Lanes that a .sync instruction names but that are elsewhere. */
#include "case.h"

/* Each lane's value. */
static __device__ unsigned mine(void) {
    return 100 + T;
}

/* The other lanes go to the end of the kernel. */
KERNEL(shuffle_half) {
    unsigned v = mine();
    if (T < 16)
        v = __shfl_xor_sync(0xffffffffu, v, a);
    o[T] = v;
}

/* A load before the shuffle prevents ptxas from using predicates. */
KERNEL(shuffle_half_far) {
    volatile unsigned *far = o;
    unsigned v = mine();
    if (T < 16) {
        for (int i = 0; i < b; i++)
            v += far[i] == 0;
        v = __shfl_xor_sync(0xffffffffu, v, a);
        for (int i = 0; i < b; i++)
            v += far[i] == 0;
    }
    o[T] = v;
}

KERNEL(shuffle_two_places) {
    volatile unsigned *far = o;
    unsigned v = mine();
    if (T < 16) {
        for (int i = 0; i < b; i++)
            v += far[i] == 0;
        v = __shfl_xor_sync(0xffffffffu, v, a);
    } else {
        for (int i = 0; i < b + 1; i++)
            v += far[i] == 0;
        v = 1000 + __shfl_xor_sync(0xffffffffu, v, 1);
    }
    o[T] = v;
}

/* Each half loops a different number of times, and shuffles once more after its loop. */
KERNEL(shuffle_trips) {
    unsigned v = mine();
    int trips = T < 16 ? a : b;
    for (int i = 0; i < trips; i++)
        v += __shfl_xor_sync(0xffffffffu, v, 1);
    v += __shfl_xor_sync(0xffffffffu, v, 2);
    o[T] = v;
}

KERNEL(shuffle_trips_each) {
    unsigned v = mine();
    for (int i = 0; i < T % 4; i++)
        v += __shfl_xor_sync(0xffffffffu, v, 1);
    o[T] = v;
}

/* The rows of a matrix, one half-warp per row, as jaccard of HeCBench sums them. */
KERNEL(shuffle_rows) {
    unsigned sum = 0, last;
    int x = T % 16, n = T < 16 ? a : b;
    for (int i = x; i < (n + 15) / 16 * 16; i += 16) {
        last = __shfl_sync(0xffffffffu, sum, 15, 16);
        sum = i < n ? i + 1 : 0;
        for (int j = 1; j < 16; j *= 2) {
            unsigned v = __shfl_up_sync(0xffffffffu, sum, j, 16);
            if (x >= j)
                sum += v;
        }
        sum += last;
    }
    o[T] = __shfl_sync(0xffffffffu, sum, 15, 16);
}

/* The other lanes wait at the block's barrier. */
KERNEL(shuffle_before_barrier) {
    unsigned v = mine();
    if (T < 16)
        v = __shfl_xor_sync(0xffffffffu, v, a);
    __syncthreads();
    o[T] = v;
}

KERNEL(shuffle_or_barrier) {
    unsigned v = mine();
    if (T < 16)
        v = __shfl_xor_sync(0xffffffffu, v, a);
    else
        __syncthreads();
    o[T] = v;
}

KERNEL(shuffle_or_syncwarp) {
    volatile unsigned *far = o;
    unsigned v = mine();
    if (T < 16) {
        v = __shfl_xor_sync(0xffffffffu, v, a);
        far[T + 64] = v;
    } else {
        far[T + 64] = 1;
        __syncwarp();
        far[T + 96] = 2;
    }
    o[T] = v;
}

/* The others wait in a loop for something after the shuffle. */
KERNEL(shuffle_awaited) {
    volatile unsigned *flag = o + 200;
    unsigned v = mine();
    if (T == 0)
        *flag = 0;
    __syncwarp();
    if (T < 16) {
        v = __shfl_xor_sync(0xffffffffu, v, a);
        *flag = 1;
    } else {
        while (!*flag)
            ;
    }
    o[T] = v;
}

KERNEL(shuffle_mask) {
    unsigned v = mine();
    if (T < 16)
        v = __shfl_xor_sync((unsigned)a, v, b);
    o[T] = v;
}
KERNEL(shuffle_mask_barrier) {
    unsigned v = mine();
    if (T < 16)
        v = __shfl_xor_sync((unsigned)a, v, b);
    __syncthreads();
    o[T] = v;
}
KERNEL(shuffle_constant_24_barrier) {
    unsigned v = mine();
    if (T < 16)
        v = __shfl_xor_sync(0x00ffffffu, v, a);
    __syncthreads();
    o[T] = v;
}
KERNEL(shuffle_constant_others) {
    unsigned v = mine();
    if (T < 16)
        v = __shfl_xor_sync(0xffff0000u, v, a);
    o[T] = v;
}
/* All lanes are present, but some of them are not in the mask. */
KERNEL(shuffle_constant_low) {
    o[T] = __shfl_xor_sync(0x0000ffffu, mine(), a);
}
KERNEL(shuffle_exited) {
    unsigned v = mine();
    if (T >= 16)
        return;
    o[T] = __shfl_xor_sync(0xffffffffu, v, a);
}
KERNEL(shuffle_index) {
    o[T] = __shfl_sync(0xffffffffu, mine(), (int)(T + a), b);
}

#define IN_HALF(name, expression)                                                                            \
    KERNEL(name##_half) {                                                                                    \
        unsigned v = mine();                                                                                 \
        if (T < 16)                                                                                          \
            v = (expression);                                                                                \
        o[T] = v;                                                                                            \
    }                                                                                                        \
    KERNEL(name##_barrier) {                                                                                 \
        unsigned v = mine();                                                                                 \
        if (T < 16)                                                                                          \
            v = (expression);                                                                                \
        __syncthreads();                                                                                     \
        o[T] = v;                                                                                            \
    }                                                                                                        \
    KERNEL(name##_two) {                                                                                     \
        volatile unsigned *far = o;                                                                          \
        unsigned v = mine();                                                                                 \
        if (T < 16) {                                                                                        \
            for (int i = 0; i < a; i++)                                                                      \
                v += far[i] == 0;                                                                            \
            v = (expression);                                                                                \
        } else {                                                                                             \
            for (int i = 0; i < a + 1; i++)                                                                  \
                v += far[i] == 0;                                                                            \
            v = 1000 + (expression);                                                                         \
        }                                                                                                    \
        o[T] = v;                                                                                            \
    }                                                                                                        \
    KERNEL(name##_trips) {                                                                                   \
        unsigned v = mine(), sum = 0;                                                                        \
        int trips = T < 16 ? a : b;                                                                          \
        for (int i = 0; i < trips; i++)                                                                      \
            sum += (expression);                                                                             \
        o[T] = sum * 10000 + (expression);                                                                   \
    }                                                                                                        \
    KERNEL(name##_exited) {                                                                                  \
        unsigned v = mine();                                                                                 \
        if (T >= 16)                                                                                         \
            return;                                                                                          \
        o[T] = (expression);                                                                                 \
    }

static __device__ unsigned match_all(unsigned v) {
    int all;
    unsigned lanes = __match_all_sync(0xffffffffu, v, &all);
    return lanes + all;
}
static __device__ unsigned elect(void) {
    unsigned lane, elected;
    asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p;}"
                 : "=r"(lane), "=r"(elected));
    return lane + 50 * elected;
}
static __device__ unsigned syncwarp(void) {
    __syncwarp();
    return 5;
}
IN_HALF(ballot, __ballot_sync(0xffffffffu, v % 2))
IN_HALF(any, __any_sync(0xffffffffu, v > 115))
IN_HALF(all, __all_sync(0xffffffffu, v < 116))
IN_HALF(match_any, __match_any_sync(0xffffffffu, v / 4))
IN_HALF(match_all, match_all(v / 16))
IN_HALF(reduce, __reduce_add_sync(0xffffffffu, v))
IN_HALF(elect, elect())
IN_HALF(syncwarp, syncwarp())
IN_HALF(activemask, __activemask())

KERNEL(ballot_low) {
    o[T] = __ballot_sync(0x0000ffffu, 1);
}
KERNEL(ballot_mask) {
    o[T] = __ballot_sync((unsigned)a, 1);
}
KERNEL(reduce_low) {
    o[T] = __reduce_add_sync(0x0000ffffu, mine());
}
KERNEL(match_any_low) {
    o[T] = __match_any_sync(0x0000ffffu, mine() / 4);
}
KERNEL(syncwarp_low) {
    __syncwarp(0x0000ffffu);
    o[T] = 3;
}
KERNEL(syncwarp_mask) {
    __syncwarp((unsigned)a);
    o[T] = 3;
}
KERNEL(syncwarp_masks) {
    volatile unsigned *far = o;
    if (T < 16) {
        far[T] = 1;
        __syncwarp((unsigned)a);
        far[T + 32] = 2;
    } else {
        far[T] = 3;
        __syncwarp((unsigned)b);
        far[T + 32] = 4;
    }
}
