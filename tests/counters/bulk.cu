// Bulk copies of known sizes and places: to shared memory, back, to another block's, to several blocks'.
// A kernel has no other global access, so that what moves is what the copies move.
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { SLOTS = 32768, SPAN = 40960, BLOCKS = 132, WORDS = BLOCKS * SPAN / 4 };

// What a launch copies; all in bytes except counts.  Copy k is in shared memory size * k bytes
// further on.
struct copies {
    unsigned size;
    unsigned shared; // first byte in the copying block's shared memory
    unsigned other;  // first byte in global memory, or in the other block's shared memory
    unsigned count;  // copies per lane
    unsigned stride; // distance of copies in global memory
    unsigned lanes;  // copying lanes per warp
    bool hint;
    unsigned mask;    // multicast: the blocks that receive
    unsigned issuers; // multicast: how many of the cluster's blocks copy
    unsigned step;    // send: distance to the target block; 0 is itself
};

static __host__ __device__ unsigned hash(unsigned i) {
    return i * 2654435761u ^ i >> 5;
}

static __device__ unsigned place(const void *shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

// Where shared memory for copies begins: at a line.
static __device__ char *begin() {
    extern __shared__ __align__(128) char slots[];
    if (place(slots) % 128)
        __trap();
    return slots;
}

static __device__ unsigned map(unsigned address, unsigned rank) {
    unsigned mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}

static __device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

static __device__ void meet() {
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

// Announces one arrival, and the bytes that the block is to receive.
static __device__ void expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(barrier)
                 : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

static __device__ void wait(unsigned barrier) {
    unsigned done;
    do
        asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
    while (!done);
}

// Traps unless the received words are the right ones.
static __device__ void check(const char *copy, unsigned size, unsigned first) {
    for (unsigned i = threadIdx.x; i < size / 4; i += blockDim.x)
        if (((const unsigned *)copy)[i] != hash(first / 4 + i))
            __trap();
}

__global__ void load(char *memory, copies c) {
    char *slots = begin();
    __shared__ unsigned long long object;
    unsigned lane = threadIdx.x % 32, copies = blockDim.x / 32 * c.lanes * c.count;
    char *from = memory + blockIdx.x * SPAN + c.other;
    if (threadIdx.x == 0)
        expect(place(&object), copies * c.size);
    __syncthreads();
    if (lane < c.lanes)
        for (unsigned i = 0; i < c.count; i++) {
            unsigned k = (threadIdx.x / 32 * c.lanes + lane) * c.count + i;
            unsigned to = place(slots) + c.shared + k * c.size;
            if (c.hint)
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                    "[%0], [%1], %2, [%3], %4;" ::"r"(to),
                    "l"(from + k * c.stride), "r"(c.size), "r"(place(&object)), "l"(0x14F0000000000000)
                    : "memory");
            else
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                             "[%0], [%1], %2, [%3];" ::"r"(to),
                             "l"(from + k * c.stride), "r"(c.size), "r"(place(&object))
                             : "memory");
        }
    wait(place(&object));
    for (unsigned k = 0; k < copies; k++)
        check(slots + c.shared + k * c.size, c.size, blockIdx.x * SPAN + c.other + k * c.stride);
}

__global__ void store(char *memory, copies c) {
    char *slots = begin();
    unsigned lane = threadIdx.x % 32, copies = blockDim.x / 32 * c.lanes * c.count;
    unsigned first = blockIdx.x * SPAN + c.other;
    for (unsigned k = 0; k < copies; k++)
        for (unsigned i = threadIdx.x; i < c.size / 4; i += blockDim.x)
            ((unsigned *)(slots + c.shared + k * c.size))[i] = ~hash((first + k * c.stride) / 4 + i);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (lane >= c.lanes)
        return;
    for (unsigned i = 0; i < c.count; i++) {
        unsigned k = (threadIdx.x / 32 * c.lanes + lane) * c.count + i;
        char *to = memory + first + k * c.stride;
        unsigned from = place(slots) + c.shared + k * c.size;
        if (c.hint)
            asm volatile(
                "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
                "r"(from), "r"(c.size), "l"(0x12F0000000000000)
                : "memory");
        else
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
                         "r"(c.size)
                         : "memory");
    }
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// Each block's first thread copies to another block of its cluster.
__global__ void __cluster_dims__(4, 1, 1) send(char *, copies c) {
    char *slots = begin();
    __shared__ unsigned long long object;
    char *from = slots + SLOTS / 2 + c.shared;
    for (unsigned i = threadIdx.x; i < c.size / 4; i += blockDim.x)
        ((unsigned *)from)[i] = hash(i);
    if (threadIdx.x == 0)
        expect(place(&object), c.count * c.size);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    meet();
    unsigned target = (rank() + c.step) % 4;
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < c.count; i++)
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                         "[%0], [%1], %2, [%3];" ::"r"(map(place(slots) + c.other + i * c.size, target)),
                         "r"(place(from)), "r"(c.size), "r"(map(place(&object), target))
                         : "memory");
    wait(place(&object));
    for (unsigned i = 0; i < c.count; i++)
        check(slots + c.other + i * c.size, c.size, 0);
    meet();
}

