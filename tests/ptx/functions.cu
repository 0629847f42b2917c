/* Device functions as in -rdc=true output: recursion, indirect calls, externals, a switch table. */
struct pair {
    float x;
    int y;
};
typedef int (*unary_fn)(int);

extern __device__ int outside(int value, struct pair p);
__device__ int offset_table[4] = {1, -2, 3, 4};
__device__ float mixed[2][3] = {{1.0f, -2.5f, 0.0f}, {1e30f, 3.0f, 1.5f}};
__device__ double wide[2] = {1.0, -0.5};
__device__ int *inside = &offset_table[2];
__constant__ char greeting[] = "hello, warp";
__constant__ struct pair pairs[2] = {{1.5f, 2}, {-3.0f, 4}};
__managed__ int managed_counter = 7;
extern __shared__ unsigned char dynamic_tile[];

extern "C" __device__ __noinline__ int twice(int value) {
    return value * 2;
}
extern "C" __device__ __noinline__ int thrice(int value) {
    return value * 3;
}
__device__ unary_fn functions[2] = {twice, thrice};

/* An address in a packed structure: its initializer has masks. */
struct __attribute__((packed)) packed {
    char tag;
    const char *text;
    void (*call)(void);
    int *where;
};
extern "C" __device__ void nothing(void);
__device__ struct packed packed[2] = {{1, "abc", nothing, &offset_table[3]},
                                      {2, "def", nothing, &offset_table[1]}};

extern "C" __device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __device__ __noinline__ struct pair make_pair(float x, int y) {
    struct pair p = {x + mixed[y & 1][y % 3], y + pairs[y & 1].y};
    return p;
}
extern "C" __device__ __noinline__ void nothing(void) {
    atomicAdd(&managed_counter, 1);
}
extern "C" __device__ __noinline__ void stop(void) {
    asm volatile("trap;");
    __builtin_unreachable();
}

__device__ __noinline__ int choose(int which, int value) {
    switch (which) {
    case 0:
        return value + 1;
    case 1:
        return value * 7;
    case 2:
        return value ^ 0x55;
    case 3:
        return value >> 3;
    case 4:
        return twice(value);
    case 5:
        return value - 9;
    case 6:
        return fibonacci(value);
    default:
        return outside(value, make_pair(1.0f, value));
    }
}

extern "C" __global__ void __launch_bounds__(256, 2)
    call_them(int *out, const int *in, struct pair p, unary_fn f, int n) {
    __shared__ float tile[8][33];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    nothing();
    tile[threadIdx.x & 7][threadIdx.x & 31] = p.x;
    __syncthreads();
    struct pair made = make_pair(tile[i & 7][i % 33], i);
    out[i] = choose(in[i] & 7, made.y) + functions[i & 1](i) + f(i) + dynamic_tile[i] + greeting[i % 11] +
             *inside + (int)wide[i & 1];
    if (out[i] == 12345)
        stop();
    packed[i & 1].call();
}

/* Scopes, labels and a jump table in inline assembly. */
extern "C" __global__ void jump(int *out, int which) {
    int loop = 0;
    asm volatile("{\n"
                 ".reg .b32 t<3>, u;\n"
                 ".reg .pred p, q;\n"
                 "targets: .branchtargets A, B, C;\n"
                 "brx.idx %1, targets;\n"
                 "A: mov.u32 t0, 1; bra DONE;\n"
                 "B: mov.u32 t0, 0b10; bra.uni DONE;\n"
                 "C: mov.u32 t0, 0x3U;\n"
                 "DONE: setp.eq.s32 p|q, t0, 1;\n"
                 "@!p mov.u32 t0, WARP_SZ;\n"
                 "{ .reg .b32 t<1>; DONE: mov.u32 t0, %%laneid; mov.u32 u, t2; bra DONE; }\n"
                 "mov.b32 %0, t0;\n"
                 "}"
                 : "=r"(loop)
                 : "r"(which));
    out[threadIdx.x] = loop;
}
