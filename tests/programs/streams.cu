/* Two streams that wait for each other through events; queries; a stream that does not wait for stream 0. */
#include "program.h"

__global__ void add(int *to, const int *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i] + 1;
}

int main() {
    const int n = 4096;
    int *a = device_array<int>(n), *b = device_array<int>(n);
    cudaStream_t one, two;
    cudaEvent_t turn, back;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&turn));
    CHECK(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));
    for (int i = 0; i < 5; i++) {
        add<<<n / 256, 256, 0, one>>>(a, b, n);
        CHECK(cudaEventRecord(turn, one));
        CHECK(cudaStreamWaitEvent(two, turn, 0));
        add<<<n / 256, 256, 0, two>>>(b, a, n);
        CHECK(cudaEventRecord(back, two));
        CHECK(cudaStreamWaitEvent(one, back, 0));
    }
    CHECK(cudaStreamSynchronize(two));
    CHECK(cudaStreamSynchronize(one));
    print_array("a", a, n);
    print_array("b", b, n);
    printf("%s %s\n", cudaGetErrorName(cudaStreamQuery(one)), cudaGetErrorName(cudaEventQuery(back)));

    cudaEvent_t start, stop;
    float ms = -1;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    add<<<n / 256, 256>>>(a, b, n);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    printf("elapsed at least nothing: %d\n", ms >= 0);
    printf("no timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, back, stop)));
    int least, greatest, priority;
    unsigned flags;
    cudaStream_t urgent;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetPriority(urgent, &priority));
    CHECK(cudaStreamGetFlags(urgent, &flags));
    printf("priority %d of %d..%d, flags %u\n", priority, least, greatest, flags);
    for (cudaStream_t stream : {one, two, urgent})
        CHECK(cudaStreamDestroy(stream));
    for (cudaEvent_t event : {turn, back, start, stop})
        CHECK(cudaEventDestroy(event));
}
