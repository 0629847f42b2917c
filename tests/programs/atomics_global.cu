/* Every atomic on global memory whose final result does not depend on order, and old values that prove
 * it. */
#include "program.h"

struct cells {
    int add, sub, min, max, bits_and, bits_or, bits_xor;
    unsigned inc, dec, umin, umax;
    unsigned long long add64, max64, and64, tickets;
    long long min64;
    float sum;
    double dsum;
    int system;
};

__global__ void run(cells *c, int *exchanged, int *tickets, const int *data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = data[i];
    atomicAdd(&c->add, x);
    atomicSub(&c->sub, i);
    atomicMin(&c->min, x);
    atomicMax(&c->max, x);
    atomicAnd(&c->bits_and, ~(1 << (i & 15)));
    atomicOr(&c->bits_or, 1 << (x & 31));
    atomicXor(&c->bits_xor, x);
    atomicInc(&c->inc, 99);
    atomicDec(&c->dec, 1000);
    atomicMin(&c->umin, (unsigned)x);
    atomicMax(&c->umax, (unsigned)x);
    atomicAdd(&c->add64, (unsigned long long)x << 20);
    atomicMax(&c->max64, (unsigned long long)(unsigned)x << 7);
    atomicMin(&c->min64, (long long)x * 1000);
    atomicAnd(&c->and64, ~(1ULL << (i & 63)));
    atomicAdd(&c->sum, (float)(i & 7));
    atomicAdd(&c->dsum, 0.5 * (i & 3));
    atomicAdd_system(&c->system, 1);
    atomicExch(&exchanged[i], x);
    /* Each ticket is drawn once. */
    tickets[atomicAdd(&c->tickets, 1ULL)] += 1;
    atomicCAS(&exchanged[i ^ 1], -1, 0);
}

int main() {
    const int n = 1024;
    int data[n];
    for (int i = 0; i < n; i++)
        data[i] = mix(i);
    cells start = {}, *c;
    start.bits_and = ~0;
    start.and64 = ~0ULL;
    start.umin = ~0U;
    start.dec = 5;
    c = to_device(&start, 1);
    int *exchanged = device_array<int>(n), *tickets = device_array<int>(n);
    run<<<8, 128>>>(c, exchanged, tickets, to_device(data, n));
    CHECK_KERNEL();
    cells *r = to_host(c, 1);
    printf("%d %d %d %d %x %x %x\n", r->add, r->sub, r->min, r->max, r->bits_and, r->bits_or, r->bits_xor);
    printf("%u %u %u %u\n", r->inc, r->dec, r->umin, r->umax);
    printf("%llx %llx %llx %llu %lld\n", r->add64, r->max64, r->and64, r->tickets, r->min64);
    printf("%g %g %d\n", r->sum, r->dsum, r->system);
    print_array("exchanged", exchanged, n);
    print_array("tickets", tickets, n);
    free(r);
}
