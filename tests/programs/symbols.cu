/* Device variables: constant, global, in a namespace, static, in a template, with initialisers and
 * pointers. */
#include "program.h"

__constant__ int weights[8] = {1, 2, 4, 8, 16, 32, 64, 128};
__device__ int counter = 5;
static __device__ double table[3][4] = {{1, 2}, {3}};
__device__ int *pointer = &counter;
__device__ const char *words[2] = {"one", "other"};
namespace inner {
__constant__ struct {
    float scale;
    long long offset;
} parameters = {0.5f, -3};
} // namespace inner
template <typename T> __device__ T shared_by_type = T(3);

__global__ void use(long long *out) {
    int i = threadIdx.x;
    long long sum = weights[i & 7] + counter + (long long)table[i % 3][i & 3] + *pointer + words[i & 1][0];
    sum += (long long)(inner::parameters.scale * 100) + inner::parameters.offset;
    sum += shared_by_type<int> * 1000 + (long long)(shared_by_type<float> * 10000);
    out[i] = sum;
}

int main() {
    long long *out = device_array<long long>(32);
    use<<<1, 32>>>(out);
    print_array("as written", out, 32);
    int values[2] = {77, 88}, five = 50;
    double row[4] = {9, 8, 7, 6};
    float quarter = 0.25f;
    CHECK(cudaMemcpyToSymbol(weights, values, sizeof values, 3 * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(counter, &five, sizeof five));
    CHECK(cudaMemcpyToSymbolAsync(table, row, sizeof row, sizeof row));
    CHECK(cudaMemcpyToSymbol(inner::parameters, &quarter, sizeof quarter));
    CHECK(cudaMemcpyToSymbol(shared_by_type<int>, &five, sizeof five));
    use<<<1, 32>>>(out);
    print_array("as copied", out, 32);
    void *address;
    size_t size;
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaGetSymbolSize(&size, table));
    CHECK(cudaMemset(address, 0, size));
    use<<<1, 32>>>(out);
    print_array("as filled", out, 32);
    CHECK(cudaMemcpyFromSymbol(values, weights, sizeof values, 2 * sizeof(int)));
    printf("%zu %d %d\n", size, values[0], values[1]);
    printf("beyond: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(counter, row, 8)));
    printf("no symbol: %s\n", cudaGetErrorName(cudaGetSymbolSize(&size, values)));
}
