/* Memory and an event of two processes: the child begins before its parent's first call. */
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

enum { COUNT = 1000 };

__global__ void add(int *to, int what) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT)
        to[i] += what;
}

static int from_parent[2], from_child[2];

static int sum_of(const int *device) {
    int host[COUNT], sum = 0;
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++)
        sum += host[i];
    return sum;
}

static int child() {
    cudaIpcMemHandle_t handle;
    cudaIpcEventHandle_t event_handle;
    cudaEvent_t event;
    int *device = NULL;
    if (read(from_parent[0], &handle, sizeof handle) != sizeof handle ||
        read(from_parent[0], &event_handle, sizeof event_handle) != sizeof event_handle)
        return 1;
    SAY(cudaIpcOpenEventHandle(&event, event_handle));
    SAY(cudaStreamWaitEvent(0, event, 0));
    SAY(cudaEventDestroy(event));
    SAY(cudaIpcOpenMemHandle((void **)&device, handle, 0));
    SAY(cudaIpcOpenMemHandle((void **)&device, handle, cudaIpcMemLazyEnablePeerAccess));
    printf("the child has %d\n", sum_of(device));
    add<<<4, 256>>>(device, 2);
    SAY(cudaFree(device));
    SAY(cudaIpcCloseMemHandle(device));
    SAY(cudaIpcCloseMemHandle(device));
    fflush(stdout);
    return write(from_child[1], "x", 1) == 1 ? 0 : 1;
}

int main() {
    char done;
    if (pipe(from_parent) || pipe(from_child))
        return 1;
    pid_t process = fork();
    if (process == 0)
        return child();
    close(from_child[1]);
    cudaIpcMemHandle_t handle;
    int *device, status;
    cudaMalloc(&device, COUNT * sizeof *device);
    cudaMemset(device, 0, COUNT * sizeof *device);
    add<<<4, 256>>>(device, 1);
    cudaError_t got = cudaIpcGetMemHandle(&handle, device);
    cudaError_t own = cudaIpcOpenMemHandle((void **)&device, handle, cudaIpcMemLazyEnablePeerAccess);
    cudaIpcEventHandle_t event_handle;
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess);
    cudaEventRecord(event, 0);
    cudaIpcGetEventHandle(&event_handle, event);
    if (write(from_parent[1], &handle, sizeof handle) != sizeof handle ||
        write(from_parent[1], &event_handle, sizeof event_handle) != sizeof event_handle ||
        read(from_child[0], &done, 1) != 1)
        return 1;
    waitpid(process, &status, 0);
    printf("the parent got %s, %s of its own, and has %d\n", cudaGetErrorName(got), cudaGetErrorName(own),
           sum_of(device));
    cudaGetLastError();
    SAY(cudaIpcGetMemHandle(&handle, &status));
    SAY(cudaIpcGetMemHandle(NULL, device));
    SAY(cudaFree(device));
    return WEXITSTATUS(status);
}
