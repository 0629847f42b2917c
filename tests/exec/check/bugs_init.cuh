// Reads of data that was never written.

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

CASE unwritten_half_of_a_word(int *a, int *b, int n) {
    int i = threadIdx.x;
    ((short *)b)[2 * i] = (short)i;
    if (!bug)
        ((short *)b)[2 * i + 1] = (short)i;
    a[i] = b[i]; // at
}
PAIR(unwritten_half_of_a_word)

CASE unwritten_part_of_a_vector(int *a, int *b, int n) {
    int i = threadIdx.x;
    if (!bug || i % 4 != 3)
        b[i] = i;
    __syncthreads();
    if (i < 16) {
        int4 v = ((int4 *)b)[i]; // at
        a[i] = v.x + v.y + v.z + v.w;
    }
}
PAIR(unwritten_part_of_a_vector)

// A forgotten member leaves a gap like padding, but unlike padding it is used.
struct with_padding {
    double d;
    int i, j;
};
static __device__ __forceinline__ void fill(with_padding *p, bool all) {
    int i = threadIdx.x;
    if (i < 16) {
        p[i].d = i;
        p[i].i = i;
        if (all)
            p[i].j = i;
    }
    __syncthreads();
}

CASE unwritten_member(int *a, int *b, int n) {
    with_padding *p = (with_padding *)b;
    int i = threadIdx.x;
    fill(p, !bug);
    if (i < 16)
        a[i] = p[15 - i].j + 1; // at
}
PAIR(unwritten_member)

CASE unwritten_condition(int *a, int *b, int n) {
    with_padding *p = (with_padding *)b;
    int i = threadIdx.x;
    fill(p, !bug);
    if (i < 16 && (p[15 - i].j & 6) == 4) // at
        a[i] = 1;
}
PAIR(unwritten_condition)

CASE unwritten_index(int *a, int *b, int n) {
    __shared__ with_padding s[16];
    int i = threadIdx.x;
    fill(s, !bug);
    if (i < 16)
        a[s[15 - i].j & 15] = 1; // at
}
PAIR(unwritten_index)
