/* Several devices in the runtime: whose memory is whose, peer access, copies, variables, streams, pools. */
#include <cstdlib>

#include "say.h"

__device__ int counter = 5;
__managed__ int shared_by_all = 40;

__global__ void add(int *to, const int *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

__global__ void count() {
    counter++;
    shared_by_all++;
}

enum { N = 1000 };

static int *filled(int device, int value) {
    int words[N], *at;
    for (int i = 0; i < N; i++)
        words[i] = value + i;
    SAY(cudaSetDevice(device));
    SAY(cudaMalloc(&at, sizeof words));
    SAY(cudaMemcpy(at, words, sizeof words, cudaMemcpyHostToDevice));
    return at;
}

static void show(const char *what, const int *at) {
    int words[N], step = 0;
    SAY(cudaMemcpy(words, at, sizeof words, cudaMemcpyDeviceToHost));
    for (int i = 1; i < N; i++)
        step += words[i] - words[i - 1];
    printf("%s: %d, then %d in all\n", what, words[0], step);
}

static void where(const char *what, const void *at) {
    cudaPointerAttributes attributes;
    SAY(cudaPointerGetAttributes(&attributes, at));
    printf("%s: device %d, type %d\n", what, attributes.device, (int)attributes.type);
}

static void devices() {
    int value;
    SAY(cudaGetDeviceCount(&value));
    printf("%d\n", value);
    SAY(cudaSetDevice(3));
    for (int d = 2; d >= 0; d--) {
        cudaDeviceProp properties;
        char bus[32];
        SAY(cudaSetDevice(d));
        SAY(cudaGetDevice(&value));
        SAY(cudaGetDeviceProperties(&properties, d));
        SAY(cudaDeviceGetPCIBusId(bus, sizeof bus, d));
        printf("%d: %s, %s, domain %d\n", value, properties.name, bus, properties.pciDomainID);
        SAY(cudaDeviceGetByPCIBusId(&value, bus));
        printf("%d\n", value);
    }
    SAY(cudaDeviceCanAccessPeer(&value, 0, 2));
    printf("%d\n", value);
    SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
    printf("%d\n", value);
    SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1));
}

static void access(int *zero, int *one) {
    SAY(cudaSetDevice(0));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(3, 0));
    SAY(cudaDeviceEnablePeerAccess(1, 1));
    SAY(cudaDeviceDisablePeerAccess(1));
    SAY(cudaDeviceEnablePeerAccess(1, 0));
    SAY(cudaDeviceEnablePeerAccess(1, 0));
    add<<<8, 128>>>(one, zero, N);
    SAY_LAUNCH("add<<<>>> to device 1");
    SAY(cudaDeviceSynchronize());
    show("device 1", one);
    SAY(cudaDeviceDisablePeerAccess(1));
}

static void copies(int *zero, int *one) {
    int *two = filled(2, 0);
    SAY(cudaMemcpyPeer(two, 2, one, 1, N * sizeof(int)));
    show("device 2", two);
    SAY(cudaMemcpyPeerAsync(two, 2, zero, 0, N * sizeof(int), 0));
    show("device 2", two);
    SAY(cudaMemcpy(two, one, N * sizeof(int), cudaMemcpyDefault));
    show("device 2", two);
    SAY(cudaMemcpyPeer(two, 3, one, 1, 4));
    cudaMemcpy3DPeerParms box = {};
    box.srcPtr = make_cudaPitchedPtr(zero, N * sizeof(int), N, 1);
    box.srcDevice = 0;
    box.dstPtr = make_cudaPitchedPtr(two, N * sizeof(int), N, 1);
    box.dstDevice = 2;
    box.extent = make_cudaExtent(N * sizeof(int), 1, 1);
    SAY(cudaMemcpy3DPeer(&box));
    show("device 2", two);
    where("device 2's", two);
    where("a variable's", &shared_by_all);
    SAY(cudaFree(two));
}

/* Each device has its own variable; a managed one is shared. */
static void variables() {
    for (int d = 0; d < 3; d++) {
        SAY(cudaSetDevice(d));
        for (int i = 0; i <= d; i++)
            count<<<1, 1>>>();
        SAY(cudaDeviceSynchronize());
        printf("%d\n", shared_by_all);
    }
    for (int d = 0; d < 3; d++) {
        int value;
        void *at;
        SAY(cudaSetDevice(d));
        SAY(cudaMemcpyFromSymbol(&value, counter, sizeof value));
        SAY(cudaGetSymbolAddress(&at, counter));
        printf("%d\n", value);
        where("its", at);
    }
}

static void streams() {
    cudaStream_t stream;
    cudaEvent_t event;
    int *pooled;
    SAY(cudaSetDevice(1));
    SAY(cudaStreamCreate(&stream));
    SAY(cudaEventCreate(&event));
    count<<<1, 1, 0, stream>>>();
    SAY_LAUNCH("in its own stream");
    SAY(cudaSetDevice(0));
    count<<<1, 1, 0, stream>>>();
    SAY_LAUNCH("in another device's stream");
    SAY(cudaEventRecord(event, 0));
    SAY(cudaEventRecord(event, stream));
    SAY(cudaStreamWaitEvent(0, event, 0));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaMallocAsync(&pooled, 4, stream));
    where("the stream's", pooled);
    SAY(cudaFreeAsync(pooled, stream));
    SAY(cudaEventDestroy(event));
    SAY(cudaStreamDestroy(stream));
}

static void pools(int *zero) {
    cudaMemPool_t pool;
    int *pooled;
    cudaMemAccessFlags flags;
    cudaMemLocation location = {};
    location.type = cudaMemLocationTypeDevice;
    cudaMemAccessDesc map = {};
    map.location = location;
    map.flags = cudaMemAccessFlagsProtReadWrite;
    SAY(cudaDeviceGetDefaultMemPool(&pool, 1));
    SAY(cudaMallocFromPoolAsync(&pooled, N * sizeof(int), pool, 0));
    SAY(cudaMemsetAsync(pooled, 0, N * sizeof(int), 0));
    SAY(cudaMemPoolGetAccess(&flags, pool, &location));
    printf("%d\n", (int)flags);
    SAY(cudaMemPoolSetAccess(pool, &map, 1));
    SAY(cudaMemPoolGetAccess(&flags, pool, &location));
    printf("%d\n", (int)flags);
    add<<<8, 128>>>(pooled, zero, N);
    SAY(cudaDeviceSynchronize());
    show("the pool's", pooled);
    SAY(cudaFreeAsync(pooled, 0));
}

int main() {
    setenv("WIDELOAD_SIM_DEVICES", "3", 1);
    devices();
    int *zero = filled(0, 1), *one = filled(1, 1000);
    access(zero, one);
    copies(zero, one);
    variables();
    streams();
    SAY(cudaSetDevice(0));
    pools(zero);
    /* Without peer access any more. */
    add<<<8, 128>>>(one, zero, N);
    SAY_LAUNCH("add<<<>>> without access");
    SAY(cudaDeviceSynchronize());
    SAY(cudaSetDevice(1));
    SAY(cudaDeviceSynchronize());
    show("device 1", one);
    SAY(cudaSetDevice(0));
    SAY(cudaDeviceReset());
    SAY(cudaDeviceSynchronize());
}
