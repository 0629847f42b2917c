/* The gain of each kernel module of the library over the best alternative.
 *
 * usage: mover_gains [--device NAME] [--capability N] [--arena MIB] [--rounds N] [--modules A,B,C] < PROBLEMS
 *        mover_gains --hot yes [...] < PROBLEMS
 *        mover_gains --dry yes [--modules A,B,C] < PROBLEMS
 *
 * A problem is a line; sizes and shifts are in elements (copy: in bytes):
 *     transpose WIDTH BATCH ROWS COLS FROM_LD TO_LD FROM_SHIFT TO_SHIFT
 *     permute WIDTH RANK SIZE... ORDER... FROM_SHIFT TO_SHIFT
 *     inplace WIDTH ROWS COLS
 *     deinterleave|interleave WIDTH FIELDS N STREAM_SHIFT PACKED_SHIFT
 *     structures deinterleave|interleave COUNT BYTES... N
 *     copy ROW_BYTES ROWS TO_PITCH FROM_PITCH FROM_SHIFT TO_SHIFT
 * It is run as the library chooses, and once more without each module that took part.  The output has a line
 * for each: problem, module, the modules used without it ("-": nothing else can), the two times in
 * microseconds, and whether both left the same bytes.  Times are medians of ROUNDS replays of a graph that
 * repeats the call on consecutive places in the arena, alternating between the two.  --capability makes the
 * library treat the device as an older one.  --modules leaves out all other modules' lines.  --dry only
 * prints problem and module.  Its arrays have no memory: it is for a driver that runs nothing
 * (tests/lib/fake_driver.c), which WIDELOAD_SIM_LIBRARY names.
 *
 * --hot times transposes and permutations by the mover of small arrays, which `module` then names, and
 * without it: 20 calls in a graph, all in the same place, so that the L2 holds the arrays.
 * scripts/latency_fit.py reads that.
 *
 * scripts/mover_gains.py makes the problems and the table.  Built with WL_MASKS (lib/mask.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder/ladder.h"
#include "lib/context.h"
#include "tests/speed/random_bytes.h"

bool wl__masks[WL_KERNEL_COUNT], wl__launched[WL_KERNEL_COUNT];

enum { ALIGN = 4096, REPEATS = 64, NUMBERS = 64, CHECKED = 32 << 20, HOT_CALLS = 20 };

static wl_context *context;
static wl_devptr arena, work;
static uint64_t half = 1280, work_bytes, most_repeats = REPEATS;
static unsigned rounds = 9;
static bool hot, of_interest[WL_MODULE_COUNT];

struct problem {
    char kind[16], way[16];
    uint64_t n[NUMBERS];
    unsigned count;
    uint64_t from_bytes, to_bytes, repeats;
};

static uint64_t round_up(uint64_t n) {
    return (n + ALIGN - 1) / ALIGN * ALIGN + ALIGN;
}

static bool is(const struct problem *p, const char *kind) {
    return strcmp(p->kind, kind) == 0;
}

/* The bytes that its arrays span, including shifts. */
static bool measure(struct problem *p) {
    const uint64_t *n = p->n;
    if (is(p, "transpose")) {
        p->from_bytes = n[0] * (n[1] * n[2] * n[4] + n[6]);
        p->to_bytes = n[0] * (n[1] * n[3] * n[5] + n[7]);
    } else if (is(p, "permute")) {
        uint64_t all = n[0];
        for (unsigned i = 0; i < n[1]; i++)
            all *= n[2 + i];
        p->from_bytes = all + n[0] * n[2 + 2 * n[1]];
        p->to_bytes = all + n[0] * n[3 + 2 * n[1]];
    } else if (is(p, "inplace")) {
        p->from_bytes = n[0] * n[1] * n[2];
        p->to_bytes = 0;
    } else if (is(p, "structures")) {
        uint64_t bytes = 0;
        for (unsigned i = 0; i < n[0]; i++)
            bytes += n[1 + i];
        p->from_bytes = p->to_bytes = bytes * n[1 + n[0]] + 256 * n[0];
    } else if (is(p, "copy")) {
        p->from_bytes = n[1] * n[3] + n[4];
        p->to_bytes = n[1] * n[2] + n[5];
    } else { /* streams, each with 256 extra bytes */
        p->from_bytes = p->to_bytes = n[0] * n[1] * n[2] + (n[0] * n[3] + 512) * n[1] + n[0] * n[4];
    }
    p->repeats = half / (round_up(p->from_bytes > p->to_bytes ? p->from_bytes : p->to_bytes));
    if (p->repeats > most_repeats)
        p->repeats = most_repeats;
    if (hot && p->repeats)
        p->repeats = HOT_CALLS;
    return p->repeats > 0;
}

