/* A kernel that uses functions, variables and constants of another file: linked by nvcc
 * -rdc=true. */
#include "several_files.h"

#include "program.h"

__global__ void scale(float *data) {
    int i = threadIdx.x;
    data[i] = scaled(data[i], i & 3) + chosen(data[i], 3);
    atomicAdd(&calls, 1);
}

void prepare_other();
int calls_seen_by_other();

int main() {
    float host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i;
    float *data = to_device(host, 64);
    scale<<<1, 64>>>(data);
    CHECK_KERNEL();
    print_array("scaled", data, 64);
    prepare_other();
    scale<<<1, 64>>>(data);
    CHECK_KERNEL();
    print_array("scaled again", data, 64);
    int seen;
    CHECK(cudaMemcpyFromSymbol(&seen, calls, sizeof seen));
    printf("%d calls, %d seen by the other file\n", seen, calls_seen_by_other());
}
