#include "sim/cuda/record/profile_sites.h"

#include <stdlib.h>
#include <string.h>

/* Words that say how an access is made, not what it moves: loads that differ only in these are one kind. */
static bool says_how(const char *word, size_t length) {
    static const char *const words[] = {"weak",    "volatile", "relaxed", "acquire", "release", "acq_rel",
                                        "cta",     "gpu",      "sys",     "cluster", "ca",      "cg",
                                        "cs",      "lu",       "cv",      "wb",      "wt",      "nc",
                                        "unified", "noftz",    "mmio",    "sync",    "aligned", NULL};
    if (strncmp(word, "L1::", 4) == 0 || strncmp(word, "L2::", 4) == 0)
        return true;
    for (const char *const *w = words; *w; w++)
        if (strlen(*w) == length && memcmp(*w, word, length) == 0)
            return true;
    return false;
}

static void name_access(const char *opcode, char *out, size_t size) {
    size_t used = 0;
    for (const char *word = opcode; *word;) {
        size_t length = strcspn(word, ".");
        if ((word == opcode || !says_how(word, length)) && used + length + 2 <= size) {
            if (used)
                out[used++] = '.';
            memcpy(out + used, word, length);
            used += length;
        }
        word += length + (word[length] == '.');
    }
    out[used] = 0;
}

static bool accesses_memory(const struct wl_counters *c) {
    return c->global_load_requests || c->global_store_requests || c->global_atomic_requests ||
           c->global_reduction_requests || c->local_load_requests || c->local_store_requests ||
           c->shared_load_requests || c->shared_store_requests || c->shared_atomic_requests ||
           c->texture_load_requests || c->bulk_load_requests || c->bulk_store_requests ||
           c->dshared_bulk_requests;
}

static void name_site(const struct sim_instruction_count *count, char *out, size_t size) {
    if (count->bytes || count->undefined)
        name_access(count->opcode, out, size);
    else if (strncmp(count->opcode, "bra", 3) == 0 || strncmp(count->opcode, "brx", 3) == 0)
        memcpy(out, "branch", sizeof "branch");
    else
        memcpy(out, "other", sizeof "other");
}

