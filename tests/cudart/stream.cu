/* Streams, events and the view of a host function. */
#include "say.h"

__global__ void add(int *to, int value) {
    *to += value;
}

static int *device;

static void CUDART_CB host_function(void *argument) {
    ++*(int *)argument;
}

static void CUDART_CB callback(cudaStream_t, cudaError_t status, void *argument) {
    printf("callback: %s\n", cudaGetErrorName(status));
    ++*(int *)argument;
}

int main() {
    cudaStream_t stream, other;
    cudaEvent_t start, stop, untimed;
    int least, greatest, calls = 0, priority, host;
    unsigned flags;
    unsigned long long id, other_id;
    float milliseconds = -1;
    SAY(cudaMalloc(&device, sizeof *device));
    SAY(cudaMemset(device, 0, sizeof *device));
    SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    SAY(cudaStreamCreate(&stream));
    SAY(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, greatest));
    SAY(cudaStreamCreate(NULL));
    SAY(cudaStreamCreateWithFlags(&stream, 99));
    SAY(cudaStreamGetFlags(other, &flags));
    SAY(cudaStreamGetPriority(other, &priority));
    printf("%u %d\n", flags, priority == greatest);
    SAY(cudaStreamGetId(stream, &id));
    SAY(cudaStreamGetId(other, &other_id));
    printf("%d\n", id != other_id);
    SAY(cudaEventCreate(&start));
    SAY(cudaEventCreate(&stop));
    SAY(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    SAY(cudaEventCreateWithFlags(&untimed, 1000));
    SAY(cudaEventQuery(start));
    SAY(cudaEventElapsedTime(&milliseconds, start, stop));
    SAY(cudaEventRecord(start, stream));
    add<<<1, 1, 0, stream>>>(device, 1);
    SAY(cudaEventRecord(stop, stream));
    SAY(cudaStreamWaitEvent(other, stop, 0));
    add<<<1, 1, 0, other>>>(device, 10);
    SAY(cudaLaunchHostFunc(other, host_function, &calls));
    SAY(cudaStreamAddCallback(other, callback, &calls, 0));
    SAY(cudaStreamSynchronize(other));
    SAY(cudaStreamQuery(stream));
    SAY(cudaEventSynchronize(stop));
    SAY(cudaEventElapsedTime(&milliseconds, start, stop));
    printf("%d %d\n", milliseconds >= 0, calls);
    SAY(cudaEventRecord(untimed, 0));
    SAY(cudaEventElapsedTime(&milliseconds, start, untimed));
    add<<<1, 1, 0, cudaStreamPerThread>>>(device, 100);
    add<<<1, 1, 0, cudaStreamLegacy>>>(device, 1000);
    SAY(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d\n", host);
    cudaLaunchAttributeValue value = {};
    value.accessPolicyWindow.base_ptr = device;
    value.accessPolicyWindow.num_bytes = sizeof *device;
    value.accessPolicyWindow.hitRatio = 0.5;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    SAY(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    SAY(cudaStreamCopyAttributes(other, stream));
    value.accessPolicyWindow.hitRatio = 2;
    SAY(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    SAY(cudaStreamGetAttribute(other, cudaLaunchAttributeAccessPolicyWindow, &value));
    printf("%d %g %d\n", value.accessPolicyWindow.base_ptr == device, value.accessPolicyWindow.hitRatio,
           (int)value.accessPolicyWindow.hitProp);
    SAY(cudaStreamGetAttribute(NULL, cudaLaunchAttributeSynchronizationPolicy, &value));
    printf("%d\n", (int)value.syncPolicy);
    SAY(cudaStreamSetAttribute(stream, cudaLaunchAttributeClusterDimension, &value));
    SAY(cudaStreamWaitEvent(stream, NULL, 0));
    SAY(cudaStreamDestroy(NULL));
    SAY(cudaStreamDestroy(stream));
    SAY(cudaStreamDestroy(other));
    SAY(cudaStreamQuery((cudaStream_t)0x1234567));
    SAY(cudaEventDestroy(start));
    SAY(cudaEventDestroy(stop));
    SAY(cudaEventDestroy(untimed));
    SAY(cudaEventDestroy(NULL));
    SAY(cudaFree(device));
    return 0;
}
