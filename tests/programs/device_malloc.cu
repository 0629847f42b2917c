/* The device heap: malloc, free, new for objects with destructors, memory that outlives its kernel. */
#include "program.h"

struct counted {
    int *to, value;
    __device__ counted(int *to, int value) : to(to), value(value) {}
    __device__ ~counted() {
        atomicAdd(to, value);
    }
};

struct node {
    int value;
    node *next;
};

__global__ void build(node **heads) {
    node *head = NULL;
    for (int i = 0; i < 3 + (threadIdx.x & 3); i++) {
        node *fresh = (node *)malloc(sizeof *fresh);
        fresh->value = i + threadIdx.x;
        fresh->next = head;
        head = fresh;
    }
    heads[threadIdx.x] = head;
}

__global__ void walk(node **heads, int *out) {
    int sum = 0;
    for (node *at = heads[threadIdx.x]; at;) {
        node *next = at->next;
        sum += at->value;
        free(at);
        at = next;
    }
    out[threadIdx.x] = sum;
}

__global__ void objects(int *to) {
    counted *one = new counted(to, 1 + threadIdx.x);
    delete one;
    int *array = new int[threadIdx.x + 1];
    array[threadIdx.x] = 100;
    atomicAdd(to, array[threadIdx.x]);
    delete[] array;
    free(NULL);
}

__global__ void too_much(int *to) {
    *to = malloc(1ULL << 40) == NULL;
}

int main() {
    node **heads = device_array<node *>(64);
    int *out = device_array<int>(64);
    build<<<1, 64>>>(heads);
    walk<<<1, 64>>>(heads, out);
    CHECK_KERNEL();
    print_array("lists", out, 64);
    CHECK(cudaMemset(out, 0, sizeof(int)));
    objects<<<1, 32>>>(out);
    CHECK_KERNEL();
    print_array("objects", out, 1);
    too_much<<<1, 1>>>(out);
    CHECK_KERNEL();
    print_array("refused", out, 1);
}
