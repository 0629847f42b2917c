/* How fast blocks that only move a problem's tiles are: a bound of what permutes it by tiles.
 *
 * usage: tile_bound [--device NAME] [--arena MIB] [--rounds N] < PROBLEMS
 *
 * A problem is a line, sizes in elements, as tests/speed/mover_gains.c reads them; arrays have no gaps:
 *     transpose WIDTH BATCH ROWS COLS COLS ROWS 0 0
 *     permute WIDTH RANK SIZE... ORDER... 0 0
 * The output has a line for each: problem, bytes, the times of wl_copy of as many bytes, of the library's
 * call and of the fastest blocks in microseconds, the two shares of the copy, and the extents, order and
 * bytes of shared memory of these blocks ("-" where no tile suits).  Then come the geometric means.  Problems
 * that only copy have no line.  Others that cannot be measured have a message, and the exit status is 1.
 *
 * Tiles are tried by `runs` and MEMORY below, in all of the library's orders.  A time is the median of ROUNDS
 * replays of a graph that repeats the call on consecutive places of the arena, which has twice MIB.  The
 * simulator's times mean nothing.  `prof --check race` finds that tiles at the end of a dimension overlap. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/statistics.h"
#include "ladder/ladder.h"
#include "lib/embed.h"
#include "lib/launch.h"
#include "lib/permute/permute_plan.h"
#include "tests/speed/bound/tile_bound.h"
#include "tests/speed/random_bytes.h"

#define MODULE(name, least, source, definitions, kernels) WL_EMBED(name)
#include "tests/speed/bound/kernels.def"

static const struct wl__module modules[] = {
#define MODULE(name, least, source, definitions, kernels) WL_EMBEDDED(name, kernels)
#define KERNEL(name)                                      WL_EMBEDDED_KERNEL(name)
#include "tests/speed/bound/kernels.def"
};

enum {
    KERNEL_TILE_BOUND = WL_KERNEL_COUNT,
    ALIGN = 4096,
    REPEATS = 64,
    NUMBERS = 64,
    PIECES = 1 << 15,
    SMALL = 1 << 20,
    CHECKED = 32 << 20,
    ROUNDS = 63
};
/* Contiguous bytes that a tile aims at, in either array; the least and most bytes of a tile. */
static const unsigned runs[] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
enum { RUNS = sizeof runs / sizeof *runs, LEAST = 2 << 10, MEMORY = 100 << 10, ORDERS = 4, BEST = 4 };

static wl_context *context;
static wl_devptr arena, tables;
static uint64_t half = 1280;
static unsigned rounds = 7;
static wl_event *before, *after;

struct problem {
    struct wl__permute_shape shape;
    uint64_t bytes, repeats, apart;
    uint64_t sizes[WL_RANK_MAX];
    unsigned width, rank, order[WL_RANK_MAX];
    bool is_transpose;
};

/* Blocks, and how long they take. */
struct blocks {
    struct wl_tile_bound launch;
    uint64_t extent[WL_RANK_MAX];
    unsigned order, memory;
    double time;
};

/* What makes them: the runs that their tiles aim at, and the order. */
struct way {
    unsigned in_run, out_run, order;
    double time;
};

/* ---------------------------------------------------------------- problems */

/* Reads the numbers of a line behind its first word; false if there are too many, or other words. */
static bool read_numbers(char *rest, uint64_t n[NUMBERS], unsigned *count) {
    char *word, *end;
    for (*count = 0; (word = strtok_r(NULL, " ", &rest)); (*count)++) {
        if (*count == NUMBERS || *word < '0' || *word > '9')
            return false;
        n[*count] = strtoull(word, &end, 10);
        if (*end || n[*count] > INT64_MAX)
            return false;
    }
    return true;
}

