// A kernel that the simulator refuses.
__global__ void refused() {
    asm volatile("wgmma.fence.sync.aligned;");
}
int main() {
    refused<<<1, 32>>>();
    return 0;
}
