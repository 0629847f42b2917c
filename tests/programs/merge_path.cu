/* Merging two sorted arrays: each thread finds its place by bisection along a diagonal. */
#include "program.h"

__global__ void merge(const int *a, int na, const int *b, int nb, int *out, int each) {
    int at = min((blockIdx.x * (int)blockDim.x + (int)threadIdx.x) * each, na + nb), low = max(0, at - nb);
    int high = min(at, na);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[at - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = at - low;
    for (int k = 0; k < each && at + k < na + nb; k++)
        out[at + k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

int main() {
    const int na = 1300, nb = 900;
    int a[na], b[nb], *out = device_array<int>(na + nb);
    for (int i = 0, x = 0; i < na; i++)
        a[i] = x += mix(i) % 10;
    for (int i = 0, x = 0; i < nb; i++)
        b[i] = x += mix(i + na) % 15;
    merge<<<3, 128>>>(to_device(a, na), na, to_device(b, nb), nb, out, 7);
    CHECK_KERNEL();
    print_array("merged", out, na + nb);
}
