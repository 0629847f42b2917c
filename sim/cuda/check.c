#include "sim/cuda/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/graph/graph.h"
#include "sim/cuda/memory/memory.h"
#include "sim/cuda/record/records.h"

enum { MAX_LEAKS = 100 };

static struct sim_check *session;

struct sim_check *check_session(void) {
    return session;
}

/* ---------------------------------------------------------------- JSON lines */

struct line {
    struct profile_text text;
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends at most 255 bytes; longer texts are passed as strings. */
static void add(struct line *line, const char *format, ...) {
    char piece[256];
    va_list list;
    va_start(list, format);
    vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    profile_put(&line->text, piece);
}

static void add_string(struct line *line, const char *text) {
    profile_put_string(&line->text, text);
}

static void add_side(struct line *line, const struct sim_finding_side *side) {
    add(line, "\"function\": ");
    add_string(line, side->function);
    if (side->file) {
        add(line, ", \"file\": ");
        add_string(line, side->file);
    }
    add(line, ", \"line\": %u, \"ptx_line\": %u, \"block\": [%u, %u, %u], \"thread\": [%u, %u, %u]",
        side->file ? side->line : 0, side->ptx_line, side->block[0], side->block[1], side->block[2],
        side->thread[0], side->thread[1], side->thread[2]);
}

static void put(struct line *line) {
    (void)records_append(&line->text); /* a lost one is counted */
    profile_text_free(&line->text);
}

static void found(void *argument, const struct sim_finding *f) {
    (void)argument;
    if (records_are_on()) {
        struct line line = {0};
        add(&line,
            "{\"finding\": {\"check\": \"%s\", \"kind\": \"%s\", \"address\": \"0x%" PRIx64
            "\", \"count\": %" PRIu64 ", \"text\": ",
            sim_check_name(sim_finding_check(f->kind)), sim_finding_name(f->kind), f->address, f->count);
        add_string(&line, f->text);
        if (f->kernel) {
            add(&line, ", \"kernel\": ");
            add_string(&line, f->kernel);
            add(&line, ", ");
            add_side(&line, &f->at);
        }
        if (f->other.function) {
            add(&line, ", \"other\": {");
            add_side(&line, &f->other);
            add(&line, "}");
        }
        add(&line, "}}");
        put(&line);
    }
    if (driver.log) {
        char text[1536];
        sim_finding_describe(f, text, sizeof text);
        log_note("%s", text);
    }
}

/* ---------------------------------------------------------------- start and end */

static void put_checks(unsigned checks) {
    struct line line = {0};
    const char *comma = "";
    if (!records_are_on())
        return;
    add(&line, "{\"checks\": [");
    for (unsigned one = 1; one < SIM_CHECK_ALL; one <<= 1)
        if (checks & one) {
            add(&line, "%s\"%s\"", comma, sim_check_name((enum sim_check_set)one));
            comma = ", ";
        }
    add(&line, "]}");
    put(&line);
}

CUresult check_start(void) {
    const char *text = getenv("WIDELOAD_CHECK");
    unsigned checks;
    char bad[64];
    /* A forked child starts anew and must not free what its parent had. */
    session = NULL;
    if (!text || !*text)
        return CUDA_SUCCESS;
    if (!sim_check_parse(text, &checks, bad, sizeof bad)) {
        log_error("WIDELOAD_CHECK: there is no check '%s' (there are memory, race, init, sync, leak)", bad);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!checks)
        return CUDA_SUCCESS;
    put_checks(checks);
    session = sim_check_create(driver.memory, checks, found, NULL);
    return session ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void check_finish(void) {
    sim_check_destroy(session);
    session = NULL;
}

/* ---------------------------------------------------------------- host operations */

/* "cuMemFree_v2" -> 9: users write the name without its version. */
static int name_length(const char *function) {
    const char *version = strstr(function, "_v");
    return (int)(version ? (size_t)(version - function) : strlen(function));
}

void check_copied(const char *function, uint64_t to, uint64_t from, size_t size) {
    struct sim_allocation target;
    if (!session)
        return;
    char name[64];
    snprintf(name, sizeof name, "%.*s", name_length(function), function);
    if (sim_memory_find(driver.memory, to, size, &target) && target.kind == SIM_MEMORY_DEVICE)
        sim_check_copied(session, to, from, size);
    else if (sim_check_enabled(session) & SIM_CHECK_INIT)
        sim_check_fetched(session, name, from, size);
}

void check_bad_range(const char *function, uint64_t address, size_t size, const char *where) {
    sim_check_refused(session, SIM_FINDING_OUT_OF_BOUNDS, address, "%.*s: %zu bytes reach 0x%" PRIx64 ", %s",
                      name_length(function), function, size, address, where);
}

void check_bad_free(const char *function, uint64_t address) {
    if (!session || !address)
        return;
    char where[256];
    bool twice = sim_memory_describe(driver.memory, address, where, sizeof where);
    sim_check_refused(session, SIM_FINDING_INVALID_FREE, address, "%.*s of 0x%" PRIx64 "%s: %s",
                      name_length(function), function, address,
                      twice ? ", freed before" : ", which is no such allocation", where);
}

void check_leaks(CUcontext context) {
    if (!(sim_check_enabled(session) & SIM_CHECK_LEAK))
        return;
    uint64_t count = 0, bytes = 0;
    for (struct sim_allocation a = {0}; sim_memory_next(driver.memory, a.serial, &a);) {
        const struct allocation *allocation = a.user;
        if (!allocation || allocation->object.context != context ||
            (allocation->kind != ALLOCATION_DEVICE && allocation->kind != ALLOCATION_MANAGED))
            continue;
        if (allocation->graph && !graph_memory_is_allocated(allocation->graph))
            continue; /* owned by a graph, so not the program's to free */
        if (++count <= MAX_LEAKS)
            sim_check_refused(session, SIM_FINDING_LEAK, a.base,
                              "allocation #%" PRIu64 " (0x%" PRIx64 ", %zu bytes) was never freed", a.serial,
                              a.base, a.size);
        else
            bytes += a.size;
    }
    if (count > MAX_LEAKS)
        sim_check_refused(session, SIM_FINDING_LEAK, 0,
                          "%" PRIu64 " more allocations, %" PRIu64 " bytes, were never freed",
                          count - MAX_LEAKS, bytes);
}
