// The fast transpose of a sparse matrix of triplets: count each column's entries, sum up the counts to where
// each column begins, scatter. nvcc -O3 -arch=sm_90 -lineinfo sparseTranspose.cu -o sparseTranspose;
// ./sparseTranspose [rows [columns [entries]]]
#include "check.h"

struct triplet {
    int row, col, value;
};

__global__ void countColumns(const triplet *in, int entries, int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries)
        atomicAdd(&counts[in[i].col], 1);
}

// One block: each thread sums up a stretch of the columns, then adds what comes before it.
__global__ void sumUp(const int *counts, int *starts, int cols) {
    __shared__ int sums[256];
    int each = (cols + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * each, sum = 0;
    int end = begin + each < cols ? begin + each : cols;
    for (int i = begin; i < end; i++)
        sum += counts[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    int before = 0;
    for (int t = 0; t < threadIdx.x; t++)
        before += sums[t];
    for (int i = begin; i < end; i++) {
        starts[i] = before;
        before += counts[i];
    }
}

// The entries of a column come in any order.
__global__ void scatter(const triplet *in, int entries, int *next, triplet *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries) {
        triplet t = in[i];
        out[atomicAdd(&next[t.col], 1)] = triplet{t.col, t.row, t.value};
    }
}

static int compare(const void *left, const void *right) {
    const triplet *a = (const triplet *)left, *b = (const triplet *)right;
    return a->row != b->row ? (a->row > b->row) - (a->row < b->row) : (a->col > b->col) - (a->col < b->col);
}

int main(int argc, char **argv) {
    int rows = argument(argc, argv, 1, 1000), cols = argument(argc, argv, 2, 800);
    int entries = argument(argc, argv, 3, 20000);
    if (rows < 1 || cols < 1 || entries < 1 || entries > (long)rows * cols) {
        fprintf(stderr, "a matrix has 1 row, column and entry or more, and no more entries than places\n");
        return 2;
    }
    size_t bytes = entries * sizeof(triplet);
    triplet *host = (triplet *)malloc(bytes), *back = (triplet *)malloc(bytes), *in, *out;
    long places = (long)rows * cols, apart = places / entries;
    for (int i = 0; i < entries; i++) {
        long place = i * apart + rand() % apart;
        host[i] = triplet{(int)(place / cols), (int)(place % cols), rand()};
    }
    int *counts, *starts;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMalloc(&counts, cols * sizeof(int)));
    CHECK(cudaMalloc(&starts, cols * sizeof(int)));
    CHECK(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(counts, 0, cols * sizeof(int)));
    CHECK(cudaMemset(out, 0, bytes));
    int block = 256, grid = (entries + block - 1) / block;
    countColumns<<<grid, block>>>(in, entries, counts);
    sumUp<<<1, 256>>>(counts, starts, cols);
    scatter<<<grid, block>>>(in, entries, starts, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, out, bytes, cudaMemcpyDeviceToHost));

    // The rows of the result must stand in order already; within each, its entries are put in order here.
    long wrong = 0;
    for (int i = 1; i < entries; i++)
        wrong += back[i].row < back[i - 1].row;
    for (int i = 0; i < entries; i++)
        host[i] = triplet{host[i].col, host[i].row, host[i].value};
    qsort(host, entries, sizeof *host, compare);
    qsort(back, entries, sizeof *back, compare);
    for (int i = 0; i < entries; i++)
        wrong += back[i].row != host[i].row || back[i].col != host[i].col || back[i].value != host[i].value;
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(counts));
    CHECK(cudaFree(starts));
    free(host);
    free(back);
    return verdict("sparseTranspose", wrong);
}
