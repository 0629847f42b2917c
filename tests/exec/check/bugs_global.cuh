// Races on global memory.

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

// The last block adds up the others' results: they need a fence before they report that they are done.
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

CASE lanes_write_one_global(int *a, int *b, int n) {
    a[bug ? 0 : threadIdx.x] = threadIdx.x + 1; // at other
}
PAIR(lanes_write_one_global)

CASE bytes_of_neighbouring_blocks(int *a, int *b, int n) {
    if (threadIdx.x == 0)
        ((unsigned char *)a)[bug ? blockIdx.x / 2 : blockIdx.x] = (unsigned char)(blockIdx.x + 1); // at other
}
PAIR(bytes_of_neighbouring_blocks)

// The same with whole rows: 32 contiguous words, written by a warp's 32 lanes.
CASE blocks_write_one_row(int *a, int *b, int n) {
    a[bug ? threadIdx.x : thread()] = blockIdx.x; // at other
}
PAIR(blocks_write_one_row)

CASE global_row_of_another_warp(int *a, int *b, int n) {
    int i = threadIdx.x;
    a[i] = i; // other
    if (!bug)
        __syncthreads();
    b[i] = a[(i + 32) % 128]; // at
}
PAIR(global_row_of_another_warp)

CASE global_without_syncwarp(int *a, int *b, int n) {
    int i = threadIdx.x;
    a[i] = i; // other
    if (!bug)
        __syncwarp();
    b[i] = a[i ^ 1]; // at
}
PAIR(global_without_syncwarp)

CASE word_of_anothers_row(int *a, int *b, int n) {
    int i = thread();
    a[i] = i; // at
    if (threadIdx.x == 3)
        b[blockIdx.x] = a[bug ? (i + 64) % n : i]; // other
}
PAIR(word_of_anothers_row)

CASE vectors_over_rows(int *a, int *b, int n) {
    int i = threadIdx.x;
    if (i < 32)
        ((int4 *)a)[i] = make_int4(i, i, i, i); // other
    if (!bug)
        __syncthreads();
    b[i] = a[i]; // at
}
PAIR(vectors_over_rows)

CASE row_stored_over_vectors(int *a, int *b, int n) {
    int i = threadIdx.x;
    if (i < 32) {
        int4 v = ((int4 *)a)[i]; // other
        b[i] = v.x + v.y + v.z + v.w;
    }
    if (!bug)
        __syncthreads();
    a[i] = i + 1; // at
}
PAIR(row_stored_over_vectors)
