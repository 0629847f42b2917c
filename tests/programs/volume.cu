/* Three-dimensional memory: cudaMalloc3D, cudaMemset3D, cudaMemcpy3D of a box inside a box. */
#include "program.h"

__global__ void paint(cudaPitchedPtr at, cudaExtent size) {
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    size_t elements = size.width / sizeof(int);
    if (x < elements) {
        char *slice = (char *)at.ptr + z * at.pitch * size.height;
        ((int *)(slice + y * at.pitch))[x] += x + 100 * y + 10000 * z;
    }
}

int main() {
    const int w = 20, h = 7, d = 5;
    cudaPitchedPtr at;
    cudaExtent size = make_cudaExtent(w * sizeof(int), h, d);
    CHECK(cudaMalloc3D(&at, size));
    printf("pitch %zu, %zu x %zu\n", at.pitch, at.xsize, at.ysize);
    CHECK(cudaMemset3D(at, 1, size));
    paint<<<dim3(h, d), 32>>>(at, size);
    CHECK_KERNEL();

    static int host[d][h][w], box[2][3][4];
    cudaMemcpy3DParms all = {};
    all.srcPtr = at;
    all.dstPtr = make_cudaPitchedPtr(host, w * sizeof(int), w, h);
    all.extent = size;
    all.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&all));
    printf("%d %d %08x\n", host[0][0][0] - 0x01010101, host[d - 1][h - 1][w - 1] - 0x01010101,
           digest(host, sizeof host));

    cudaMemcpy3DParms some = {};
    some.srcPtr = at;
    some.srcPos = make_cudaPos(3 * sizeof(int), 2, 1);
    some.dstPtr = make_cudaPitchedPtr(box, sizeof box[0][0], 4, 3);
    some.extent = make_cudaExtent(sizeof box[0][0], 3, 2);
    some.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3DAsync(&some, 0));
    CHECK(cudaDeviceSynchronize());
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            printf("%d %d\n", box[z][y][0] - 0x01010101, box[z][y][3] - 0x01010101);
    CHECK(cudaFree(at.ptr));
}
