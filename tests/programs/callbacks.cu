/* Host functions in stream order. */
#include "program.h"

struct note {
    const char *text;
    int *value;
};

__global__ void add(int *data, int what) {
    atomicAdd(data, what);
}

static void CUDART_CB say(void *data) {
    note *n = (note *)data;
    printf("%s: %d\n", n->text, *n->value);
}

static void CUDART_CB old_say(cudaStream_t, cudaError_t status, void *data) {
    printf("%s, ", cudaGetErrorName(status));
    say(data);
}

int main() {
    int *data;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost(&data, sizeof *data));
    *data = 1;
    note notes[] = {{"before", data}, {"between", data}, {"after", data}};
    CHECK(cudaLaunchHostFunc(stream, say, &notes[0]));
    add<<<2, 32, 0, stream>>>(data, 1);
    CHECK(cudaLaunchHostFunc(stream, say, &notes[1]));
    add<<<1, 1, 0, stream>>>(data, 1000);
    CHECK(cudaStreamAddCallback(stream, old_say, &notes[2], 0));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(data));
}
