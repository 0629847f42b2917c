// Correct programs of kinds that a careless checker takes for wrong.
extern "C" __global__ void early_exit(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i >= n)
        return;
    s[i] = b[i];
    __syncthreads();
    a[i] = s[n - 1 - i];
}

// One barrier a turn is enough when the buffers take turns.
extern "C" __global__ void double_buffer(int *a, int *b, int n) {
    __shared__ int s[2][64];
    int i = threadIdx.x, sum = 0;
    for (int step = 0; step < n; step += 64) {
        int(*now) = s[step / 64 & 1];
        now[i] = b[step + i];
        __syncthreads();
        sum += now[63 - i];
    }
    a[i] = sum;
}

// Many threads store the same value.
extern "C" __global__ void same_value(int *a, int *b, int n) {
    __shared__ int found;
    found = 0;
    __syncthreads();
    if (b[blockIdx.x * blockDim.x + threadIdx.x] > 10)
        found = 1;
    __syncthreads();
    if (found)
        a[0] = 1;
}

// The last warp of the classic reduction, by volatile accesses.
extern "C" __global__ void volatile_reduction(int *a, int *b, int n) {
    __shared__ int s[128];
    int i = threadIdx.x;
    s[i] = b[i];
    __syncthreads();
    if (i < 64)
        s[i] += s[i + 64];
    __syncthreads();
    if (i < 32) {
        volatile int *v = s;
        for (int step = 32; step > 0; step /= 2) {
            int other = v[i + step];
            __syncwarp();
            v[i] += other;
            __syncwarp();
        }
        if (i == 0)
            a[0] = s[0];
    }
}

// Two warps hand data over by a volatile flag and fences.
extern "C" __global__ void flag(int *a, int *b, int n) {
    __shared__ int data[32];
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        data[threadIdx.x] = b[threadIdx.x];
        __syncwarp();
        __threadfence_block();
        if (threadIdx.x == 0)
            ready = 1;
    } else {
        while (!ready)
            ;
        __threadfence_block();
        a[threadIdx.x - 32] = data[63 - threadIdx.x];
    }
}

// Blocks wait for the one before them: a chained sum.
extern "C" __global__ void chain(int *a, int *b, int n) {
    volatile int *flags = b;
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (!flags[blockIdx.x - 1])
                ;
            __threadfence();
            before = a[blockIdx.x - 1];
        }
        a[blockIdx.x] = before + 1;
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}

// A producer that goes on (bar.arrive) and a consumer that waits (bar.sync), turn by turn.
extern "C" __global__ void specialised(int *a, int *b, int n) {
    __shared__ int s[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int step = 0; step < n; step += 32)
        if (threadIdx.x < 32) {
            s[lane] = b[step + lane];
            __threadfence_block();
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += s[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    if (threadIdx.x >= 32)
        a[lane] = sum;
}

// Words written a byte at a time by different threads, padding left alone.
struct padded {
    char c;
    int i;
};
extern "C" __global__ void bytes(int *a, int *b, int n) {
    __shared__ unsigned char s[64];
    __shared__ padded p[16];
    unsigned char *out = (unsigned char *)a;
    int i = threadIdx.x;
    s[i] = (unsigned char)b[i];
    out[i] = (unsigned char)(i + 1);
    if (i < 16) {
        p[i].c = (char)i;
        p[i].i = i;
    }
    __syncthreads();
    if (i < 16) {
        int word = ((int *)s)[i];
        padded copy = p[15 - i];
        a[16 + i] = word + copy.c + copy.i;
    }
}

extern "C" __global__ void shuffle_sum(int *a, int *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? b[i] : 0;
    for (int step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(a, value);
}

// Lanes part, wait for their halves, meet again.
extern "C" __global__ void halves(int *a, int *b, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    s[i] = b[i];
    if (i < 16) {
        __syncwarp(0xffff);
        a[i] = s[15 - i];
    } else {
        __syncwarp(0xffff0000);
        a[i] = s[47 - i];
    }
    __syncthreads();
    b[i] = s[31 - i];
}

static __device__ __noinline__ int deep(const int *x, int depth) {
    int y[4];
    for (int i = 0; i < 4; i++)
        y[i] = x[i] + depth;
    return depth ? deep(y, depth - 1) : y[x[0] & 3];
}
extern "C" __global__ void recursion(int *a, int *b, int n) {
    a[threadIdx.x] = deep(b, threadIdx.x % 5);
}
