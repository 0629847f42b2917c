/* Errors: of a single call, the last one until it is queried, and the sticky error of a bad address. */
#include "program.h"

__global__ void write(int *to) {
    to[threadIdx.x] = 1;
}

static void say(const char *what, cudaError_t error) {
    printf("%s: %s\n", what, cudaGetErrorName(error));
}

int main() {
    int *p = NULL;
    say("malloc of everything", cudaMalloc(&p, ~(size_t)0 / 2));
    say("peek", cudaPeekAtLastError());
    say("get", cudaGetLastError());
    say("get again", cudaGetLastError());
    say("free of the stack", cudaFree(&p));
    say("free of nothing", cudaFree(NULL));
    say("free of pinned memory that is none", cudaFreeHost(&p));
    say("copy to nowhere", cudaMemcpy(NULL, &p, 8, cudaMemcpyHostToDevice));
    say("copy of no bytes", cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    say("a kind that is none", cudaMemcpy(&p, &p, 8, (cudaMemcpyKind)17));
    say("an event that is none", cudaEventRecord(NULL));
    say("last", cudaGetLastError());
    int *good = device_array<int>(32);
    write<<<1, 2000>>>(good);
    say("launch", cudaPeekAtLastError());
    say("synchronise", cudaDeviceSynchronize());
    say("last", cudaGetLastError());
    write<<<1, 32>>>(good);
    say("good launch", cudaDeviceSynchronize());
    /* From here on every call fails. */
    write<<<1, 32>>>((int *)0x10);
    say("launch", cudaGetLastError());
    say("synchronise", cudaDeviceSynchronize());
    say("last", cudaGetLastError());
    say("last again", cudaGetLastError());
    say("malloc", cudaMalloc(&p, 4));
    say("copy", cudaMemcpy(&p, good, 4, cudaMemcpyDeviceToHost));
    write<<<1, 32>>>(good);
    say("launch", cudaGetLastError());
    say("reset", cudaDeviceReset());
}
