// Each section is one planted bug and its clean twin: the same code, where `bug` says which.  "at" marks the
// line that the finding has to name, "other" that of the second access.  test_bugs.c says how they are run:
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

// ---------------------------------------------------------------- memory

CASE store_past_end(int *a, int *b, int n) {
    int i = thread();
    if (bug ? i <= n : i < n)
        a[i] = 1; // at
}
PAIR(store_past_end)

CASE load_before_start(int *a, int *b, int n) {
    int i = thread();
    if (bug || i > 0)
        a[i] = b[i - 1]; // at
}
PAIR(load_before_start)

CASE load_last_block(int *a, int *b, int n) {
    int i = thread();
    if (bug || i + 7 < n)
        a[i] = b[i + 7]; // at
}
PAIR(load_last_block)

CASE misaligned_store(int *a, int *b, int n) {
    int i = threadIdx.x;
    *(long long *)(a + 2 * i + (bug ? 1 : 0)) = i; // at
}
PAIR(misaligned_store)

CASE null_store(int *a, int *b, int n) {
    int *p = bug && threadIdx.x == 5 ? (int *)(size_t)b[0] : a + threadIdx.x;
    *p = 1; // at
}
PAIR(null_store)

CASE use_after_free(int *a, int *b, int n) {
    a[threadIdx.x] = b[threadIdx.x]; // at
}
PAIR(use_after_free)

CASE vector_tail(int *a, int *b, int n) {
    int i = threadIdx.x;
    if (bug ? 4 * i < n : 4 * i + 3 < n) {
        int4 v = *(int4 *)(b + 4 * i); // at
        atomicAdd(a, v.x + v.y + v.z + v.w);
    }
}
PAIR(vector_tail)

CASE atomic_past_end(int *a, int *b, int n) {
    atomicAdd(&a[bug ? n + threadIdx.x / 32 : threadIdx.x], 1); // at
}
PAIR(atomic_past_end)

CASE shared_past_end(int *a, int *b, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    s[i] = i;
    __syncwarp();
    a[i] = s[bug ? i + 1 : 31 - i]; // at
}
PAIR(shared_past_end)

CASE shared_dynamic_past_end(int *a, int *b, int n) {
    extern __shared__ int dynamic[];
    int i = threadIdx.x;
    dynamic[bug && i == 31 ? 32 : i] = 1; // at
    a[i] = i < 31 ? dynamic[i] : 0;
}
PAIR(shared_dynamic_past_end)

// From the static part into the gap before the dynamic one.
CASE shared_static_to_dynamic(int *a, int *b, int n) {
    extern __shared__ int dynamic[];
    __shared__ int s[16];
    dynamic[threadIdx.x] = 2;
    s[bug ? threadIdx.x : threadIdx.x % 16] = 1; // at
    __syncwarp();
    a[threadIdx.x] = s[threadIdx.x % 16] + dynamic[threadIdx.x];
}
PAIR(shared_static_to_dynamic)

CASE shared_misaligned(int *a, int *b, int n) {
    __shared__ __align__(16) int s[65];
    s[2 * threadIdx.x + (bug ? 1 : 0)] = 1;
    s[2 * threadIdx.x + (bug ? 2 : 1)] = 1;
    a[threadIdx.x] = (int)*(long long *)(s + 2 * threadIdx.x + (bug ? 1 : 0)); // at
}
PAIR(shared_misaligned)

CASE local_past_end(int *a, int *b, int n) {
    int x[8];
    for (int i = 0; i < 8; i++)
        x[i] = b[i];
    a[threadIdx.x] = x[bug ? b[threadIdx.x] + n : threadIdx.x % 8]; // at
}
PAIR(local_past_end)

// ---------------------------------------------------------------- races on shared memory

CASE missing_barrier(int *a, int *b, int n) {
    __shared__ int s[128];
    int i = threadIdx.x;
    s[i] = b[i]; // other
    if (!bug)
        __syncthreads();
    a[i] = s[127 - i]; // at
}
PAIR(missing_barrier)

