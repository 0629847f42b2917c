// cp.async: copies that threads start and wait for.

#define COPY(to, from, bytes)                                                                                \
    asm volatile(                                                                                            \
        "cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),        \
        "l"(from), "r"(bytes)                                                                                \
        : "memory")
#define WAIT() asm volatile("cp.async.wait_all;" ::: "memory")

CASE async_past_end(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x, from = i + 1;
    COPY(&s[i], b + from, bug || from < n ? 4 : 0); // at
    WAIT();
    a[i] = s[i];
}
PAIR(async_past_end)

CASE async_shared_past_end(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    COPY(&s[bug && i == 63 ? 64 : i], b + i, 4); // at
    WAIT();
    a[i] = i < 63 ? s[i] : 0;
}
PAIR(async_shared_past_end)

CASE async_without_barrier(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    COPY(&s[i], b + i, 4); // other
    WAIT();
    if (!bug)
        __syncthreads();
    a[i] = s[63 - i]; // at
}
PAIR(async_without_barrier)

CASE async_of_unwritten(int *a, int *b, int n) {
    __shared__ int s[64];
    int i = threadIdx.x;
    COPY(&s[i], b + i, bug ? 4 : 0); // at
    WAIT();
    a[i] = s[i];
}
PAIR(async_of_unwritten)