// The first blocks of a cluster load to those of the mask.
__global__ void __cluster_dims__(4, 1, 1) multicast(char *memory, copies c) {
    char *slots = begin();
    __shared__ unsigned long long object;
    bool receives = c.mask >> rank() & 1;
    if (threadIdx.x == 0)
        expect(place(&object), receives ? c.issuers * c.size : 0);
    meet();
    if (threadIdx.x == 0 && rank() < c.issuers)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1], %2, [%3], %4;" ::"r"(place(slots) + c.shared + rank() * c.size),
                     "l"(memory + rank() * SPAN + c.other), "r"(c.size), "r"(place(&object)),
                     "h"((unsigned short)c.mask)
                     : "memory");
    wait(place(&object));
    for (unsigned i = 0; receives && i < c.issuers; i++)
        check(slots + c.shared + i * c.size, c.size, i * SPAN + c.other);
    meet();
}

static char *memory;
static unsigned launches;

static void reset() {
    std::vector<unsigned> words(WORDS);
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = hash(i);
    if (cudaMemcpy(memory, words.data(), WORDS * 4, cudaMemcpyHostToDevice))
        exit(1);
}

// Number of words changed by a store.
static unsigned changed() {
    std::vector<unsigned> words(WORDS);
    unsigned count = 0;
    if (cudaMemcpy(words.data(), memory, WORDS * 4, cudaMemcpyDeviceToHost))
        exit(1);
    for (unsigned i = 0; i < WORDS; i++) {
        if (words[i] != hash(i) && words[i] != ~hash(i))
            printf("launch %u: word %u is 0x%x\n", launches, i, words[i]);
        count += words[i] == ~hash(i);
    }
    return count;
}

static void launch(void (*kernel)(char *, copies), copies c, unsigned blocks, unsigned threads) {
    launches++;
    kernel<<<blocks, threads, SLOTS>>>(memory, c);
    cudaError_t error = cudaDeviceSynchronize();
    if (error) {
        printf("launch %u: %s\n", launches, cudaGetErrorString(error));
        exit(1);
    }
}

static void both(copies c, unsigned blocks = 1, unsigned threads = 32) {
    launch(load, c, blocks, threads);
    launch(store, c, blocks, threads);
    printf("%u: %u words\n", launches, changed());
    reset();
}

static unsigned draw(unsigned limit) {
    static unsigned long long state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return (unsigned)((state >> 33) % limit);
}

static unsigned drawn_size() {
    return 16 + 16 * draw(100);
}

int main() {
    if (cudaMalloc(&memory, WORDS * 4))
        return 1;
    reset();
    for (unsigned size : {16, 32, 48, 96, 128, 144, 160, 272, 1040, 16384})
        for (unsigned other : {0, 16})
            both({size, 0, other, 1, size, 1});
    for (unsigned shared : {16, 32, 48, 112})
        for (unsigned other : {0, 16, 112})
            both({128, shared, other, 1, 0, 1});
    both({16, 0, 0, 3, 0, 1}), both({64, 0, 0, 4, 32, 1}), both({48, 0, 0, 32, 64, 1});
    both({16, 0, 0, 1, 16, 2}), both({64, 16, 16, 1, 64, 32}), both({64, 0, 0, 2, 64, 32}, 1, 128);
    both({128, 0, 0, 1, 128, 1}, 3, 96), both({1024, 0, 0, 4, 1024, 1}, BLOCKS);
    both({48, 0, 16, 2, 48, 3}, BLOCKS, 64), both({64, 0, 16, 2, 64, 1, true}),
        both({4096, 0, 0, 2, 4096, 1, true}, 8);
    for (unsigned blocks = 1; blocks <= 20; blocks++)
        both({drawn_size(), 16 * draw(16), 16 * draw(16), 1 + draw(3), 16 * draw(40), 1 + draw(4)}, blocks);
    for (unsigned size = 16; size <= 144; size += 16)
        for (unsigned other : {0, 16, 32, 48, 112})
            for (unsigned shared : {0, 16, 112})
                launch(send, {size, shared, other, 1, 0, 1, false, 0, 0, 1}, 4, 32);
    for (unsigned i = 1; i <= 30; i++)
        launch(send, {drawn_size(), 16 * draw(16), 16 * draw(16), 1 + draw(8), 0, 1, false, 0, 0, draw(4)},
               4 * i, 32);
    for (unsigned size = 16; size <= 144; size += 16)
        for (unsigned other : {0, 16, 32, 48})
            launch(multicast, {size, 0, other, 1, 0, 1, false, 1 + draw(15), 1}, 4, 32);
    for (unsigned i = 1; i <= 30; i++)
        launch(multicast,
               {drawn_size(), 16 * draw(16), 16 * draw(16), 1, 0, 1, false, 1 + draw(15), 1 + draw(4)}, 4 * i,
               32);
    printf("%u launches\n", launches);
    cudaFree(memory);
}
