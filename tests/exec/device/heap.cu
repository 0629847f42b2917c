extern "C" __global__ void lists(unsigned long long *sums, int length) {
    struct node {
        node *next;
        int value;
    } *first = nullptr;
    for (int i = 0; i < length; i++) {
        node *n = new node;
        n->next = first;
        n->value = i + threadIdx.x + blockIdx.x;
        first = n;
    }
    unsigned long long sum = 0;
    while (first) {
        node *n = first;
        sum += n->value;
        first = n->next;
        delete n;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void take(char **kept, unsigned long long size) {
    kept[threadIdx.x] = (char *)malloc(size);
    if (kept[threadIdx.x])
        for (unsigned long long i = 0; i < size; i++)
            kept[threadIdx.x][i] = (char)(threadIdx.x + i);
}

extern "C" __global__ void give_back(char **kept, int *sum, unsigned long long size) {
    int total = 0;
    for (unsigned long long i = 0; kept[threadIdx.x] && i < size; i++)
        total += (unsigned char)kept[threadIdx.x][i];
    sum[threadIdx.x] = total;
    free(kept[threadIdx.x]);
}

extern "C" __global__ void past_the_end(int *out) {
    volatile int *p = (int *)malloc(40);
    p[0] = 1;
    out[0] = p[10];
}

extern "C" __global__ void after_free(int *out) {
    volatile int *p = (int *)malloc(40);
    free((void *)p);
    out[0] = p[3];
}

extern "C" __global__ void free_twice(char **kept) {
    free(*kept);
}

extern "C" __global__ void free_inside(char **kept) {
    free(*kept + 16);
}
