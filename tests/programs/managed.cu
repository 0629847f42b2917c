/* Managed memory: a linked list that the host builds and the device walks, a managed variable, advice. */
#include "program.h"

struct node {
    int value;
    node *next;
};

__managed__ int total;
__managed__ node first = {1000, NULL};

__global__ void sum(const node *list) {
    int s = 0;
    for (; list; list = list->next)
        s += list->value;
    total += s;
}

__global__ void fill(int *data, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] = i * i;
}

int main() {
    for (int i = 0; i < 10; i++) {
        node *fresh = managed_array<node>(1);
        fresh->value = i;
        fresh->next = first.next;
        first.next = fresh;
    }
    total = 7;
    sum<<<1, 1>>>(&first);
    CHECK_KERNEL();
    printf("total %d\n", total);

    const int n = 5000;
    int *data = managed_array<int>(n), device;
    CHECK(cudaGetDevice(&device));
    cudaMemLocation location = {cudaMemLocationTypeDevice, device};
    CHECK(cudaMemAdvise(data, n * sizeof *data, cudaMemAdviseSetPreferredLocation, location));
    CHECK(cudaMemPrefetchAsync(data, n * sizeof *data, location, 0));
    fill<<<3, 128>>>(data, n);
    CHECK_KERNEL();
    printf("%d %d\n", data[1], data[n - 1]);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, data));
    printf("type %d, same pointer %d\n", attributes.type,
           attributes.devicePointer == data && attributes.hostPointer == data);
    for (node *at = first.next; at;) {
        node *next = at->next;
        CHECK(cudaFree(at));
        at = next;
    }
    CHECK(cudaFree(data));
}
