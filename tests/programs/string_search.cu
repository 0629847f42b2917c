/* A word in a text: each thread tries one place; bytes read singly and as unaligned words. */
#include "program.h"

__global__ void find(const char *text, int n, const char *word, int length, int *count, int *first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n)
        return;
    for (int k = 0; k < length; k++)
        if (text[i + k] != word[k])
            return;
    atomicAdd(count, 1);
    atomicMin(first, i);
}

__global__ void upper(char4 *text, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    char4 c = text[i];
    c.x = c.x >= 'a' && c.x <= 'z' ? c.x - 32 : c.x;
    c.y = c.y >= 'a' && c.y <= 'z' ? c.y - 32 : c.y;
    c.z = c.z >= 'a' && c.z <= 'z' ? c.z - 32 : c.z;
    c.w = c.w >= 'a' && c.w <= 'z' ? c.w - 32 : c.w;
    text[i] = c;
}

int main() {
    const int n = 6000;
    char *host = (char *)malloc(n + 1);
    for (int i = 0; i < n; i++)
        host[i] = "aab cde"[mix(i) % 7];
    char *text = to_device(host, n);
    for (const char *word : {"a", "abba", "bad", "cab a"}) {
        int length = strlen(word), none = n;
        int *count = device_array<int>(1), *first = to_device(&none, 1);
        find<<<(n + 127) / 128, 128>>>(text, n, to_device(word, length + 1), length, count, first);
        CHECK_KERNEL();
        int c, f;
        CHECK(cudaMemcpy(&c, count, sizeof c, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(&f, first, sizeof f, cudaMemcpyDeviceToHost));
        printf("%s: %d, first at %d\n", word, c, f);
    }
    upper<<<(n / 4 + 255) / 256, 256>>>((char4 *)text, n / 4);
    CHECK_KERNEL();
    CHECK(cudaMemcpy(host, text, n, cudaMemcpyDeviceToHost));
    printf("%.50s %08x\n", host, digest(host, n));
    free(host);
}