/* Reads a line's sizes and order.  Returns what is wrong with it, or NULL. */
static const char *read_shape(const char *line, struct problem *p) {
    char copy[1024], *rest = NULL;
    uint64_t n[NUMBERS];
    unsigned count, seen = 0;
    snprintf(copy, sizeof copy, "%s", line);
    const char *kind = strtok_r(copy, " ", &rest);
    if (!kind || !read_numbers(rest, n, &count))
        return "a problem is a word and numbers";
    p->is_transpose = strcmp(kind, "transpose") == 0;
    if (p->is_transpose) {
        if (count != 8 || n[4] != n[3] || n[5] != n[2] || n[6] || n[7])
            return "a transpose is WIDTH BATCH ROWS COLS COLS ROWS 0 0";
        p->rank = 3;
        memcpy(p->sizes, n + 1, 3 * sizeof *n);
        memcpy(p->order, (const unsigned[]){0, 2, 1}, sizeof(unsigned[3]));
    } else {
        if (strcmp(kind, "permute") != 0 || count < 2 || n[1] > WL_RANK_MAX || count != 4 + 2 * n[1] ||
            n[count - 2] || n[count - 1])
            return "a problem is a transpose, or permute WIDTH RANK SIZE... ORDER... 0 0";
        p->rank = (unsigned)n[1];
        for (unsigned i = 0; i < p->rank; i++) {
            p->sizes[i] = n[2 + i];
            p->order[i] = (unsigned)n[2 + p->rank + i];
            if (n[2 + p->rank + i] >= p->rank || (seen & 1u << p->order[i]))
                return "the order must hold each dimension once";
            seen |= 1u << p->order[i];
        }
    }
    if (n[0] == 0 || n[0] > 16 || (n[0] & (n[0] - 1)))
        return "the width must be 1, 2, 4, 8 or 16";
    p->width = (unsigned)n[0];
    return NULL;
}

/* The same, and what the problem takes.  shape.rank is less than 2 if it only copies. */
static const char *parse(const char *line, struct problem *p) {
    memset(p, 0, sizeof *p);
    const char *wrong = read_shape(line, p);
    if (wrong)
        return wrong;
    p->bytes = p->width;
    for (unsigned i = 0; i < p->rank; i++) {
        if (p->sizes[i] == 0)
            return "a size is 0";
        if (p->bytes > half / p->sizes[i])
            return "it is larger than --arena";
        p->bytes *= p->sizes[i];
    }
    p->apart = (p->bytes + ALIGN - 1) / ALIGN * ALIGN + ALIGN;
    p->repeats = half / p->apart < REPEATS ? half / p->apart : REPEATS;
    wl__permute_reduce(&p->shape, p->width, 0, 0, p->rank, p->sizes, p->order);
    return p->repeats ? NULL : "it is larger than --arena";
}

/* ---------------------------------------------------------------- calls */

struct work {
    const struct problem *problem;
    struct blocks *blocks; /* NULL: the library's call */
    bool copies;
};

static wl_error call(const struct work *w, wl_devptr to, wl_devptr from, wl_stream stream) {
    const struct problem *p = w->problem;
    if (w->copies)
        return wl_copy(context, to, from, p->bytes, stream);
    if (w->blocks) {
        struct wl_tile_bound *launch = &w->blocks->launch;
        launch->tiles.to = to;
        launch->tiles.from = from;
        void *arguments[] = {launch};
        return wl__launch_shared(context, KERNEL_TILE_BOUND, launch->tiles.tiles, 1,
                                 (struct wl__block){WL_BOUND_THREADS, 1}, w->blocks->memory, arguments,
                                 stream);
    }
    if (p->is_transpose)
        return wl_transpose_batched(
            context, p->width, to, from,
            &(wl_transpose_layout){.batch = p->sizes[0], .rows = p->sizes[1], .cols = p->sizes[2]}, stream);
    return wl_permute(context, p->width, to, from, p->rank, p->sizes, p->order, stream);
}

static wl_error call_all(void *argument, wl_stream stream) {
    const struct work *w = argument;
    wl_error error = WL_ERROR_OK;
    for (uint64_t i = 0; !error && i < w->problem->repeats; i++)
        error = call(w, arena + half + i * w->problem->apart, arena + i * w->problem->apart, stream);
    return error;
}

