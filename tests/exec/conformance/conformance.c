/* conformance --driver LIBRARY [--reference LIBRARY] [--golden FILE] [--approximate FILE] [--record DIR]
 *            [--only TEXT] [--part K/N] [--mismatches N] [--ptx DIR]
 *
 * Runs every case on a driver's first device and compares the results: with --reference, to another driver's,
 * tuple by tuple; with --golden, to a file of hashes; with --approximate, to a file of results, within each
 * function's tolerance.  --record writes both files (with --driver's results), and with --reference all
 * mismatches.  --ptx only writes the modules, one per file.  --part runs every N-th batch, from the K-th on,
 * so that N processes can share the work.  Exit status: 0 all match, 1 some do not, 2 nothing was run.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/exec/conformance/compare.h"
#include "tests/exec/conformance/conformance.h"
#include "tests/exec/conformance/golden.h"

enum { BATCH = 100 };

struct options {
    const char *driver, *reference, *golden, *approximate, *record, *only, *ptx;
    unsigned mismatches, part, parts;
};

struct run {
    struct options options;
    struct case_list list;
    struct driver *driver, *reference;
    struct golden golden;
    FILE *hashes, *values, *mismatches;
    struct operands operands;
    struct results got, expected;
    size_t ran, refused, unlike, unrecorded;
};

static FILE *open_in(const char *directory, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    if (!f)
        perror(path);
    return f;
}

/* Compares with the reference tuple by tuple. */
static bool alike_reference(struct run *r, const struct conformance_case *one) {
    size_t bad = 0;
    double worst = 0;
    for (size_t i = 0; i < TUPLES; i++) {
        double error = 0;
        const bool same = tuple_matches(one, &r->got, &r->expected, i, &error);
        worst = fmax(worst, error);
        if (same)
            continue;
        if (bad < r->options.mismatches)
            tuple_print(stdout, one, &r->operands, &r->got, &r->expected, i);
        if (r->mismatches && bad < 256)
            tuple_print(r->mismatches, one, &r->operands, &r->got, &r->expected, i);
        bad++;
    }
    if (bad)
        printf("  %s: %zu of %d differ\n", one->name, bad, TUPLES);
    if (r->mismatches && (bad || one->approximate))
        fprintf(r->mismatches, "%s: %zu of %d differ; worst %.3g ulp\n", one->name, bad, TUPLES, worst);
    return bad == 0;
}

static bool alike_golden(struct run *r, const struct conformance_case *one) {
    const struct golden_entry *entry = golden_find(&r->golden, one->name);
    if (!entry) {
        printf("%s: not in the golden files\n", one->name);
        return false;
    }
    r->unrecorded += entry->unrecorded;
    if (entry->refused || entry->unrecorded)
        return true;
    if (one->approximate) {
        golden_expected(entry, one, &r->expected);
        for (size_t i = 0; i < TUPLES; i += GOLDEN_STEP) {
            double error;
            if (tuple_matches(one, &r->got, &r->expected, i, &error))
                continue;
            tuple_print(stdout, one, &r->operands, &r->got, &r->expected, i);
            return false;
        }
        return true;
    }
    const uint64_t hash = results_hash(one, &r->got);
    if (hash == entry->hash)
        return true;
    printf("%s: results %016" PRIx64 ", expected %016" PRIx64 "\n", one->name, hash, entry->hash);
    return false;
}

static bool run_case(struct run *r, struct driver_module *module, struct driver_module *reference, size_t i) {
    const struct conformance_case *one = &r->list.cases[i];
    operands_fill(one, &r->operands);
    if (!driver_run(r->driver, module, i, &r->operands, &r->got)) {
        printf("%s: %s\n", one->name, driver_error(r->driver));
        return false;
    }
    if (reference && !driver_run(r->reference, reference, i, &r->operands, &r->expected)) {
        printf("%s: reference: %s\n", one->name, driver_error(r->reference));
        return false;
    }
    r->ran++;
    if (r->hashes)
        golden_write(one->approximate ? r->values : r->hashes, one, &r->got);
    bool alike = !reference || alike_reference(r, one);
    if (r->options.golden)
        alike &= alike_golden(r, one);
    r->unlike += !alike;
    return true;
}

static bool run_batch(struct run *r, size_t first, size_t count) {
    bool refused[BATCH] = {false}, refused_by_reference[BATCH] = {false};
    struct driver_module *module = driver_load(r->driver, &r->list, first, count, refused), *reference = NULL;
    if (!module) {
        printf("cases %zu-%zu: %s\n", first, first + count - 1, driver_error(r->driver));
        return false;
    }
    memcpy(refused_by_reference, refused, sizeof refused);
    bool ok = true;
    if (r->reference &&
        !(reference = driver_load(r->reference, &r->list, first, count, refused_by_reference))) {
        printf("reference: %s\n", driver_error(r->reference));
        ok = false;
    }
    for (size_t i = 0; ok && i < count; i++) {
        const struct conformance_case *one = &r->list.cases[first + i];
        if (refused[i] || refused_by_reference[i]) {
            r->refused += refused[i];
            if (r->hashes)
                fprintf(one->approximate ? r->values : r->hashes, "%s refused\n", one->name);
            const struct golden_entry *entry = golden_find(&r->golden, one->name);
            if (!refused[i] || (r->options.golden && !(entry && entry->refused))) {
                printf("%s: %s does not take it\n", one->name,
                       refused[i] ? r->options.driver : "the reference");
                r->unlike++;
            }
            continue;
        }
        ok = run_case(r, module, reference, first + i);
    }
    driver_unload(r->driver, module);
    driver_unload(r->reference, reference);
    fflush(NULL); /* keeps the finished output if a later kernel crashes the process */
    return ok;
}