// A loop needs a barrier after the reads, too.
CASE missing_second_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x, sum = 0;
    for (int step = 0; step < n; step += 64) {
        s[i] = b[step + i]; // at
        __syncthreads();
        sum += s[63 - i]; // other
        if (!bug)
            __syncthreads();
    }
    a[i] = sum;
}
PAIR(missing_second_barrier)

CASE all_write_one(int *a, int *b, int n) {
    __shared__ int s;
    if (bug || threadIdx.x == 7)
        s = threadIdx.x; // at other
    __syncthreads();
    a[threadIdx.x] = s;
}
PAIR(all_write_one)

CASE warps_write_one(int *a, int *b, int n) {
    __shared__ int s;
    if (threadIdx.x % 32 == 0 && (bug || threadIdx.x == 0))
        s = threadIdx.x; // at other
    __syncthreads();
    a[threadIdx.x] = s;
}
PAIR(warps_write_one)

CASE missing_syncwarp(int *a, int *b, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    s[i] = i; // other
    if (!bug)
        __syncwarp();
    a[i] = s[i ^ 1]; // at
}
PAIR(missing_syncwarp)

// One lane's store is read by all.
CASE broadcast_without_barrier(int *a, int *b, int n) {
    __shared__ int s;
    if (threadIdx.x == 0)
        s = n; // other
    if (!bug)
        __syncwarp();
    a[threadIdx.x] = s; // at
}
PAIR(broadcast_without_barrier)

CASE named_barrier_too_small(int *a, int *b, int n) {
    __shared__ int s[128];
    int i = threadIdx.x;
    s[i] = i; // other
    if (i < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    a[i] = s[bug ? (i + 64) % 128 : i ^ 32]; // at
}
PAIR(named_barrier_too_small)

CASE histogram_not_cleared_in_time(int *a, int *b, int n) {
    __shared__ int bins[64];
    int i = threadIdx.x;
    if (i < 64)
        bins[i] = 0; // other
    if (!bug)
        __syncthreads();
    atomicAdd(&bins[b[i] & 63], 1); // at
    __syncthreads();
    if (i < 64)
        a[i] = bins[i];
}
PAIR(histogram_not_cleared_in_time)

CASE histogram_read_too_soon(int *a, int *b, int n) {
    __shared__ int bins[64];
    int i = threadIdx.x;
    if (i < 64)
        bins[i] = 0;
    __syncthreads();
    atomicAdd(&bins[b[i] & 63], 1); // at
    if (!bug)
        __syncthreads();
    if (i < 64)
        a[i] = bins[i]; // other
}
PAIR(histogram_read_too_soon)

CASE bytes_of_a_word(int *a, int *b, int n) {
    __shared__ unsigned char s[128];
    int i = threadIdx.x;
    s[i] = (unsigned char)i;                          // other
    a[i] = s[bug && i % 4 == 3 ? (i + 64) % 128 : i]; // at
}
PAIR(bytes_of_a_word)

// ---------------------------------------------------------------- races on global memory

CASE blocks_write_one(int *a, int *b, int n) {
    if (threadIdx.x == 0)
        a[bug ? 0 : blockIdx.x] = blockIdx.x; // at other
}
PAIR(blocks_write_one)

CASE in_place_across_blocks(int *a, int *b, int n) {
    int i = thread();
    int left = (bug ? a : b)[i ? i - 1 : 0]; // other
    __syncthreads();
    a[i] = left; // at
}
PAIR(in_place_across_blocks)

CASE global_without_barrier(int *a, int *b, int n) {
    int i = threadIdx.x;
    a[i] = i; // other
    if (!bug)
        __syncthreads();
    b[i] = a[i ^ 32]; // at
}
PAIR(global_without_barrier)

// The last block adds up what the others left: they need a fence before they say that they are done.
CASE last_block_without_fence(int *a, int *b, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        a[1 + blockIdx.x] = blockIdx.x; // other
        if (!bug)
            __threadfence();
        last = atomicAdd(&a[0], 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        if (threadIdx.x == 0)
            a[0] = 0;
        if (threadIdx.x < gridDim.x)
            b[threadIdx.x] = a[1 + threadIdx.x]; // at
    }
}
PAIR(last_block_without_fence)

CASE reads_what_another_block_writes(int *a, int *b, int n) {
    int i = thread();
    a[i] = i;                                                        // at
    b[i] = a[bug ? (i + blockDim.x) % (gridDim.x * blockDim.x) : i]; // other
}
PAIR(reads_what_another_block_writes)

// ---------------------------------------------------------------- what nobody wrote

CASE unwritten_global(int *a, int *b, int n) {
    a[threadIdx.x] = b[threadIdx.x]; // at
}
PAIR(unwritten_global)

CASE unwritten_last(int *a, int *b, int n) {
    int i = threadIdx.x;
    if (i < n - (bug ? 1 : 0))
        b[i] = i;
    __syncthreads();
    a[i] = b[n - 1 - i]; // at
}
PAIR(unwritten_last)

CASE unwritten_counter(int *a, int *b, int n) {
    if (!bug && threadIdx.x == 0)
        b[0] = 0;
    __syncthreads();
    atomicAdd(b, 1); // at
}
PAIR(unwritten_counter)

CASE unwritten_shared(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i % 2 == 0 || !bug)
        s[i] = i;
    __syncthreads();
    a[i] = s[63 - i]; // at
}
PAIR(unwritten_shared)

