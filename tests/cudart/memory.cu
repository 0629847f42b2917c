/* Memory of every kind: allocating, copying, filling, querying. */
#include <cstdlib>
#include <cstring>

#include "say.h"

__device__ int variable[4];
static int host_variable;

__global__ void add_one(int *data) {
    data[threadIdx.x] += 1;
}

static void kind(const char *what, const void *pointer) {
    cudaPointerAttributes a;
    memset(&a, 0x55, sizeof a);
    cudaError_t error = cudaPointerGetAttributes(&a, pointer);
    printf("%s: %s, type %d, device %d, %s %s\n", what, cudaGetErrorName(error), (int)a.type, a.device,
           a.devicePointer == pointer ? "same" : "none", a.hostPointer == pointer ? "same" : "none");
}

static void allocation() {
    void *p = (void *)1;
    size_t pitch;
    int on_stack;
    SAY(cudaMalloc(&p, 0));
    printf("%d\n", p == NULL);
    SAY(cudaMalloc((void **)NULL, 4));
    SAY(cudaMalloc(&p, (size_t)1 << 60));
    SAY(cudaFree(NULL));
    SAY(cudaFree(&on_stack));
    SAY(cudaMallocHost(&p, 0));
    SAY(cudaHostAlloc(&p, 4, 64));
    SAY(cudaFreeHost(NULL));
    SAY(cudaFreeHost(&on_stack));
    SAY(cudaMallocManaged(&p, 0));
    SAY(cudaMallocManaged(&p, 4, 7));
    SAY(cudaMallocPitch(&p, &pitch, 100, 3));
    printf("pitch %zu\n", pitch);
    SAY(cudaFree((char *)p + 4));
    SAY(cudaFree(p));
    SAY(cudaFree(p));
    SAY(cudaMallocAsync(&p, 100, 0));
    SAY(cudaFreeAsync(p, 0));
    cudaMemPool_t pool;
    SAY(cudaDeviceGetDefaultMemPool(&pool, 0));
    SAY(cudaMallocFromPoolAsync(&p, 100, pool, 0));
    unsigned long long used;
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    printf("used %llu\n", used);
    SAY(cudaFree(p));
    SAY(cudaMemPoolTrimTo(pool, 0));
}