static wl_error call(const struct problem *p, wl_devptr to, wl_devptr from, wl_stream stream) {
    const uint64_t *n = p->n;
    if (is(p, "transpose")) {
        const wl_transpose_layout layout = {
            .batch = n[1], .rows = n[2], .cols = n[3], .from_ld = n[4], .to_ld = n[5]};
        return wl_transpose_batched(context, (unsigned)n[0], to + n[0] * n[7], from + n[0] * n[6], &layout,
                                    stream);
    }
    if (is(p, "permute")) {
        unsigned order[WL_RANK_MAX], rank = (unsigned)n[1];
        for (unsigned i = 0; i < rank; i++)
            order[i] = (unsigned)n[2 + rank + i];
        return wl_permute(context, (unsigned)n[0], to + n[0] * n[3 + 2 * rank], from + n[0] * n[2 + 2 * rank],
                          rank, n + 2, order, stream);
    }
    if (is(p, "inplace")) {
        size_t bytes;
        wl_error error = wl_transpose_inplace_workspace(context, (unsigned)n[0], n[1], n[2], &bytes);
        if (!error && bytes > work_bytes)
            error = WL_ERROR_OUT_OF_MEMORY;
        return error ? error
                     : wl_transpose_inplace(context, (unsigned)n[0], from, n[1], n[2], work, bytes, stream);
    }
    if (is(p, "copy"))
        return wl_copy_2d(context, to + n[5], n[2], from + n[4], n[3], n[0], n[1], stream);
    wl_devptr arrays[256];
    const bool apart = strcmp(is(p, "structures") ? p->way : p->kind, "deinterleave") == 0;
    const wl_devptr packed = apart ? from : to;
    wl_devptr at = apart ? to : from;
    if (is(p, "structures")) {
        wl_field fields[WL_FIELDS_MAX];
        uint32_t offset = 0;
        for (unsigned i = 0; i < n[0]; i++) {
            fields[i] = (wl_field){offset, (uint32_t)n[1 + i]};
            offset += (uint32_t)n[1 + i];
            arrays[i] = at;
            at += (n[1 + i] * n[1 + n[0]] + 255) / 256 * 256;
        }
        return apart ? wl_deinterleave_fields(context, fields, (unsigned)n[0], offset, arrays, packed,
                                              n[1 + n[0]], stream)
                     : wl_interleave_fields(context, fields, (unsigned)n[0], offset, packed, arrays,
                                            n[1 + n[0]], stream);
    }
    for (unsigned i = 0; i < n[1]; i++)
        arrays[i] = at + i * ((n[0] * n[2] + 255) / 256 * 256 + 256) + n[0] * n[3];
    return apart ? wl_deinterleave(context, (unsigned)n[0], (unsigned)n[1], arrays, packed + n[0] * n[4],
                                   n[2], stream)
                 : wl_interleave(context, (unsigned)n[0], (unsigned)n[1], packed + n[0] * n[4], arrays, n[2],
                                 stream);
}

static wl_error call_all(void *argument, wl_stream stream) {
    const struct problem *p = argument;
    const uint64_t apart = hot ? 0 : round_up(p->from_bytes > p->to_bytes ? p->from_bytes : p->to_bytes);
    wl_error error = WL_ERROR_OK;
    for (uint64_t i = 0; !error && i < p->repeats; i++)
        error = call(p, arena + half + i * apart, arena + i * apart, stream);
    return error;
}

static unsigned module_of(unsigned kernel) {
    unsigned left = kernel;
    for (unsigned m = 0;; m++)
        for (const char *const *name = wl__library_modules.modules[m].kernels; *name; name++)
            if (left-- == 0)
                return m;
}

static void mask(unsigned module, bool masked) {
    for (unsigned k = 0; k < WL_KERNEL_COUNT; k++)
        if (module_of(k) == module)
            wl__masks[k] = masked;
}

/* Returns the modules launched since the last call. */
static unsigned take_launched(unsigned modules[WL_MODULE_COUNT]) {
    unsigned count = 0;
    for (unsigned k = 0; k < WL_KERNEL_COUNT; k++) {
        if (wl__launched[k] && (count == 0 || modules[count - 1] != module_of(k)))
            modules[count++] = module_of(k);
        wl__launched[k] = false;
    }
    return count;
}