static int compare_text(const char *a, const char *b) {
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare(const void *left, const void *right) {
    const struct profile_site *a = left, *b = right;
    int order = compare_text(a->count.file, b->count.file);
    if (!order)
        order = compare_numbers(a->count.line, b->count.line);
    if (!order)
        order = compare_numbers(a->count.column, b->count.column);
    /* Without source lines, the lines of the PTX text separate accesses. */
    if (!order && !a->count.file && a->count.bytes && b->count.bytes)
        order = compare_numbers(a->count.ptx_line, b->count.ptx_line);
    if (!order)
        order = strcmp(a->op, b->op);
    if (!order)
        order = compare_numbers(a->count.bytes, b->count.bytes);
    if (!order)
        order = compare_numbers(a->count.has_stride, b->count.has_stride);
    if (!order && a->count.has_stride)
        order = compare_numbers((uint64_t)a->count.stride, (uint64_t)b->count.stride);
    return order ? order : strcmp(a->count.function, b->count.function);
}

static void add(struct profile_site *to, struct profile_site *from) {
    const struct sim_instruction_count *more = &from->count;
#define ADD(name) to->count.counters.name += more->counters.name;
    WL_COUNTER_MAP(ADD)
#undef ADD
    to->count.divergent += more->divergent;
    to->count.outside += more->outside;
    to->count.undefined += more->undefined;
    to->count.doubts |= more->doubts;
    sim_kinds_add(&to->kinds, &from->kinds);
}

static void take_kinds(struct profile_site *site, const struct sim_instruction_count *count) {
    if (count->kinds)
        sim_kinds_add(&site->kinds, count->kinds);
}

void profile_sites_add(void *argument, const struct sim_instruction_count *count) {
    struct profile_sites *sites = argument;
    if (sites->failed)
        return;
    struct profile_site site = {.count = *count};
    site.count.kinds = NULL;
    /* Parameters and constants are not memory traffic. */
    if (!accesses_memory(&count->counters)) {
        site.count.bytes = 0;
        site.count.has_stride = false;
    }
    name_site(&site.count, site.op, sizeof site.op);
    if (strcmp(site.op, "branch") != 0)
        site.count.divergent = 0;
    /* Consecutive counts are usually of one kind: arithmetic of one line. */
    if (sites->count && compare(&sites->items[sites->count - 1], &site) == 0) {
        take_kinds(&site, count);
        add(&sites->items[sites->count - 1], &site);
        return;
    }
    if (sites->count == sites->capacity) {
        size_t capacity = sites->capacity ? 2 * sites->capacity : 64;
        struct profile_site *items = realloc(sites->items, capacity * sizeof *items);
        if (!items) {
            sites->failed = true;
            return;
        }
        sites->items = items;
        sites->capacity = capacity;
    }
    take_kinds(&site, count);
    sites->items[sites->count++] = site;
}

void profile_sites_merge(struct profile_sites *sites) {
    if (!sites->count)
        return;
    qsort(sites->items, sites->count, sizeof *sites->items, compare);
    size_t last = 0;
    for (size_t i = 1; i < sites->count; i++)
        if (compare(&sites->items[last], &sites->items[i]) == 0)
            add(&sites->items[last], &sites->items[i]);
        else
            sites->items[++last] = sites->items[i];
    sites->count = last + 1;
}

void profile_put_counters(struct profile_text *text, const struct wl_counters *counters) {
    struct wl_counters c = *counters;
    c.launches = 0;
    profile_put(text, "{");
#define PUT(name)                                                                                            \
    if (c.name) {                                                                                            \
        profile_put_name(text, #name);                                                                       \
        profile_put_number(text, c.name);                                                                    \
    }
    WL_COUNTER_MAP(PUT)
#undef PUT
    profile_put(text, "}");
}

static void put_doubts(unsigned doubts, struct profile_text *text) {
    static const char *const names[] = {"lanes", "order", "turns", "local", "heap", "kind",
                                        "width", "calls", "words", "pairs", "data"};
    bool more = false;
    profile_put_name(text, "doubts");
    profile_put(text, "[");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (doubts >> i & 1) {
            profile_put(text, more ? "," : "");
            profile_put_string(text, names[i]);
            more = true;
        }
    profile_put(text, "]");
}

static void put_site(struct profile_site *site, const char *kernel, struct profile_text *text) {
    const struct sim_instruction_count *c = &site->count;
    profile_put(text, "{");
    if (c->file) {
        profile_put_name(text, "file");
        profile_put_string(text, c->file);
        profile_put_name(text, "line");
        profile_put_number(text, c->line);
        profile_put_name(text, "column");
        profile_put_number(text, c->column);
    } else if (c->bytes || c->undefined) {
        profile_put_name(text, "ptx_line");
        profile_put_number(text, c->ptx_line);
    }
    profile_put_name(text, "op");
    profile_put_string(text, site->op);
    if (strcmp(c->function, kernel) != 0) {
        profile_put_name(text, "function");
        profile_put_string(text, c->function);
    }
    if (c->bytes) {
        profile_put_name(text, "bytes");
        profile_put_number(text, c->bytes);
    }
    if (c->has_stride) {
        profile_put_name(text, "stride");
        profile_put_signed(text, c->stride);
    }
    if (c->divergent) {
        profile_put_name(text, "divergent");
        profile_put_number(text, c->divergent);
    }
    if (c->outside) {
        profile_put_name(text, "outside");
        profile_put_number(text, c->outside);
    }
    if (c->doubts) {
        put_doubts(c->doubts, text);
    }
    if (c->undefined) {
        profile_put_name(text, "undefined");
        profile_put_number(text, c->undefined);
    }
    profile_put_name(text, "counters");
    profile_put_counters(text, &c->counters);
    if (site->kinds) {
        profile_put_name(text, "kinds");
        profile_kinds_put(&site->kinds, text);
    }
    profile_put(text, "}");
}

void profile_sites_put(const struct profile_sites *sites, const char *kernel, struct profile_text *text) {
    profile_put(text, "[");
    for (size_t i = 0; i < sites->count; i++) {
        if (i)
            profile_put(text, ",");
        put_site(&sites->items[i], kernel, text);
    }
    profile_put(text, "]");
}

void profile_sites_free(struct profile_sites *sites) {
    for (size_t i = 0; i < sites->count; i++)
        sim_kinds_free(&sites->items[i].kinds);
    free(sites->items);
    *sites = (struct profile_sites){0};
}
