/* Thrust: fills, transforms, sorts and sums a device vector. */
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

#include "program.h"

struct scramble {
    __host__ __device__ int operator()(int x) const {
        return mix(x) % 100000;
    }
};

int main() {
    const int n = 3000;
    thrust::device_vector<int> v(n), w(n);
    thrust::sequence(v.begin(), v.end());
    thrust::transform(v.begin(), v.end(), w.begin(), scramble());
    thrust::sort(w.begin(), w.end());
    print_array("sorted", thrust::raw_pointer_cast(w.data()), n);
    long long sum = thrust::transform_reduce(v.begin(), v.end(), scramble(), 0LL, thrust::plus<long long>());
    printf("%lld\n", sum);
    w[0] = -7;
    printf("%d %d\n", (int)w[0], (int)w[n - 1]);
}
