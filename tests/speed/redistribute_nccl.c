/* How fast wl_redistribute is between processes, beside NCCL's own all-to-all of as many bytes: transposes of
 * square matrices of 4-byte elements, in slabs of rows.
 *
 *     redistribute_nccl [--ranks N] [--sizes 16384,32768] [--rounds 32,64] [--samples 15]
 *
 * With WIDELOAD_DEVICE=gpu a process for each GPU, and NVIDIA's NCCL; otherwise the stand-in, whose times
 * mean nothing.  --rounds are MiB that a rank sends in a round.  Samples of the two take turns.  Each begins
 * on the device when all ranks have come, and ends when the rank's stream has its outputs.  GB/s are the
 * bytes that a rank sends to others, in the median time of rank 0.  Every output is compared. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/context.h"
#include "lib/redistribute/exchange.h"
#include "tests/lib/nccl/ranks.h"

enum { SAMPLES_MOST = 200 };

static struct bench {
    struct rank *rank;
    uint64_t size, rows, first; /* of the matrix; rows of this rank, from the first on */
    unsigned samples;
    wl_devptr from, to, byte;
    CUevent begun, done;
} bench;

/* ---------------------------------------------------------------- NCCL */

static void need_nccl(int result, const char *what) {
    if (result)
        rank_fail(bench.rank, "%s: %d", what, result);
}

/* Sends as many bytes to each other rank, and gets as many. */
static void all_to_all(wl_devptr to, wl_devptr from, uint64_t bytes, uint64_t step) {
    const struct rank *rank = bench.rank;
    need_nccl(rank->ncclGroupStart(), "ncclGroupStart");
    for (unsigned r = 0; r < rank->ranks; r++) {
        if (r == rank->rank)
            continue;
        need_nccl(rank->ncclSend((const void *)(uintptr_t)(from + r * step), bytes, 0, (int)r, rank->comm,
                                 rank->stream),
                  "ncclSend");
        need_nccl(
            rank->ncclRecv((void *)(uintptr_t)(to + r * step), bytes, 0, (int)r, rank->comm, rank->stream),
            "ncclRecv");
    }
    need_nccl(rank->ncclGroupEnd(), "ncclGroupEnd");
}

/* ---------------------------------------------------------------- samples */

static int compare_floats(const void *a, const void *b) {
    const float one = *(const float *)a, other = *(const float *)b;
    return (one > other) - (one < other);
}

/* Begins once all ranks' streams are there. */
static void begin(void) {
    const struct rank *rank = bench.rank;
    all_to_all(bench.byte + 64, bench.byte, 1, 1);
    cuda_need(rank->cuda.cuEventRecord(bench.begun, rank->stream));
}

static float end(void) {
    const struct rank *rank = bench.rank;
    float milliseconds = 0;
    cuda_need(rank->cuda.cuEventRecord(bench.done, rank->stream));
    cuda_need(rank->cuda.cuStreamSynchronize(rank->stream));
    cuda_need(rank->context->driver.cuEventElapsedTime(&milliseconds, bench.begun, bench.done));
    return milliseconds;
}

static float median(float *times, unsigned count) {
    qsort(times, count, sizeof(*times), compare_floats);
    return times[count / 2];
}

/* Medians of both, after two of each that do not count. */
static void measure(wl_redistribution *plan, uint64_t bytes_each, float *ours, float *theirs) {
    const struct rank *rank = bench.rank;
    const wl_stream stream = rank->stream;
    static float times[2][SAMPLES_MOST + 2];
    for (unsigned i = 0; i < bench.samples + 2; i++) {
        begin();
        all_to_all(bench.to, bench.from, bytes_each, bytes_each);
        times[0][i] = end();
        begin();
        need(wl_redistribute(plan, &bench.to, &bench.from, &stream));
        times[1][i] = end();
    }
    need(wl_redistribution_wait(plan, 60000));
    *theirs = median(times[0] + 2, bench.samples);
    *ours = median(times[1] + 2, bench.samples);
}

/* ---------------------------------------------------------------- a matrix */

/* Element (r, c) is r * size + c, modulo 2^32. */
static void fill(uint32_t *host) {
    const struct rank *rank = bench.rank;
    for (uint64_t i = 0; i < bench.rows * bench.size; i++)
        host[i] = (uint32_t)(bench.first * bench.size + i);
    need(wl_upload(rank->context, bench.from, host, bench.rows * bench.size * 4));
    need(wl_fill(rank->context, bench.to, 0xff, bench.rows * bench.size * 4, NULL));
    need(wl_synchronize(rank->context));
}

static void check(uint32_t *host) {
    const struct rank *rank = bench.rank;
    need(wl_download(rank->context, host, bench.to, bench.rows * bench.size * 4));
    for (uint64_t i = 0; i < bench.rows * bench.size; i++) {
        const uint64_t row = i % bench.size, col = bench.first + i / bench.size;
        if (host[i] != (uint32_t)(row * bench.size + col))
            rank_fail(rank, "size %" PRIu64 ": element %" PRIu64 " is wrong", bench.size, i);
    }
}