/* Marks the modules of a list with commas, or all.  False: one has no such name. */
static bool choose_modules(const char *list) {
    for (unsigned m = 0; m < WL_MODULE_COUNT; m++)
        of_interest[m] = !list;
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        unsigned m = 0;
        while (m < WL_MODULE_COUNT && (strlen(wl__library_modules.modules[m].name) != length ||
                                       strncmp(wl__library_modules.modules[m].name, list, length) != 0))
            m++;
        if (m == WL_MODULE_COUNT) {
            fprintf(stderr, "mover_gains: --modules: lib/movers.def has no module '%.*s'\n", (int)length,
                    list);
            return false;
        }
        of_interest[m] = true;
        list += length + (list[length] == ',');
    }
    return true;
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static wl_event *before, *after;

static float sample(const struct problem *p, wl_replay *replay) {
    float milliseconds = 0;
    if (wl__event_record(before, NULL) || wl__replay_launch(replay, NULL) || wl__event_record(after, NULL) ||
        wl__event_elapsed(before, after, &milliseconds))
        fprintf(stderr, "%s\n", wl_message()), exit(1);
    return milliseconds * 1000 / (float)p->repeats;
}

/* A checksum of a call's output, in places that held other data before. */
static bool digest(const struct problem *p, uint64_t *sum) {
    const uint64_t bytes = is(p, "inplace") ? p->from_bytes : p->to_bytes;
    uint64_t *words = calloc(bytes / 8 + 1, 8), state = 1;
    *sum = 0;
    for (uint64_t i = 0; i < p->from_bytes / 8 && i < bytes / 8; i++)
        words[i] = state = state * 6364136223846793005u + 1442695040888963407u;
    wl_devptr result = is(p, "inplace") ? arena : arena + half;
    bool done = words && !wl_upload(context, arena, words, p->from_bytes < bytes ? p->from_bytes : bytes) &&
                (is(p, "inplace") || !wl_fill(context, arena + half, 0x5a, bytes, NULL)) &&
                !call(p, arena + half, arena, NULL) && !wl_synchronize(context) &&
                !wl_download(context, words, result, bytes);
    for (uint64_t i = 0; done && i < bytes / 8; i++)
        *sum = (*sum ^ words[i]) * 0x9e3779b97f4a7c15u + (*sum >> 29);
    free(words);
    return done;
}

/* Times two replays in turn, and prints the problem's line. */
static void print_times(struct problem *p, const char *line, const char *name, const unsigned *others,
                        unsigned count, wl_replay *all, wl_replay *without, bool same) {
    float a[64], b[64];
    for (unsigned i = 0; i < rounds + 1; i++) {
        a[i ? i - 1 : 0] = sample(p, all);
        b[i ? i - 1 : 0] = sample(p, without);
    }
    qsort(a, rounds, sizeof *a, by_value);
    qsort(b, rounds, sizeof *b, by_value);
    printf("%s\t%s\t", line, name);
    for (unsigned i = 0; i < count; i++)
        printf("%s%s", i ? "+" : "", wl__library_modules.modules[others[i]].name);
    printf("\t%.3f\t%.3f\t%s\n", (double)a[rounds / 2], (double)b[rounds / 2], same ? "same" : "DIFFERENT");
}

static void compare(struct problem *p, wl_replay *all, unsigned module, const char *line, uint64_t sum) {
    unsigned others[WL_MODULE_COUNT], count = 0;
    wl_replay *without = NULL;
    const char *name = wl__library_modules.modules[module].name;
    mask(module, true);
    take_launched(others);
    wl_error error = wl__replay_create(context, call_all, p, &without);
    count = take_launched(others);
    uint64_t other = 0;
    const bool same = error || p->to_bytes + p->from_bytes > CHECKED || (digest(p, &other) && other == sum);
    mask(module, false);
    if (error) {
        printf("%s\t%s\t-\t0\t0\t%s\n", line, name, "same");
        return;
    }
    print_times(p, line, name, others, count, all, without, same);
    wl__replay_destroy(without);
}

/* Makes the mover of small arrays take every problem that it can, or none. */
static void choose_small(bool always) {
    static struct wl__tuned tuned;
    tuned = *wl__tuned_for(context->capability);
    tuned.small.vectors = tuned.small.tiles = tuned.small.torn = always ? UINT32_MAX : 0;
    context->tuned = &tuned;
}

