/* Calls through pointers: tables of functions, virtual functions, a pointer fetched by the host,
 * lambdas. */
#include "program.h"

typedef int (*operation)(int, int);
__device__ int add(int a, int b) {
    return a + b;
}
__device__ int multiply(int a, int b) {
    return a * b;
}
__device__ int average(int a, int b) {
    return (a + b) / 2;
}
__device__ operation table[] = {add, multiply, average};
__device__ operation single = multiply;

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};
struct square : shape {
    int side;
    __device__ square(int side) : side(side) {}
    __device__ int area() const override {
        return side * side;
    }
};
struct box : shape {
    int w, h;
    __device__ box(int w, int h) : w(w), h(h) {}
    __device__ int area() const override {
        return w * h;
    }
};

__global__ void run(int *out, operation from_host) {
    int i = threadIdx.x;
    out[i] = table[i % 3](i, 7) + from_host(i, 100);
    shape *mine = i % 2 ? (shape *)new square(i) : (shape *)new box(i, 3);
    out[32 + i] = mine->area();
    delete mine;
}

template <typename F> __global__ void apply(int *data, F f) {
    data[threadIdx.x] = f(data[threadIdx.x]);
}

int main() {
    int *out = device_array<int>(64);
    operation fetched;
    CHECK(cudaMemcpyFromSymbol(&fetched, single, sizeof fetched));
    run<<<1, 32>>>(out, fetched);
    CHECK_KERNEL();
    print_array("calls", out, 32);
    print_array("areas", out + 32, 32);
    int three = 3;
    auto line = [three] __device__(int x) { return three * x + 1; };
    apply<<<1, 64>>>(out, line);
    CHECK_KERNEL();
    print_array("lambda", out, 64);
}