/* The median of some replays, in microseconds, after one more.  The program ends if it fails. */
static double time_of(struct work work, unsigned count) {
    wl_replay *replay = NULL;
    double times[ROUNDS];
    wl_error error = wl__replay_create(context, call_all, &work, &replay);
    for (unsigned i = 0; !error && i <= count; i++) {
        float milliseconds = 0;
        error = wl__event_record(before, NULL);
        error = error ? error : wl__replay_launch(replay, NULL);
        error = error ? error : wl__event_record(after, NULL);
        error = error ? error : wl__event_elapsed(before, after, &milliseconds);
        times[i ? i - 1 : 0] = 1000 * (double)milliseconds;
    }
    wl__replay_destroy(replay);
    if (error) {
        fprintf(stderr, "tile_bound: %s\n", wl_message());
        exit(1);
    }
    return bench_summarise(times, count).median / (double)work.problem->repeats;
}

/* ---------------------------------------------------------------- blocks */

/* Describes the pieces of a tile on one side, and fills their table. */
static bool make_side(struct wl_bound_side *side, const struct problem *p, const uint64_t *extent,
                      bool by_out, uint32_t *table) {
    const struct wl__permute_shape *shape = &p->shape;
    const unsigned bytes = wl__permute_run(extent, shape, by_out);
    uint64_t pieces = 1;
    unsigned first = 0, i;
    while (first < shape->rank && extent[wl__permute_dim(shape, by_out, first)] ==
                                      shape->dim[wl__permute_dim(shape, by_out, first)].size)
        first++;
    /* Part of one more dimension is contiguous. */
    for (i = ++first; i < shape->rank; i++)
        pieces *= extent[wl__permute_dim(shape, by_out, i)];
    if (pieces > PIECES)
        return false;
    for (uint64_t piece = 0; piece < pieces; piece++) {
        uint64_t rest = piece, at = 0;
        for (i = first; i < shape->rank; i++) {
            const unsigned d = wl__permute_dim(shape, by_out, i);
            const uint64_t step = by_out ? shape->dim[d].out : shape->dim[d].in;
            at += rest % extent[d] * step * shape->width;
            rest /= extent[d];
        }
        if (at > UINT32_MAX)
            return false;
        table[piece] = (uint32_t)at;
    }
    side->pieces = (uint32_t)pieces;
    side->bytes = bytes;
    side->phase = bytes < WL_PERMUTE_LINE ? WL_PERMUTE_ACCESS : WL_PERMUTE_LINE;
    const uint32_t grain = wl__permute_grain(shape, extent, by_out, bytes),
                   most = bytes + (grain < side->phase ? side->phase - grain : 0);
    side->pitch = (most + side->phase - 1) / side->phase * side->phase / WL_PERMUTE_ACCESS;
    side->lanes = 0;
    while (side->lanes < 5 && (16u << side->lanes) < bytes + (bytes % 16 ? 15 : 0))
        side->lanes++;
    return true;
}

/* Makes blocks of such tiles; false if there are none. */
static bool make_blocks(struct blocks *b, const struct problem *p, struct way way) {
    static uint32_t table[2][PIECES];
    uint64_t bytes = p->shape.width;
    memset(b, 0, sizeof *b);
    wl__permute_extents(b->extent, &p->shape, way.in_run, way.out_run);
    for (unsigned d = 0; d < p->shape.rank; d++)
        bytes *= b->extent[d];
    if (bytes < LEAST || bytes > MEMORY || !make_side(&b->launch.in, p, b->extent, false, table[0]) ||
        !make_side(&b->launch.out, p, b->extent, true, table[1]) ||
        !wl__permute_number(&context->tuned->permute, &b->launch.tiles, &p->shape, b->extent, b->extent,
                            way.order))
        return false;
    b->order = way.order;
    const uint64_t memory = (uint64_t)b->launch.in.pieces * b->launch.in.pitch * WL_PERMUTE_ACCESS;
    if (memory > MEMORY || memory > wl__shared_for(context, 1, 0))
        return false;
    b->memory = (unsigned)memory;
    b->launch.stored = 1;
    while (2 * b->launch.stored * WL_PERMUTE_ACCESS <= bytes)
        b->launch.stored *= 2;
    b->launch.tiles.bytes = p->bytes;
    b->launch.in.table = tables;
    b->launch.out.table = tables + sizeof table[0];
    if (wl_upload(context, tables, table, sizeof table)) {
        fprintf(stderr, "tile_bound: %s\n", wl_message());
        exit(1);
    }
    return true;
}

