/* A device's description: properties, the attributes that repeat them, limits, versions. */
#include "program.h"

int main() {
    int count, value, driver, runtime;
    cudaDeviceProp p;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDeviceProperties(&p, 0));
    printf("%d at least, capability %d.%d\n", count >= 1, p.major, p.minor);
    printf("warp %d, threads %d, block %d %d %d, grid %d %d %d\n", p.warpSize, p.maxThreadsPerBlock,
           p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1],
           p.maxGridSize[2]);
    printf("shared %zu %zu %zu, registers %d %d, constant %zu\n", p.sharedMemPerBlock,
           p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor, p.regsPerBlock, p.regsPerMultiprocessor,
           p.totalConstMem);
    printf("threads of a multiprocessor %d, blocks %d\n", p.maxThreadsPerMultiProcessor,
           p.maxBlocksPerMultiProcessor);
    printf("unified %d, managed %d, mapped %d, cooperative %d\n", p.unifiedAddressing, p.managedMemory,
           p.canMapHostMemory, p.cooperativeLaunch);
    struct {
        const char *name;
        cudaDeviceAttr attribute;
        int same;
    } list[] = {{"multiprocessors", cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
                {"L2", cudaDevAttrL2CacheSize, p.l2CacheSize},
                {"bus width", cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
                {"engines", cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
                {"pitch", cudaDevAttrMaxPitch, (int)p.memPitch},
                {"texture alignment", cudaDevAttrTextureAlignment, (int)p.textureAlignment},
                {"ECC", cudaDevAttrEccEnabled, p.ECCEnabled}};
    for (auto &each : list) {
        CHECK(cudaDeviceGetAttribute(&value, each.attribute, 0));
        printf("%s: same %d\n", each.name, value == each.same);
    }
    size_t heap, fifo, unused, total;
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
    printf("heap %zu, printf %d\n", heap, fifo > 0);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    printf("heap %zu\n", heap);
    CHECK(cudaMemGetInfo(&unused, &total));
    printf("free %d, all %d\n", unused > 0 && unused <= total, total == p.totalGlobalMem);
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    printf("runtime %d, driver no older: %d\n", runtime / 1000, driver >= runtime);
    printf("%s\n", cudaGetErrorName(cudaGetDeviceProperties(&p, 999)));
    printf("%s\n", cudaGetErrorName(cudaSetDevice(-1)));
    printf("%s\n", cudaGetErrorName(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0)));
    printf("%s, %s\n", cudaGetErrorString(cudaErrorInvalidDevice), cudaGetErrorName((cudaError_t)54321));
}
