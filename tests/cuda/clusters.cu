// Kernels that request clusters of blocks in different ways; each writes 4 numbers per block about them.
static __device__ void tell(unsigned *out) {
    unsigned clusters, blocks, rank, given;
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(given));
    unsigned *to = out + 4 * (blockIdx.x + gridDim.x * blockIdx.y);
    to[0] = clusters, to[1] = blocks, to[2] = rank, to[3] = given;
}

extern "C" {
__global__ void plain(unsigned *out) {
    tell(out);
}
__global__ void __cluster_dims__(4, 1, 1) four(unsigned *out) {
    tell(out);
}
__global__ void __cluster_dims__(16, 1, 1) sixteen(unsigned *out) {
    tell(out);
}
__global__ void __cluster_dims__() some(unsigned *out) {
    tell(out);
}
__global__ void __launch_bounds__(128, 1, 4) at_most_four(unsigned *out) {
    tell(out);
}
__global__ void __launch_bounds__(128, 1, 7) at_most_seven(unsigned *out) {
    tell(out);
}
}
