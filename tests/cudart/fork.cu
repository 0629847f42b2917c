/* fork before the parent's first call, and after. */
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

__global__ void store(int *to) {
    *to = 5;
}

static void work(const char *who) {
    int *device, host = 0;
    printf("%s: %s", who, cudaGetErrorName(cudaMalloc(&device, sizeof *device)));
    cudaGetLastError();
    store<<<1, 1>>>(device);
    printf(" %s", cudaGetErrorName(cudaGetLastError()));
    printf(" %s", cudaGetErrorName(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost)));
    printf(" %d\n", host);
    fflush(stdout);
}

static void in_child(const char *who) {
    fflush(stdout);
    pid_t child = fork();
    int status;
    if (child == 0) {
        work(who);
        _exit(3);
    }
    waitpid(child, &status, 0);
    printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main() {
    in_child("child before");
    work("parent");
    in_child("child after");
    work("parent again");
    /* A child that exits as programs do, with its destructors. */
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        return 4;
    int status;
    waitpid(child, &status, 0);
    printf("exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
