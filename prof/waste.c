#include "prof/waste.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SECTOR = 32, PASS = 128 };

/* One kind of access of a line. */
struct part {
    enum { LOADS, STORES, LOCAL, SHARED_LOADS, SHARED_STORES, SHARED_ATOMICS, ATOMICS, BULK } kind;
    uint64_t requests, transactions, useful;
    double unit;  /* bytes per transaction */
    double least; /* transactions */
};
enum { PARTS = 8 };

static double most(double a, double b) {
    return a > b ? a : b;
}

static struct part make(int kind, uint64_t requests, uint64_t transactions, uint64_t useful, double unit) {
    struct part part = {kind, requests, transactions, useful, unit, 0};
    double filled = floor((double)useful / unit);
    filled += filled * unit < (double)useful;
    part.least = kind == LOCAL ? 0 : most((double)requests, filled);
    /* If lanes access the same address, a wide access may take fewer transactions than the minimum. */
    if (part.least > (double)transactions)
        part.least = (double)transactions;
    return part;
}

/* A wavefront of shared memory has 128 bytes.  A warp's 16-byte loads take four, or two if neighbouring lanes
 * load the same address; its 16-byte stores take four.  If all lanes of a request access one address, there
 * are no bank conflicts. */
static struct part make_shared(int kind, const struct prof_line *line, uint64_t requests,
                               uint64_t transactions) {
    const wl_counters *c = &line->sums.c;
    /* The counter is shared by loads, stores and atomics, but a line has only one kind of access. */
    const uint64_t useful = requests ? c->shared_useful_bytes : 0;
    struct part part = make(kind, requests, transactions, useful, PASS);
    const double wanted = (double)c->thread_inst_executed * line->bytes;
    double least = kind == SHARED_STORES                     ? ceil(wanted / PASS)
                   : kind == SHARED_LOADS && line->bytes > 4 ? ceil(wanted / (2 * PASS))
                                                             : 0;
    if (kind == SHARED_LOADS && useful <= requests * line->bytes)
        least = (double)transactions;
    part.least = most(part.least, least);
    if (part.least > (double)transactions)
        part.least = (double)transactions;
    return part;
}

static double unit_of(uint64_t moved, uint64_t transactions) {
    return transactions && moved ? (double)moved / (double)transactions : SECTOR;
}

static void split(const struct prof_line *line, struct part parts[PARTS]) {
    const wl_counters *c = &line->sums.c;
    uint64_t lanes_bytes = c->thread_inst_executed * line->bytes;
    parts[0] = make(LOADS, c->global_load_requests, c->gld_transactions, c->gld_useful_bytes,
                    unit_of(c->gld_moved_bytes, c->gld_transactions));
    parts[1] = make(STORES, c->global_store_requests, c->gst_transactions, c->gst_useful_bytes,
                    unit_of(c->gst_moved_bytes, c->gst_transactions));
    parts[2] = make(LOCAL, c->local_load_requests + c->local_store_requests,
                    c->local_load_transactions + c->local_store_transactions, 0, SECTOR);
    parts[3] = make_shared(SHARED_LOADS, line, c->shared_load_requests, c->shared_load_transactions);
    parts[4] = make_shared(SHARED_STORES, line, c->shared_store_requests, c->shared_store_transactions);
    parts[5] = make_shared(SHARED_ATOMICS, line, c->shared_atomic_requests, c->shared_atomic_transactions);
    /* The records do not say how many words the lanes name, so the minimum is that of a word for each lane.
     */
    parts[6] = make(ATOMICS, c->global_atomic_requests + c->global_reduction_requests,
                    c->global_atomic_transactions + c->global_reduction_transactions,
                    c->global_atomic_requests + c->global_reduction_requests ? lanes_bytes : 0, SECTOR);
    parts[7] = make(BULK, c->bulk_load_requests + c->bulk_store_requests,
                    c->bulk_load_transactions + c->bulk_store_transactions,
                    c->bulk_load_useful_bytes + c->bulk_store_useful_bytes, SECTOR);
}

void prof_line_conflicts(struct prof_line *line) {
    struct part parts[PARTS];
    split(line, parts);
    line->sums.shared_load_conflicts = parts[3].transactions - (uint64_t)parts[3].least;
    line->sums.shared_store_conflicts = parts[4].transactions - (uint64_t)parts[4].least;
}

