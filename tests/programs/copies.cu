/* Copies in every direction and fills of every kind. */
#include "program.h"

int main() {
    const int n = 777;
    int host[n], back[n], *a = device_array<int>(n), *b = device_array<int>(n);
    for (int i = 0; i < n; i++)
        host[i] = mix(i);
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyDefault));
    CHECK(cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyAsync(a + 1, b, sizeof(int) * (n - 1), cudaMemcpyDefault, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    CHECK(cudaMemcpy(back, host, sizeof host, cudaMemcpyHostToHost));
    printf("%08x %08x\n", digest(host, sizeof host), digest(back, sizeof back));
    CHECK(cudaMemcpy(back, b, sizeof host, cudaMemcpyDefault));
    printf("%08x\n", digest(back, sizeof back));
    print_array("shifted", a, n);
    CHECK(cudaMemset((char *)a + 3, 0xa5, 1001));
    print_array("filled", a, n);
    CHECK(cudaMemsetAsync(b, 0x80, 5, cudaStreamLegacy));
    CHECK(cudaMemset(b, 1, 0));
    print_array("five bytes", b, n);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, a + 5));
    printf("type %d, device %d, inside %d\n", attributes.type, attributes.device,
           attributes.devicePointer == a + 5);
    CHECK(cudaPointerGetAttributes(&attributes, host));
    printf("type %d, device pointer %d\n", attributes.type, attributes.devicePointer != NULL);
}