static void copies() {
    int *device, *other, host[16] = {0}, back[16];
    SAY(cudaMalloc(&device, 64));
    SAY(cudaMalloc(&other, 64));
    for (int i = 0; i < 16; i++)
        host[i] = i * i;
    SAY(cudaMemcpy(device, host, 64, (cudaMemcpyKind)7));
    SAY(cudaMemcpy(device, host, 68, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(NULL, host, 64, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(other, device, 64, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpyPeer(device, 0, other, 0, 64));
    SAY(cudaMemcpyPeer(device, 0, other, 1, 64));
    SAY(cudaMemcpyAsync(back, device, 64, cudaMemcpyDefault, 0));
    SAY(cudaMemcpyAsync(back, device, 64, cudaMemcpyDefault, (cudaStream_t)0x1234567));
    printf("%d\n", memcmp(host, back, 64));
    SAY(cudaMemset(device, 0x11, 64));
    SAY(cudaMemset(host, 0, 4));
    SAY(cudaMemsetAsync(device, 0x22, 4, 0));
    SAY(cudaMemcpy(back, device, 64, cudaMemcpyDeviceToHost));
    printf("%x %x\n", back[0], back[15]);
    SAY(cudaMemcpyToSymbol(variable, host, 16));
    SAY(cudaMemcpyToSymbol(variable, host, 17));
    SAY(cudaMemcpyToSymbol(variable, host, 4, 16));
    SAY(cudaMemcpyToSymbol(host_variable, host, 4));
    SAY(cudaMemcpyFromSymbol(back, variable, 16, 0, cudaMemcpyHostToDevice));
    SAY(cudaMemcpyFromSymbolAsync(back, variable, 8, 8, cudaMemcpyDeviceToHost, 0));
    printf("%d %d\n", back[0], back[1]);
    SAY(cudaFree(device));
    SAY(cudaFree(other));
}

static void boxes() {
    char *device, host[10][20], back[10][20];
    size_t pitch;
    memset(host, 1, sizeof host);
    memset(back, 0, sizeof back);
    SAY(cudaMallocPitch(&device, &pitch, 20, 10));
    SAY(cudaMemset2D(device, pitch, 0, 20, 10));
    SAY(cudaMemset2D(device, 10, 0, 20, 2));
    SAY(cudaMemcpy2D(device, 10, host, 20, 20, 2, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(device + pitch + 3, pitch, host, 20, 5, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2D(back, 20, device, pitch, 20, 10, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (auto &row : back)
        for (char c : row)
            sum += c;
    printf("%d %d %d\n", sum, back[1][3], back[5][3]);

    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(6, 5, 4);
    SAY(cudaMalloc3D(&box, extent));
    printf("%zu %zu %zu\n", box.pitch, box.xsize, box.ysize);
    SAY(cudaMemset3D(box, 3, extent));
    unsigned char plain[4][5][6];
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(plain, 6, 6, 5);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    SAY(cudaMemcpy3D(&copy));
    printf("%d %d\n", plain[0][0][0], plain[3][4][5]);
    copy = {};
    SAY(cudaMemcpy3D(&copy));
    SAY(cudaFree(box.ptr));
    SAY(cudaFree(device));
}

static void kinds() {
    int *device, *pinned, *managed, value = 41;
    SAY(cudaMalloc(&device, 64));
    SAY(cudaHostAlloc(&pinned, 64, cudaHostAllocMapped));
    SAY(cudaMallocManaged(&managed, 64));
    kind("device", device);
    kind("inside", device + 1);
    kind("stack", &value);
    kind("pinned", pinned);
    kind("managed", managed);
    int *plain = (int *)aligned_alloc(4096, 8192), *mapped;
    SAY(cudaHostRegister(plain, 8192, cudaHostRegisterMapped));
    kind("registered", plain);
    SAY(cudaHostRegister(plain, 8192, cudaHostRegisterDefault));
    *plain = *pinned = *managed = 41;
    SAY(cudaHostGetDevicePointer(&mapped, plain, 0));
    add_one<<<1, 1>>>(mapped);
    SAY(cudaHostGetDevicePointer(&mapped, pinned, 0));
    add_one<<<1, 1>>>(mapped);
    add_one<<<1, 1>>>(managed);
    SAY(cudaDeviceSynchronize());
    printf("%d %d %d\n", *plain, *pinned, *managed);
    SAY(cudaHostUnregister(plain));
    SAY(cudaHostUnregister(plain));
    SAY(cudaHostGetDevicePointer(&mapped, plain, 0));
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    SAY(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, here));
    SAY(cudaMemPrefetchAsync(managed, 64, here, 0, 0));
    SAY(cudaFree(device));
    SAY(cudaFree(managed));
    SAY(cudaFreeHost(pinned));
    free(plain);
}

/* Since CUDA 13: batches, and pools by location. */
static void newer() {
    char *from, *to, back[8];
    cudaStream_t stream;
    SAY(cudaStreamCreate(&stream));
    SAY(cudaMalloc(&from, 8));
    SAY(cudaMalloc(&to, 8));
    SAY(cudaMemcpy(from, "abcdefg", 8, cudaMemcpyHostToDevice));
    void *targets[] = {to + 4, to};
    const void *sources[] = {from, from + 4};
    size_t sizes[] = {4, 4}, first = 0;
    cudaMemcpyAttributes how = {};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    SAY(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &how, &first, 1, stream));
    SAY(cudaMemcpyBatchAsync(targets, sources, sizes, 2, &how, &first, 1, cudaStreamLegacy));
    SAY(cudaMemcpy(back, to, 8, cudaMemcpyDeviceToHost));
    printf("%.3s %.4s\n", back, back + 4);
    cudaMemcpy3DBatchOp box = {};
    box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
    box.src.op.ptr.ptr = from, box.src.op.ptr.rowLength = 4;
    box.dst.op.ptr.ptr = to;
    box.extent = make_cudaExtent(2, 2, 1);
    box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    SAY(cudaMemcpy3DBatchAsync(1, &box, 0, stream));
    SAY(cudaMemcpy(back, to, 8, cudaMemcpyDeviceToHost));
    printf("%.4s\n", back);
    cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    cudaMemPool_t pool, now;
    void *p;
    SAY(cudaMemGetDefaultMemPool(&pool, &host, cudaMemAllocationTypePinned));
    SAY(cudaMemGetMemPool(&now, &host, cudaMemAllocationTypePinned));
    SAY(cudaMemSetMemPool(&host, cudaMemAllocationTypePinned, pool));
    SAY(cudaMallocFromPoolAsync(&p, 100, pool, stream));
    memset(p, 1, 100);
    printf("%s pool\n", now == pool ? "same" : "another");
    SAY(cudaFreeAsync(p, stream));
    SAY(cudaFree(from));
    SAY(cudaFree(to));
    SAY(cudaStreamDestroy(stream));
}

int main() {
    allocation();
    copies();
    boxes();
    kinds();
    size_t unused, total;
    SAY(cudaMemGetInfo(&unused, &total));
    printf("%d\n", unused > 0 && unused <= total);
    newer();
    return 0;
}