/* Whether the blocks write all whole sectors of the output, both vectors of each: if not, they are no bound.
 * What was there is random, because shared memory that they do not fill may hold what filled an array before.
 */
static bool write_all(const struct problem *p, struct blocks *b) {
    const uint64_t sector = WL_PERMUTE_SECTOR, bytes = p->bytes / sector * sector;
    uint64_t *before_it = malloc(bytes + 1), *after_it = malloc(bytes + 1), state = p->bytes;
    bool all = before_it && after_it;
    for (uint64_t i = 0; all && i < bytes / sizeof state; i++)
        before_it[i] = random_word(&state);
    all = all && !wl_upload(context, arena + half, before_it, bytes) &&
          !call(&(struct work){.problem = p, .blocks = b}, arena + half, arena, NULL) &&
          !wl_synchronize(context) && !wl_download(context, after_it, arena + half, bytes);
    for (uint64_t at = 0; all && at < bytes; at += WL_PERMUTE_ACCESS)
        all = memcmp((char *)before_it + at, (char *)after_it + at, WL_PERMUTE_ACCESS) != 0;
    free(before_it);
    free(after_it);
    return all;
}

/* The time of blocks that have been made.  If they are no bound, the program ends. */
static double time_of_blocks(const struct problem *p, struct blocks *b, unsigned count, uint64_t checked) {
    if (p->bytes <= checked && !write_all(p, b)) {
        fprintf(stderr, "tile_bound: blocks of order %u leave sectors: %s\n", b->order, wl_message());
        exit(1);
    }
    return time_of((struct work){.problem = p, .blocks = b}, count);
}

static int by_time(const void *a, const void *b) {
    const double x = ((const struct way *)a)->time, y = ((const struct way *)b)->time;
    return x < y ? -1 : x > y;
}

/* Times all tiles once, each in every order; how many ways there are.  Of small arrays it checks all of them.
 */
static unsigned try_all(const struct problem *p, struct way ways[RUNS * RUNS * ORDERS]) {
    uint64_t seen[RUNS * RUNS][WL_RANK_MAX];
    unsigned count = 0, tiles = 0;
    struct blocks b;
    for (unsigned i = 0; i < RUNS * RUNS; i++) {
        struct way way = {.in_run = runs[i % RUNS], .out_run = runs[i / RUNS]};
        bool again = !make_blocks(&b, p, way);
        for (unsigned k = 0; k < tiles && !again; k++)
            again = memcmp(seen[k], b.extent, sizeof b.extent) == 0;
        if (again)
            continue;
        memcpy(seen[tiles++], b.extent, sizeof b.extent);
        for (way.order = 0; way.order < ORDERS; way.order++)
            if (make_blocks(&b, p, way)) {
                way.time = time_of_blocks(p, &b, 1, SMALL);
                ways[count++] = way;
            }
    }
    return count;
}

/* Tries all ways, and times the best again.  No bytes of memory: there is none. */
static struct blocks best_blocks(const struct problem *p) {
    struct way ways[RUNS * RUNS * ORDERS];
    const unsigned count = try_all(p, ways);
    struct blocks best = {.memory = 0}, b;
    qsort(ways, count, sizeof *ways, by_time);
    for (unsigned i = 0; i < count && i < BEST; i++) {
        make_blocks(&b, p, ways[i]);
        b.time = time_of_blocks(p, &b, rounds, CHECKED);
        if (i == 0 || b.time < best.time)
            best = b;
    }
    return best;
}