double prof_line_transactions(const struct prof_line *line) {
    struct part parts[PARTS];
    double sum = 0;
    split(line, parts);
    for (int i = 0; i < PARTS; i++)
        sum += (double)parts[i].transactions;
    return sum;
}

double prof_line_waste(const struct prof_line *line) {
    struct part parts[PARTS];
    double sum = 0;
    split(line, parts);
    for (int i = 0; i < PARTS; i++)
        sum += (double)parts[i].transactions - parts[i].least;
    return sum;
}

struct prof_waste prof_line_waste_parts(const struct prof_line *line) {
    struct part parts[PARTS];
    struct prof_waste sum = {0};
    split(line, parts);
    for (int i = 0; i < PARTS; i++) {
        const bool shared = parts[i].kind == SHARED_LOADS || parts[i].kind == SHARED_STORES ||
                            parts[i].kind == SHARED_ATOMICS;
        const double over = (double)parts[i].transactions - parts[i].least;
        *(shared ? &sum.wavefronts : &sum.bytes) += shared ? over : over * parts[i].unit;
    }
    return sum;
}

/* ---------------------------------------------------------------- words */

struct figures {
    double now, least; /* transactions per request */
    double brings;     /* useful bytes per transaction */
};

static void describe_global(const struct prof_line *line, const struct part *p, const struct figures *f,
                            char *out, size_t size) {
    const char *name = p->unit > SECTOR ? "line" : "sector";
    long long apart = llabs((long long)line->stride);
    if (line->has_stride && apart == (long long)line->bytes)
        snprintf(out, size,
                 "misaligned: a warp's %.3g bytes in a row lie across %.3g %ss where %.3g would do",
                 (double)p->useful / (double)p->requests, f->now, name, f->least);
    else if (line->has_stride && apart > 0)
        snprintf(out, size, "lanes %lld bytes apart: each %.0f-byte %s %s %.3g useful bytes", apart, p->unit,
                 name, p->kind == LOADS ? "brings" : "takes", f->brings);
    else
        snprintf(out, size,
                 "scattered: a request touches %.3g %ss where %.3g would do, each with %.3g useful bytes",
                 f->now, name, f->least, f->brings);
}

static void describe_shared(const struct prof_line *line, const struct part *p, const struct figures *f,
                            char *out, size_t size) {
    long long apart = llabs((long long)line->stride);
    if (p->kind == SHARED_ATOMICS)
        snprintf(out, size,
                 "shared atomics: lanes of one bank take turns, %.3g passes a request where %.3g would do",
                 f->now, f->least);
    else if (line->has_stride)
        snprintf(out, size,
                 "bank conflicts: lanes %lld bytes apart take %.3g wavefronts a request where %.3g would do",
                 apart, f->now, f->least);
    else
        snprintf(out, size, "bank conflicts: %.3g wavefronts a request where %.3g would do", f->now,
                 f->least);
}

void prof_line_reason(const struct prof_line *line, char *out, size_t size) {
    struct part parts[PARTS];
    const struct part *worst = NULL;
    double wasted = 0;
    split(line, parts);
    for (int i = 0; i < PARTS; i++)
        if ((double)parts[i].transactions - parts[i].least > wasted) {
            worst = &parts[i];
            wasted = (double)worst->transactions - worst->least;
        }
    out[0] = 0;
    if (!worst || !worst->requests)
        return;
    struct figures f = {.now = (double)worst->transactions / (double)worst->requests,
                        .least = worst->least / (double)worst->requests,
                        .brings = (double)worst->useful / (double)worst->transactions};
    switch (worst->kind) {
    case LOADS:
    case STORES:
        describe_global(line, worst, &f, out, size);
        break;
    case LOCAL:
        snprintf(out, size, "local memory: an array that is not in registers costs %.3g sectors a request",
                 f.now);
        break;
    case ATOMICS:
        snprintf(out, size,
                 "atomics: lanes that name one word take turns: %.3g sectors a request, where neighbouring "
                 "words, one per lane, take %.3g",
                 f.now, f.least);
        break;
    case BULK:
        snprintf(out, size, "misaligned bulk copies: %.3g sectors a copy where %.3g would do", f.now,
                 f.least);
        break;
    default:
        describe_shared(line, worst, &f, out, size);
    }
}