static void run_hot(struct problem *p, const char *line) {
    unsigned small[WL_MODULE_COUNT], others[WL_MODULE_COUNT];
    wl_replay *by_small = NULL, *by_others = NULL;
    uint64_t sum = 0, other = 0;
    choose_small(true);
    take_launched(small);
    wl_error error = wl__replay_create(context, call_all, p, &by_small);
    const unsigned count = take_launched(small);
    bool same = error || p->to_bytes + p->from_bytes > CHECKED || digest(p, &sum);
    choose_small(false);
    take_launched(others);
    error = error ? error : wl__replay_create(context, call_all, p, &by_others);
    const unsigned count_others = take_launched(others);
    same = same && (error || p->to_bytes + p->from_bytes > CHECKED || (digest(p, &other) && other == sum));
    if (error)
        fprintf(stderr, "%s: %s\n", line, wl_message());
    else if (count)
        print_times(p, line, wl__library_modules.modules[small[0]].name, others, count_others, by_small,
                    by_others, same);
    fflush(stdout);
    wl__replay_destroy(by_small);
    wl__replay_destroy(by_others);
}

static void run(char *line, bool dry) {
    struct problem p = {0};
    char *rest = NULL, copy[1024], *word;
    snprintf(copy, sizeof copy, "%s", line);
    word = strtok_r(copy, " ", &rest);
    snprintf(p.kind, sizeof p.kind, "%s", word ? word : "");
    if (is(&p, "structures"))
        snprintf(p.way, sizeof p.way, "%s", strtok_r(NULL, " ", &rest));
    while ((word = strtok_r(NULL, " ", &rest)) && p.count < NUMBERS)
        p.n[p.count++] = strtoull(word, NULL, 10);
    unsigned modules[WL_MODULE_COUNT];
    wl_replay *all = NULL;
    uint64_t sum = 0;
    if (p.count == 0 || !measure(&p))
        return;
    if (hot) {
        run_hot(&p, line);
        return;
    }
    take_launched(modules);
    wl_error error =
        dry ? call(&p, arena + half, arena, NULL) : wl__replay_create(context, call_all, &p, &all);
    unsigned count = take_launched(modules);
    if (error) {
        fprintf(stderr, "%s: %s\n", line, wl_message());
        return;
    }
    if (dry) {
        for (unsigned i = 0; i < count; i++)
            if (of_interest[modules[i]])
                printf("%s\t%s\n", line, wl__library_modules.modules[modules[i]].name);
        return;
    }
    if (p.to_bytes + p.from_bytes <= CHECKED)
        digest(&p, &sum);
    for (unsigned i = 0; i < count; i++)
        if (of_interest[modules[i]])
            compare(&p, all, modules[i], line, sum);
    fflush(stdout);
    wl__replay_destroy(all);
}

int main(int count, char **words) {
    const char *device = "gpu", *modules = NULL;
    unsigned capability = 0;
    bool dry = false;
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(words[i], "--device") == 0)
            device = words[i + 1];
        else if (strcmp(words[i], "--capability") == 0)
            capability = (unsigned)atoi(words[i + 1]);
        else if (strcmp(words[i], "--arena") == 0)
            half = strtoull(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--rounds") == 0)
            rounds = (unsigned)atoi(words[i + 1]);
        else if (strcmp(words[i], "--repeats") == 0)
            most_repeats = strtoull(words[i + 1], NULL, 10);
        else if (strcmp(words[i], "--modules") == 0)
            modules = words[i + 1];
        else if (strcmp(words[i], "--dry") == 0)
            dry = true;
        else if (strcmp(words[i], "--hot") == 0)
            hot = true;
    }
    if (!choose_modules(modules))
        return 2;
    if (dry) {
        device = "sim";
        arena = (wl_devptr)1 << 40;
        work = (wl_devptr)1 << 41;
    }
    half <<= 20;
    work_bytes = half / 2;
    if (rounds > 63 || rounds == 0 || wl_open(&context, device) ||
        (!dry && (wl_alloc(context, &arena, 2 * half) || wl_alloc(context, &work, work_bytes) ||
                  wl__event_create(context, &before) || wl__event_create(context, &after) ||
                  fill_randomly(context, arena, 2 * half)))) {
        fprintf(stderr, "mover_gains: %s\n", wl_message());
        return 1;
    }
    if (capability)
        context->capability = capability;
    char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        run(line, dry);
    }
    wl_device_info info;
    if (!wl_get_device_info(context, &info))
        printf("# %s\n", info.name);
    wl__event_destroy(before);
    wl__event_destroy(after);
    wl_close(context);
    return 0;
}
