// Barriers.

CASE half_a_warp(int *a, int *b, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = n;
    if (!bug || threadIdx.x < 16)
        __syncthreads(); // at
    a[threadIdx.x] = s[threadIdx.x];
}
PAIR(half_a_warp)

// (CUDA and compute-sanitizer require the condition to be the same in the whole block.)
CASE barrier_on_both_sides(int *a, int *b, int n) {
    if (bug ? threadIdx.x % 2 : n < 32) {
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

CASE shuffle_from_exited(int *a, int *b, int n) {
    if (threadIdx.x >= 20)
        return;
    int value = b[threadIdx.x];
    value += __shfl_down_sync(bug ? 0xffffffff : 0xfffff, value, 1); // at
    a[thread()] = value;
}
PAIR(shuffle_from_exited)

CASE shuffle_from_absent(int *a, int *b, int n) {
    int value = b[threadIdx.x];
    a[threadIdx.x] = __shfl_sync(0xffffffff, value, threadIdx.x + 1, bug ? 32 : 16); // at
}
PAIR(shuffle_from_absent)

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
    asm volatile("bar.sync 1, %0;" ::"r"(bug && threadIdx.x >= 32 ? 96 : 64) : "memory"); // at
    a[threadIdx.x] = 1;
}
PAIR(barrier_counts_differ)