/* ---------------------------------------------------------------- the program */

struct means {
    double own, bound;
    unsigned count;
};

/* False, and a message, for a line that cannot be measured. */
static bool run(const char *line, struct means *means) {
    static const char *const orders[ORDERS] = {"pairs", "rows", "near", "streams"};
    struct problem p;
    const char *wrong = parse(line, &p);
    if (wrong) {
        fprintf(stderr, "tile_bound: '%s': %s\n", line, wrong);
        return false;
    }
    if (p.shape.rank < 2)
        return true;
    const double copy = time_of((struct work){.problem = &p, .copies = true}, rounds),
                 own = time_of((struct work){.problem = &p}, rounds);
    const struct blocks b = best_blocks(&p);
    printf("%s\t%" PRIu64 "\t%.2f\t%.2f\t", line, p.bytes, copy, own);
    if (b.memory == 0) {
        printf("-\t%.3f\t-\t-\n", copy / own);
    } else {
        const double share = copy / own, bound = copy / b.time;
        printf("%.2f\t%.3f\t%.3f\t", b.time, share, bound);
        for (unsigned d = p.shape.rank; d-- > 0;)
            printf("%" PRIu64 "%s", b.extent[d], d ? "x" : "");
        printf(" %s %u\n", orders[b.order], b.memory);
        means->count++;
        means->own += log(share);
        means->bound += log(bound > share ? bound : share);
    }
    fflush(stdout);
    return true;
}

/* A number from 1 to `most`; 0 if it is none. */
static uint64_t number(const char *word, uint64_t most) {
    char *end = NULL;
    const uint64_t n = *word >= '0' && *word <= '9' ? strtoull(word, &end, 10) : 0;
    return n && !*end && n <= most ? n : 0;
}

static int usage(const char *wrong) {
    fprintf(stderr,
            "tile_bound: %s\n"
            "usage: tile_bound [--device NAME] [--arena MIB] [--rounds 1 to 63] < PROBLEMS\n",
            wrong);
    return 2;
}

int main(int count, char **words) {
    enum { MOST_MIB = 1 << 20 };
    const char *device = "gpu";
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count)
            return usage("options have a value");
        if (strcmp(words[i], "--device") == 0)
            device = words[i + 1];
        else if (strcmp(words[i], "--arena") == 0)
            half = number(words[i + 1], MOST_MIB);
        else if (strcmp(words[i], "--rounds") == 0)
            rounds = (unsigned)number(words[i + 1], ROUNDS);
        else
            return usage("there is no such option");
    }
    if (rounds == 0 || half == 0)
        return usage("--arena must be 1 to 1048576, --rounds 1 to 63");
    static const struct wl__modules own = {modules, 1};
    wl__further_kernels(&own);
    if (wl_open(&context, device) || wl_alloc(context, &arena, half << 21) ||
        wl_alloc(context, &tables, 2 * PIECES * sizeof(uint32_t)) || wl__event_create(context, &before) ||
        wl__event_create(context, &after) || fill_randomly(context, arena, half << 21)) {
        fprintf(stderr, "tile_bound: %s\n", wl_message());
        return 1;
    }
    half <<= 20;
    char line[1024];
    struct means means = {0};
    bool all = true;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n\t")] = '\0';
        all = run(line, &means) && all;
    }
    if (means.count)
        printf(
            "# %u problems: %.3f of a copy in the geometric mean; %.3f by the better of the library and its "
            "bound\n",
            means.count, exp(means.own / means.count), exp(means.bound / means.count));
    wl__event_destroy(before);
    wl__event_destroy(after);
    wl_free(context, tables);
    wl_free(context, arena);
    wl_close(context);
    return all ? 0 : 1;
}
