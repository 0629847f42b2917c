#include "bench/peers/peers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "bench/peers/library.h"
#include "bench/plan.h"

enum { LIBRARIES = 4, RUNGS = 160 };

static const struct peer_library *const libraries[LIBRARIES] = {&peer_cublas, &peer_cusparse, &peer_cutensor,
                                                                &peer_nccl};

static struct {
    bool open;
    char version[24], why[200];
} states[LIBRARIES];

/* ---------------------------------------------------------------- the request */

static bool add_choice(const char *option, const char *name, struct bench_peer_choice *out,
                       struct base_error *error) {
    const char *names[LIBRARIES + 2] = {"all", "none"};
    for (unsigned i = 0; i < LIBRARIES; i++) {
        names[i + 2] = libraries[i]->option;
        if (strcmp(name, libraries[i]->option) == 0) {
            out->libraries |= 1u << i;
            out->named = true;
            return true;
        }
    }
    const char *near = base_nearest(name, names, LIBRARIES + 2);
    return base_usage(error,
                      "%s: no peer '%.80s'%s%s%s; give all, none, or some of cublas,cusparse,cutensor,nccl",
                      option, name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

bool bench_parse_peers(const char *option, const char *text, struct bench_peer_choice *out,
                       struct base_error *error) {
    struct bench_names names = {0};
    *out = (struct bench_peer_choice){0};
    if (strcmp(text, "none") == 0)
        return true;
    if (strcmp(text, "all") == 0) {
        out->libraries = (1u << LIBRARIES) - 1;
        return true;
    }
    bool right = bench_parse_names(option, text, &names, error);
    for (size_t i = 0; i < names.count && right; i++)
        right = add_choice(option, names.items[i], out, error);
    bench_names_free(&names);
    return right;
}

/* ---------------------------------------------------------------- the ladder */

static struct wl_rung ladder[RUNGS];
static size_t ladder_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void append(const struct wl_rung *rungs, size_t count) {
    for (size_t i = 0; i < count && ladder_count < RUNGS; i++)
        ladder[ladder_count++] = rungs[i];
}

static void join(void) {
    size_t count;
    const struct wl_rung *ours = wl__ladder(&count);
    append(ours, count);
    for (unsigned i = 0; i < LIBRARIES; i++)
        append(libraries[i]->rungs, libraries[i]->rung_count);
}

const struct wl_rung *bench_ladder(size_t *count) {
    pthread_once(&once, join);
    *count = ladder_count;
    return ladder;
}

/* ---------------------------------------------------------------- the libraries */

static unsigned index_of(const struct peer_library *library) {
    unsigned i = 0;
    while (i < LIBRARIES && libraries[i] != library)
        i++;
    return i;
}

/* The index of a rung's library; LIBRARIES: none of them. */
static unsigned library_of(const struct wl_rung *rung) {
    unsigned i = 0;
    while (i < LIBRARIES && (!rung->library || strcmp(rung->library, libraries[i]->name) != 0))
        i++;
    return i;
}

bool bench_peer_is_chosen(const struct wl_rung *rung, const struct bench_peer_choice *choice) {
    unsigned i = library_of(rung);
    return i == LIBRARIES || choice->libraries >> i & 1;
}

const char *peer_absent(const struct peer_library *library) {
    unsigned i = index_of(library);
    return states[i].open ? NULL : states[i].why;
}

static void open_library(unsigned i, wl_context *context) {
    if (states[i].open)
        return;
    if (wl__is_simulator(context)) {
        snprintf(states[i].why, sizeof states[i].why, "peers run on a GPU only");
        return;
    }
    if (wl__enter(context)) {
        snprintf(states[i].why, sizeof states[i].why, "%s", wl_message());
        return;
    }
    states[i].open = libraries[i]->open(states[i].version, states[i].why);
    wl__leave(context);
}

static bool kernel_is_named(const struct bench_request *request, const char *kernel) {
    for (size_t i = 0; i < request->kernels.count; i++)
        if (strcmp(request->kernels.items[i], kernel) == 0)
            return true;
    return false;
}

static bool stays(const struct bench_row *row, wl_context *context, const struct bench_request *request) {
    unsigned i = library_of(row->rung);
    if (i == LIBRARIES)
        return true;
    open_library(i, context);
    return states[i].open || request->peers.named || kernel_is_named(request, row->rung->name);
}

static void set_version(struct bench_row *row, int driver_version) {
    unsigned i = library_of(row->rung);
    if (i < LIBRARIES)
        snprintf(row->library_version, sizeof row->library_version, "%s",
                 states[i].open ? states[i].version : "");
    else if (row->rung->library)
        snprintf(row->library_version, sizeof row->library_version, "%d.%d", driver_version / 1000,
                 driver_version % 1000 / 10);
}

bool bench_peers_open(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
                      struct base_error *error) {
    wl_device_info device;
    if (wl_get_device_info(context, &device))
        return base_failure(error, "the device's properties cannot be read: %s", wl_message());
    size_t sections = 0;
    plan->row_count = 0;
    for (size_t s = 0; s < plan->section_count; s++) {
        struct bench_section section = plan->sections[s];
        size_t rows = 0;
        for (size_t r = 0; r < section.row_count; r++)
            if (stays(&section.rows[r], context, request)) {
                section.rows[rows] = section.rows[r];
                set_version(&section.rows[rows++], device.driver_version);
            }
        section.row_count = rows;
        plan->row_count += rows;
        if (rows)
            plan->sections[sections++] = section;
        else
            free(section.rows);
    }
    plan->section_count = sections;
    return plan->row_count || base_usage(error, "nothing to run: no library of the chosen peers is here");
}

void bench_peers_close(wl_context *context) {
    for (unsigned i = 0; i < LIBRARIES; i++) {
        if (states[i].open && wl__enter(context) == WL_ERROR_OK) {
            libraries[i]->close();
            wl__leave(context);
        }
        states[i].open = false;
    }
}
