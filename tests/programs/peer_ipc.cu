/* Peers and other processes: calls that are refused with any number of devices. */
#include "program.h"

int main() {
    int can = -1;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
    printf("peer of itself: %d\n", can);
    printf("enable: %s\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
    printf("disable: %s\n", cudaGetErrorName(cudaDeviceDisablePeerAccess(0)));
    printf("no such device: %s\n", cudaGetErrorName(cudaDeviceCanAccessPeer(&can, 0, 4096)));
    cudaIpcMemHandle_t handle = {};
    void *at;
    printf("opened: %d\n", cudaIpcOpenMemHandle(&at, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess);
    printf("closed: %d\n", cudaIpcCloseMemHandle(&handle) == cudaSuccess);
    (void)cudaGetLastError();
    int host[4] = {1, 2, 3, 4}, *a = to_device(host, 4), *b = device_array<int>(4);
    CHECK(cudaMemcpyPeer(b, 0, a, 0, sizeof host));
    CHECK(cudaMemcpyPeerAsync(b + 2, 0, a, 0, 2 * sizeof(int), 0));
    print_array("copied within a device", b, 4);
}
