/* CUDA arrays and texture objects: making, copying, describing, fetching. */
#include <cstring>

#include "say.h"

/* The byte copies are deprecated, but programs still use them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { W = 20, H = 6, D = 3 };

__global__ void fetch_rows(cudaTextureObject_t t, float *out, int width) {
    out[threadIdx.y * width + threadIdx.x] = tex2D<float>(t, threadIdx.x + .5f, threadIdx.y + .5f);
}
__global__ void fetch_bytes(cudaTextureObject_t t, float4 *out) {
    out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x);
}
__global__ void fetch_space(cudaTextureObject_t t, int *out) {
    int i = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[i] = tex3D<int2>(t, threadIdx.x, threadIdx.y, threadIdx.z).y;
}
__global__ void fetch_layer(cudaTextureObject_t t, int *out, int layer) {
    out[threadIdx.x] = tex2DLayered<int2>(t, threadIdx.x % W, threadIdx.x / W, layer).x;
}

static void info(cudaArray_t array) {
    cudaChannelFormatDesc desc;
    cudaExtent extent;
    unsigned flags;
    SAY(cudaArrayGetInfo(&desc, &extent, &flags, array));
    printf("%d %d %d %d kind %d, %zu x %zu x %zu, flags %u\n", desc.x, desc.y, desc.z, desc.w, (int)desc.f,
           extent.width, extent.height, extent.depth, flags);
}

static void planes() {
    cudaArray_t array, other;
    float in[H][W], out[H][W];
    for (int i = 0; i < H * W; i++)
        in[i / W][i % W] = i * .25f;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    SAY(cudaMallocArray(&array, &desc, W, H));
    SAY(cudaMallocArray(&other, &desc, W, H));
    info(array);
    memset(&desc, 0, sizeof desc);
    SAY(cudaGetChannelDesc(&desc, array));
    printf("%d %d\n", desc.x, (int)desc.f);
    SAY(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], H, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, sizeof in[0], H));
    memset(out, 0, sizeof out);
    SAY(cudaMemcpy2DFromArray(out, sizeof out[0], other, 0, 0, sizeof out[0], H, cudaMemcpyDeviceToHost));
    printf("%d\n", memcmp(in, out, sizeof in));
    memset(out, 0, sizeof out);
    SAY(cudaMemcpy2DFromArray(out, sizeof out[0], other, 8, 1, 12, 2, cudaMemcpyDefault));
    printf("%g %g %g, %g %g\n", out[0][0], out[0][2], out[0][3], out[1][0], out[1][2]);
    SAY(cudaMemcpyToArray(other, 4, 1, in, 100, cudaMemcpyHostToDevice));
    SAY(cudaMemcpyArrayToArray(array, 0, 0, other, 0, 1, 160));
    SAY(cudaMemcpyFromArray(out, array, 0, 0, 160, cudaMemcpyDeviceToHost));
    printf("%g %g %g %g\n", out[0][0], out[0][1], out[1][4], out[1][6]);
    SAY(cudaMemcpy2DToArray(array, 4, 0, in, sizeof in[0], sizeof in[0], H, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 1, in, sizeof in[0], sizeof in[0], H, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 0, in, 4, sizeof in[0], H, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], H, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpyToArray(array, 0, 0, in, sizeof in + 4, cudaMemcpyHostToDevice));

    cudaResourceDesc resource;
    cudaTextureDesc texture, same;
    cudaTextureObject_t object;
    memset(&resource, 0, sizeof resource);
    memset(&texture, 0, sizeof texture);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = other;
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeBorder;
    texture.borderColor[0] = 5;
    SAY(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    SAY(cudaGetTextureObjectTextureDesc(&same, object));
    printf("%d\n", memcmp(&texture, &same, sizeof same));
    memset(&resource, 0, sizeof resource);
    SAY(cudaGetTextureObjectResourceDesc(&resource, object));
    printf("%d %d\n", (int)resource.resType, resource.res.array.array == other);
    float *device;
    SAY(cudaMalloc(&device, (W + 1) * (H + 1) * 4));
    fetch_rows<<<1, dim3(W + 1, H + 1)>>>(object, device, W + 1);
    float fetched[H + 1][W + 1];
    SAY(cudaMemcpy(fetched, device, sizeof fetched, cudaMemcpyDeviceToHost));
    printf("%g %g %g %g\n", fetched[0][3], fetched[5][19], fetched[5][20], fetched[6][0]);
    SAY(cudaDestroyTextureObject(object));
    SAY(cudaDestroyTextureObject(object));
    SAY(cudaDestroyTextureObject(0));
    SAY(cudaFreeArray(array));
    SAY(cudaFreeArray(other));
    SAY(cudaFreeArray(NULL));
    SAY(cudaFree(device));
}

static void spaces() {
    static int2 in[D][H][W], out[D][H][W];
    for (int i = 0; i < D * H * W; i++)
        in[0][0][i] = make_int2(i, -i);
    for (int layered = 0; layered < 2; layered++) {
        cudaArray_t array;
        cudaChannelFormatDesc desc = cudaCreateChannelDesc<int2>();
        SAY(cudaMalloc3DArray(&array, &desc, make_cudaExtent(W, H, D), layered ? cudaArrayLayered : 0));
        info(array);
        cudaMemcpy3DParms p;
        memset(&p, 0, sizeof p);
        p.srcPtr = make_cudaPitchedPtr(in, W * sizeof in[0][0][0], W, H);
        p.dstArray = array;
        p.extent = make_cudaExtent(W, H, D);
        p.kind = cudaMemcpyHostToDevice;
        SAY(cudaMemcpy3D(&p));
        p.extent.depth = D + 1;
        SAY(cudaMemcpy3D(&p));
        memset(&p, 0, sizeof p);
        p.srcArray = array;
        p.srcPos = make_cudaPos(2, 1, 1);
        p.dstPtr = make_cudaPitchedPtr(out, W * sizeof in[0][0][0], W, H);
        p.extent = make_cudaExtent(3, 2, 2);
        p.kind = cudaMemcpyDeviceToHost;
        memset(out, 0, sizeof out);
        SAY(cudaMemcpy3D(&p));
        printf("%d %d %d %d\n", out[0][0][0].x, out[0][0][3].x, out[0][1][2].x, out[1][1][2].y);
        cudaResourceDesc resource;
        cudaTextureDesc texture;
        cudaTextureObject_t object;
        memset(&resource, 0, sizeof resource);
        memset(&texture, 0, sizeof texture);
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        texture.filterMode = cudaFilterModeLinear;
        SAY(cudaCreateTextureObject(&object, &resource, &texture, NULL));
        texture.filterMode = cudaFilterModePoint;
        SAY(cudaCreateTextureObject(&object, &resource, &texture, NULL));
        static int *device, fetched[D * H * W];
        SAY(cudaMalloc(&device, sizeof fetched));
        if (layered)
            fetch_layer<<<1, W * H>>>(object, device, 2);
        else
            fetch_space<<<1, dim3(W, H, D)>>>(object, device);
        SAY(cudaMemcpy(fetched, device, sizeof fetched, cudaMemcpyDeviceToHost));
        printf("%d %d\n", fetched[0], fetched[W * H - 1]);
        SAY(cudaFree(device));
        SAY(cudaDestroyTextureObject(object));
        SAY(cudaFreeArray(array));
    }
}

static void plain_memory() {
    unsigned char bytes[64], *device;
    float4 out[16], *results;
    for (int i = 0; i < 64; i++)
        bytes[i] = (unsigned char)(i * 51);
    SAY(cudaMalloc(&device, 64));
    SAY(cudaMalloc(&results, sizeof out));
    SAY(cudaMemcpy(device, bytes, 64, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    cudaTextureDesc texture;
    cudaTextureObject_t object;
    memset(&resource, 0, sizeof resource);
    memset(&texture, 0, sizeof texture);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = 64;
    texture.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    fetch_bytes<<<1, 16>>>(object, results);
    SAY(cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost));
    printf("%g %g %g %g\n", out[0].x, out[0].y, out[1].x, out[15].w);
    cudaResourceDesc back;
    SAY(cudaGetTextureObjectResourceDesc(&back, object));
    printf("%d %d %d\n", (int)back.resType, back.res.linear.devPtr == device, back.res.linear.desc.w);
    SAY(cudaDestroyTextureObject(object));
    resource.res.linear.desc.z = 0;
    SAY(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = 1000;
    SAY(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    resource.resType = cudaResourceTypeMipmappedArray;
    SAY(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    SAY(cudaCreateTextureObject(NULL, &resource, &texture, NULL));
    SAY(cudaFree(device));
    SAY(cudaFree(results));
}

int main() {
    planes();
    spaces();
    plain_memory();
    return 0;
}
