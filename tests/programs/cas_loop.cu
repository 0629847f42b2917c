/* Operations without an atomic of their own, by compare-and-swap: the largest float, a product, a lock. */
#include "program.h"

__device__ float atomic_max(float *to, float value) {
    int *word = (int *)to, old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}

__device__ double atomic_multiply(double *to, double value) {
    unsigned long long *word = (unsigned long long *)to, old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __double_as_longlong(value * __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__device__ int lock;
__device__ int guarded[2];

__global__ void run(const float *data, float *most, double *product) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomic_max(most, data[i]);
    atomic_multiply(product, i % 4 ? 1 : 2);
    /* One lane at a time: a waiting lane must not block the holder. */
    for (bool done = false; !done;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            ((volatile int *)guarded)[0] += 1;
            ((volatile int *)guarded)[1] = ((volatile int *)guarded)[0] * 2;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

int main() {
    const int n = 128;
    float data[n], zero = -1e30f;
    double one = 1;
    for (int i = 0; i < n; i++)
        data[i] = (int)mix(i) / 1e6f;
    float *most = to_device(&zero, 1);
    double *product = to_device(&one, 1);
    run<<<2, 64>>>(to_device(data, n), most, product);
    CHECK_KERNEL();
    print_array("largest", most, 1);
    print_array("product", product, 1);
    int both[2];
    CHECK(cudaMemcpyFromSymbol(both, guarded, sizeof both));
    printf("%d %d\n", both[0], both[1]);
}