static int write_modules(const struct run *r) {
    for (size_t first = 0; first < r->list.count; first += BATCH) {
        const bool skip[BATCH] = {false};
        unsigned lines[BATCH];
        const size_t count = r->list.count - first < BATCH ? r->list.count - first : BATCH;
        char *text = module_text(&r->list, first, count, skip, lines), name[32];
        snprintf(name, sizeof name, "%05zu.ptx", first);
        FILE *f = text ? open_in(r->options.ptx, name) : NULL;
        if (!f)
            return 2;
        fputs(text, f);
        free(text);
        if (fclose(f))
            return 2;
    }
    return 0;
}

static void keep_only(struct case_list *list, const char *text) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (strstr(list->cases[i].name, text))
            list->cases[kept++] = list->cases[i];
    list->count = kept;
}

static bool start(struct run *r) {
    char why[512];
    const struct options *o = &r->options;
    if (!o->driver) {
        fprintf(stderr, "conformance: --driver LIBRARY is missing\n");
        return false;
    }
    if (!(r->driver = driver_open(o->driver, why, sizeof why)) ||
        (o->reference && !(r->reference = driver_open(o->reference, why, sizeof why)))) {
        fprintf(stderr, "conformance: %s\n", why);
        return false;
    }
    if ((o->golden && !golden_read(&r->golden, o->golden)) ||
        (o->approximate && !golden_read(&r->golden, o->approximate)))
        return false;
    return !o->record || ((r->hashes = open_in(o->record, "h200.txt")) &&
                          (r->values = open_in(o->record, "h200-approximate.txt")) &&
                          (!o->reference || (r->mismatches = open_in(o->record, "mismatches.txt"))));
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool run_all(struct run *r) {
    const double begin = seconds();
    bool ok = true;
    const size_t step = (size_t)r->options.parts * BATCH;
    for (size_t first = (size_t)r->options.part * BATCH; ok && first < r->list.count; first += step)
        ok = run_batch(r, first, r->list.count - first < BATCH ? r->list.count - first : BATCH);
    printf("%s: %zu of %zu cases run (%d tuples each), %zu refused, %zu unrecorded, %zu unlike, %.1f s\n",
           driver_device(r->driver), r->ran, r->list.count, TUPLES, r->refused, r->unrecorded, r->unlike,
           seconds() - begin);
    return ok && r->unlike == 0;
}

static bool parse(int argc, char **argv, struct options *o) {
    static const struct option names[] = {{"driver", 1, NULL, 'd'},     {"reference", 1, NULL, 'r'},
                                          {"golden", 1, NULL, 'g'},     {"approximate", 1, NULL, 'a'},
                                          {"record", 1, NULL, 'w'},     {"only", 1, NULL, 'o'},
                                          {"mismatches", 1, NULL, 'm'}, {"ptx", 1, NULL, 'p'},
                                          {"part", 1, NULL, 'k'},       {0}};
    *o = (struct options){.mismatches = 3, .parts = 1};
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;)
        switch (option) {
        case 'd':
            o->driver = optarg;
            break;
        case 'r':
            o->reference = optarg;
            break;
        case 'g':
            o->golden = optarg;
            break;
        case 'a':
            o->approximate = optarg;
            break;
        case 'w':
            o->record = optarg;
            break;
        case 'o':
            o->only = optarg;
            break;
        case 'm':
            o->mismatches = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'k':
            if (sscanf(optarg, "%u/%u", &o->part, &o->parts) != 2 || o->part >= o->parts)
                return false;
            break;
        case 'p':
            o->ptx = optarg;
            break;
        default:
            return false;
        }
    return optind == argc;
}

int main(int argc, char **argv) {
    struct run *r = calloc(1, sizeof *r);
    int status = 2;
    if (r && parse(argc, argv, &r->options) && cases_of_table(&r->list) && cases_of_memory(&r->list) &&
        cases_of_groups(&r->list)) {
        if (r->options.only)
            keep_only(&r->list, r->options.only);
        if (r->options.ptx)
            status = write_modules(r);
        else if (start(r))
            status = !run_all(r);
        FILE *files[] = {r->hashes, r->values, r->mismatches};
        for (unsigned i = 0; i < 3; i++)
            if (files[i] && fclose(files[i]))
                status = 2;
        driver_close(r->reference);
        driver_close(r->driver);
        golden_free(&r->golden);
        free(r->list.cases);
    }
    free(r);
    return status;
}
