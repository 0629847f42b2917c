// Races on shared memory.

CASE missing_barrier(int *a, int *b, int n) {
    __shared__ int s[128];
    int i = threadIdx.x;
    s[i] = b[i]; // other
    if (!bug)
        __syncthreads();
    a[i] = s[127 - i]; // at
}
PAIR(missing_barrier)

// A loop also needs a barrier after the reads.
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

// All lanes read one lane's store.
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

// The tiled matrix product with a common mistake.
CASE tile_without_second_barrier(int *a, int *b, int n) {
    __shared__ int tile_a[16][16], tile_b[16][16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16, sum = 0;
    for (int step = 0; step < n; step += 256) {
        tile_a[y][x] = b[step + threadIdx.x]; // at
        tile_b[x][y] = step;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += tile_a[y][i] * (bug ? tile_a[i][x] : tile_b[i][x]); // other
        if (!bug)
            __syncthreads();
    }
    a[threadIdx.x] = sum;
}
PAIR(tile_without_second_barrier)

CASE warp_reads_next_row(int *a, int *b, int n) {
    __shared__ int s[128];
    int i = threadIdx.x;
    s[i] = b[i]; // other
    if (!bug)
        __syncthreads();
    a[i] = s[(i + 32) % 128]; // at
}
PAIR(warp_reads_next_row)

// One thread overwrites a value that all must read first.
CASE written_after_all_read(int *a, int *b, int n) {
    __shared__ int s;
    if (threadIdx.x == 0)
        s = n;
    __syncthreads();
    int value = s; // other
    if (!bug)
        __syncthreads();
    if (threadIdx.x == 96)
        s = value + 1; // at
    __syncthreads();
    a[threadIdx.x] = value + s;
}
PAIR(written_after_all_read)

CASE lane_overwrites_what_its_warp_reads(int *a, int *b, int n) {
    __shared__ int s;
    if (threadIdx.x == 0)
        s = n;
    __syncwarp();
    int value = s; // other
    if (!bug)
        __syncwarp();
    if (threadIdx.x == 5)
        s = value + 1; // at
    __syncwarp();
    a[threadIdx.x] = value + s;
}
PAIR(lane_overwrites_what_its_warp_reads)

// Two warps read a row, and a third warp writes it.
CASE third_warp_writes(int *a, int *b, int n) {
    __shared__ int s[32];
    int i = threadIdx.x, lane = i % 32;
    if (i < 32)
        s[lane] = b[lane];
    __syncthreads();
    int value = i < 64 ? s[lane] : 0; // other
    if (!bug)
        __syncthreads();
    if (i >= 64)
        s[lane] = value + lane + 1; // at
    __syncthreads();
    a[i] = value + s[lane];
}
PAIR(third_warp_writes)

// The writer waits for only one of two readers.
CASE writer_waits_for_one_reader(int *a, int *b, int n) {
    __shared__ int s[32];
    int i = threadIdx.x, lane = i % 32;
    if (i < 32)
        s[lane] = b[lane];
    __syncthreads();
    int value = i < 64 ? s[lane] : 0; // other
    if (i < 32 || i >= 64 || !bug)
        asm volatile("bar.sync 1, %0;" ::"r"(bug ? 64 : 96) : "memory");
    if (i >= 64)
        s[lane] = value + lane + 1; // at
    __syncthreads();
    a[i] = value + s[lane];
}
PAIR(writer_waits_for_one_reader)

CASE byte_of_anothers_word(int *a, int *b, int n) {
    __shared__ int s[32];
    int i = threadIdx.x, value = 0;
    if (i < 32)
        s[i] = b[i]; // other
    if (!bug)
        __syncthreads();
    if (i >= 32)
        value = ((unsigned char *)s)[4 * (i - 32) + 3]; // at
    a[i] = value;
}
PAIR(byte_of_anothers_word)

// Halves of words: sharing a word with a neighbour is fine, a third thread's half is not.
CASE halves_overlap(int *a, int *b, int n) {
    __shared__ __align__(4) unsigned short s[64];
    int i = threadIdx.x;
    s[bug && i == 63 ? 1 : i] = (unsigned short)(i + 1); // at other
    __syncthreads();
    a[i] = i < 63 ? s[i] : 0;
}
PAIR(halves_overlap)

CASE vector_over_words(int *a, int *b, int n) {
    __shared__ __align__(16) int s[128];
    int i = threadIdx.x, value = 0;
    if (i < 32)
        ((int4 *)s)[i] = make_int4(i, i + 1, i + 2, i + 3); // other
    if (!bug)
        __syncthreads();
    if (i >= 32)
        value = s[i - 32]; // at
    a[i] = value;
}
PAIR(vector_over_words)