CASE unwritten_local(int *a, int *b, int n) {
    int x[16];
    for (int i = 0; i < (bug ? 8 : 16); i++)
        x[i] = b[i];
    a[threadIdx.x] = x[b[threadIdx.x] & 15]; // at
}
PAIR(unwritten_local)

// ---------------------------------------------------------------- barriers

CASE half_a_warp(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = n;
    if (!bug || threadIdx.x < 16)
        __syncthreads(); // at
    a[threadIdx.x] = s[threadIdx.x];
}
PAIR(half_a_warp)

CASE barrier_on_both_sides(int *a, int *b, int n) {
    if (bug ? threadIdx.x % 2 : threadIdx.x / 32) {
        a[threadIdx.x] = 1;
        __syncthreads(); // other
        b[threadIdx.x] = 2;
    } else {
        a[threadIdx.x] = 3;
        __syncthreads(); // at
        b[threadIdx.x] = 4;
    }
}
PAIR(barrier_on_both_sides)

CASE trip_counts_differ(int *a, int *b, int n) {
    int trips = bug ? 1 + threadIdx.x % 4 : 4, sum = 0;
#pragma unroll 1
    for (int i = 0; i < trips; i++) {
        sum += b[i];
        __syncthreads(); // at
    }
    a[threadIdx.x] = sum;
}
PAIR(trip_counts_differ)

CASE mask_without_lane(int *a, int *b, int n) {
    unsigned mask = bug ? 0xffff : 0xffffffff;
    __syncwarp(mask); // at
    a[threadIdx.x] = 1;
}
PAIR(mask_without_lane)

CASE shuffle_without_lane(int *a, int *b, int n) {
    int value = b[threadIdx.x];
    if (threadIdx.x < 8)
        a[threadIdx.x] = __shfl_xor_sync(bug ? 0x7f : 0xff, value, 1); // at
}
PAIR(shuffle_without_lane)

CASE syncwarp_in_a_branch(int *a, int *b, int n) {
    int sum = b[threadIdx.x];
    if (threadIdx.x < 16) {
        sum += b[threadIdx.x + 16];
        __syncwarp(bug ? 0xffffffff : 0xffff); // at
        sum += a[threadIdx.x];
    }
    a[threadIdx.x] = sum;
}
PAIR(syncwarp_in_a_branch)

CASE barrier_nobody_joins(int *a, int *b, int n) {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, %0;" ::"r"(bug ? 64 : 32) : "memory"); // at
    a[threadIdx.x] = 1;
    __syncthreads();
    b[threadIdx.x] = 1;
}
PAIR(barrier_nobody_joins)

CASE barrier_counts_differ(int *a, int *b, int n) {
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 1, %0;" ::"r"(bug ? 96 : 64) : "memory"); // at
    a[threadIdx.x] = 1;
}
PAIR(barrier_counts_differ)