static void run_rounds(uint64_t mib, uint32_t *host) {
    const struct rank *rank = bench.rank;
    const uint64_t each = bench.size / rank->ranks * (bench.size / rank->ranks) * 4,
                   crossing = each * (rank->ranks - 1);
    wl_redistribution *plan;
    float ours = 0, theirs = 0;
    wl__round_bytes = mib << 20;
    need(wl_transpose_distributed_create_nccl(&plan, rank->context, rank->comm, 4, bench.size, bench.size,
                                              NULL, NULL));
    fill(host);
    measure(plan, each, &ours, &theirs);
    check(host);
    wl_redistribution_destroy(plan);
    if (rank->rank == 0)
        printf("%6" PRIu64 "^2 f32  %7.1f MB  %4" PRIu64
               " MiB  %8.3f ms  %6.1f GB/s   %8.3f ms  %6.1f GB/s  %.2f\n",
               bench.size, (double)crossing / 1e6, mib, (double)ours, (double)crossing / (double)ours / 1e6,
               (double)theirs, (double)crossing / (double)theirs / 1e6, (double)theirs / (double)ours);
    fflush(stdout);
}

static void run_size(uint64_t size, const char *rounds) {
    struct rank *rank = bench.rank;
    const uint64_t rest = size % rank->ranks;
    bench.size = size;
    bench.rows = size / rank->ranks + (rank->rank < rest);
    bench.first = size / rank->ranks * rank->rank + (rank->rank < rest ? rank->rank : rest);
    const size_t bytes = (size_t)(bench.rows * size * 4);
    uint32_t *host = malloc(bytes);
    if (!host)
        rank_fail(rank, "no memory");
    need(wl_alloc(rank->context, &bench.from, bytes));
    need(wl_alloc(rank->context, &bench.to, bytes));
    for (const char *at = rounds; *at; at += strspn(at, "0123456789"), at += *at == ',')
        run_rounds(strtoull(at, NULL, 10), host);
    need(wl_free(rank->context, bench.from));
    need(wl_free(rank->context, bench.to));
    free(host);
}

/* Arguments: sizes, rounds, samples. */
static void run(struct rank *rank, int argc, char **argv) {
    bench.rank = rank;
    bench.samples = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
    if (bench.samples < 1 || bench.samples > SAMPLES_MOST)
        rank_fail(rank, "--samples must be 1 to %d", SAMPLES_MOST);
    rank_load(rank, true);
    rank_open(rank);
    cuda_need(rank->cuda.cuCtxSetCurrent(rank->primary));
    cuda_need(rank->cuda.cuEventCreate(&bench.begun, CU_EVENT_DEFAULT));
    cuda_need(rank->cuda.cuEventCreate(&bench.done, CU_EVENT_DEFAULT));
    need(wl_alloc(rank->context, &bench.byte, 128));
    if (rank->rank == 0)
        printf(
            "transpose        crosses   round      wl_redistribute          NCCL's all-to-all      ratio\n");
    for (const char *at = argv[0]; *at; at += strspn(at, "0123456789"), at += *at == ',')
        run_size(strtoull(at, NULL, 10), argv[1]);
    need(wl_free(rank->context, bench.byte));
    cuda_need(rank->cuda.cuEventDestroy(bench.begun));
    cuda_need(rank->cuda.cuEventDestroy(bench.done));
    rank_close(rank);
}

/* Numbers that are not 0, with commas between them. */
static bool is_list(const char *text) {
    const size_t digits = strspn(text, "0123456789");
    if (!digits || strspn(text, "0") == digits)
        return false;
    return !text[digits] || (text[digits] == ',' && is_list(text + digits + 1));
}

static int usage(void) {
    fprintf(stderr,
            "usage: redistribute_nccl [--ranks N] [--sizes N,...] [--rounds MIB,...] [--samples N]\n");
    return 2;
}

int main(int argc, char **argv) {
    static const struct rank_mode modes[] = {{"run", run}, {NULL, NULL}};
    const int status = ranks_child(argc, argv, modes);
    if (status >= 0)
        return status;
    const char *names[] = {"--ranks", "--sizes", "--rounds", "--samples"};
    const char *values[] = {"", ranks_on_gpus() ? "16384,32768" : "200", "32", "15", NULL};
    for (int i = 1; i < argc; i += 2) {
        unsigned option = 0;
        while (option < 4 && strcmp(argv[i], names[option]) != 0)
            option++;
        if (option == 4 || i + 1 == argc || !is_list(argv[i + 1]))
            return usage();
        values[option] = argv[i + 1];
    }
    const unsigned most = ranks_most(), ranks = *values[0]        ? (unsigned)atoi(values[0])
                                                : ranks_on_gpus() ? most
                                                                  : 2;
    if (ranks < 2 || ranks > most || ranks > 16) {
        fprintf(stderr, "redistribute_nccl: %u ranks: there must be 2 to 16, and %u devices are there\n",
                ranks, most);
        return 1;
    }
    return ranks_run("run", ranks, 540, values + 1, NULL) ? 1 : 0;
}
