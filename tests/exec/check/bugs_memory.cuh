// Addresses that no thread may access.

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

// An overrun from the static part into the gap before the dynamic one.
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
    long long both = *(long long *)(s + 2 * threadIdx.x + (bug ? 1 : 0)); // at
    a[threadIdx.x] = (int)(both ^ both >> 32);
}
PAIR(shared_misaligned)

CASE local_past_end(int *a, int *b, int n) {
    int x[8];
    for (int i = 0; i < 8; i++)
        x[i] = b[i];
    a[threadIdx.x] = x[bug ? b[threadIdx.x] + n : threadIdx.x % 8]; // at
}
PAIR(local_past_end)

CASE misaligned_vector(int *a, int *b, int n) {
    int i = threadIdx.x;
    int4 v = *(int4 *)(b + 4 * i + (bug ? 2 : 0)); // at
    a[i] = v.x + v.y + v.z + v.w;
}
PAIR(misaligned_vector)

// Generic loads and stores.
CASE generic_past_end(int *a, int *b, int n) {
    int i = threadIdx.x, value;
    asm volatile("ld.u32 %0, [%1];" : "=r"(value) : "l"(b + i + (bug ? 1 : 0)) : "memory"); // at
    a[i] = value;
}
PAIR(generic_past_end)

CASE generic_shared_past_end(int *a, int *b, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    asm volatile("st.u32 [%0], %1;" ::"l"(s + (bug ? i + 1 : i)), "r"(i) : "memory"); // at
    __syncwarp();
    a[i] = i ? s[i] : 0;
}
PAIR(generic_shared_past_end)

CASE heap_past_end(int *a, int *b, int n) {
    int *p = (int *)malloc(32);
    p[bug ? n : threadIdx.x] = 1; // at
    a[threadIdx.x] = (int)(size_t)p & 7;
    free(p);
}
PAIR(heap_past_end)

CASE heap_used_after_free(int *a, int *b, int n) {
    volatile int *p = (int *)malloc(32);
    p[0] = threadIdx.x;
    if (bug)
        free((void *)p);
    a[threadIdx.x] = p[0]; // at
    if (!bug)
        free((void *)p);
}
PAIR(heap_used_after_free)
