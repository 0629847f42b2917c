#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With a hot cache, a sample repeats the launch to take about this long: an event's resolution is about half
 * a microsecond.  The launches are replayed as a graph, since a launch takes longer than a short kernel. */
static const double batch_ms = 0.2;
enum { MOST_REPEATS = 200 };
/* The least time between reads of the clocks: a read takes about 1 ms, and the device may go idle meanwhile.
 */
static const double clocks_s = 0.05;

struct variant {
    struct bench_row *row;
    struct wl_problem bound;
    wl_event *from, *to;
    struct bench_samples samples;
    unsigned repeats;
    bool opened;
    wl_replay *replay; /* the graph of all repeats; NULL: they are launched one by one */
    struct bench_samples sm_mhz, memory_mhz;
    uint64_t reasons;
};

struct session {
    wl_context *context; /* of the first device, whose default stream is timed */
    const struct bench_workspace *workspace;
    const struct bench_request *request;
    struct variant *variants;
    size_t count;
    struct bench_clocks *clocks; /* NULL: unknown */
    double clocks_asked_s;
    wl_devptr flush[WL_DEVICES_MOST]; /* the buffers that empty the caches; 0: hot cache */
    uint64_t flush_bytes;
    uint64_t random;
    uint8_t flush_value;
};

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void shuffle(struct session *session, size_t *order, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t j = next_random(&session->random) % i, swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
}

struct recording {
    wl_context *context;
    const struct variant *variant;
};

static wl_error launch_all(void *argument, wl_stream stream) {
    const struct recording *recording = argument;
    const struct variant *variant = recording->variant;
    wl_error error = WL_ERROR_OK;
    for (unsigned i = 0; i < variant->repeats && !error; i++)
        error = variant->row->rung->launch(recording->context, &variant->bound, stream);
    return error;
}

/* Empties the caches.  Waits for the devices first. */
static wl_error flush(struct session *session) {
    /* A call of several devices is more work for the host. */
    const unsigned fills = session->workspace->devices > 1 ? 16 : 1;
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < session->workspace->devices && !error; r++)
        error = wl__cache_release(session->workspace->contexts[r]);
    for (unsigned i = 0; i < fills; i++)
        for (unsigned r = 0; r < session->workspace->devices && !error; r++)
            error = wl_fill(session->workspace->contexts[r], session->flush[r], session->flush_value,
                            session->flush_bytes, NULL);
    session->flush_value++;
    return error;
}

/* Several devices begin a sample together, and it ends when all are done. */
static wl_error meet(const struct variant *variant) {
    return variant->bound.group ? wl__group_meet(variant->bound.group) : WL_ERROR_OK;
}

/* Enqueues one sample.  The fill before it takes long enough for the host to enqueue the rest, so that no
 * launch latency falls between the two events.  A requested graph is replayed once before its sample instead.
 */
static wl_error enqueue(struct session *session, struct variant *variant) {
    wl_error error = WL_ERROR_OK;
    if (session->request->graph && variant->replay)
        error = wl__replay_launch(variant->replay, NULL);
    if (session->flush[0] && !error)
        error = flush(session);
    if (!error)
        error = meet(variant);
    if (!error)
        error = wl__event_record(variant->from, NULL);
    if (variant->replay && !error)
        error = wl__replay_launch(variant->replay, NULL);
    else if (!error)
        error = launch_all(&(struct recording){session->context, variant}, NULL);
    if (!error)
        error = meet(variant);
    return error ? error : wl__event_record(variant->to, NULL);
}

static wl_error collect(struct variant *variant, double *milliseconds) {
    float elapsed;
    wl_error error = wl__event_elapsed(variant->from, variant->to, &elapsed);
    *milliseconds = (double)elapsed / variant->repeats;
    return error;
}

/* With a hot cache, by the time of one launch. */
static unsigned repeats_of(double milliseconds) {
    double repeats = milliseconds > 0 ? batch_ms / milliseconds : MOST_REPEATS;
    return repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : (unsigned)repeats;
}

/* Records the variant's launches as a graph.  If the driver cannot, they go one by one, and the row says so;
 * a row of a request for graphs fails.  Calls on several devices are no graph of one stream. */
static void record_graph(struct session *session, struct variant *variant) {
    struct bench_row *row = variant->row;
    bool several = variant->bound.group != NULL;
    if ((!several &&
         wl__replay_create(session->context, launch_all, &(struct recording){session->context, variant},
                           &variant->replay) == WL_ERROR_OK) ||
        !session->request->graph)
        return;
    row->status = BENCH_FAILED;
    snprintf(row->note, sizeof row->note, "no CUDA graph of %d calls can be recorded: %.300s",
             BENCH_GRAPH_LAUNCHES, several ? "they are on several devices" : wl_message());
}

/* Takes one untimed sample per row: clocks rise, and with a hot cache the number of repeats is chosen. */
static wl_error warm_up(struct session *session) {
    wl_error error = WL_ERROR_OK;
    for (size_t i = 0; i < session->count && !error; i++) {
        struct variant *variant = &session->variants[i];
        double milliseconds;
        error = enqueue(session, variant);
        if (!error)
            error = collect(variant, &milliseconds);
        if (error || !session->request->hot)
            continue;
        variant->repeats = session->request->graph ? BENCH_GRAPH_LAUNCHES : repeats_of(milliseconds);
        if (variant->repeats > 1)
            record_graph(session, variant);
    }
    return error ? error : bench_workspace_synchronize(session->workspace);
}

/* Call it after enqueueing and before waiting, so that the device is busy. */
static bool ask_clocks(struct session *session, const size_t *order, size_t count, struct base_error *error) {
    struct bench_clock_sample sample;
    double now = now_s();
    if (!session->clocks || now - session->clocks_asked_s < clocks_s)
        return true;
    session->clocks_asked_s = now;
    if (!bench_clocks_sample(session->clocks, &sample))
        return true;
    for (size_t i = 0; i < count; i++) {
        struct variant *variant = &session->variants[order[i]];
        variant->reasons |= sample.reasons;
        if (!bench_samples_add(&variant->sm_mhz, sample.sm_mhz, 0) ||
            !bench_samples_add(&variant->memory_mhz, sample.memory_mhz, 0))
            return base_failure(error, "out of host memory");
    }
    return true;
}

static void finish(const struct session *session, struct variant *variant, enum bench_stop stop) {
    struct bench_row *row = variant->row;
    row->time_ms = bench_summarise(variant->samples.values, variant->samples.count);
    row->stop = stop;
    row->l2 = session->request->hot ? BENCH_L2_HOT : BENCH_L2_COLD;
    row->launches = variant->repeats;
    row->replayed = variant->replay != NULL;
    row->has_time = true;
    if (!variant->sm_mhz.count)
        return;
    row->has_clocks = true;
    row->clocks.sm_mhz = bench_summarise(variant->sm_mhz.values, variant->sm_mhz.count).median;
    row->clocks.memory_mhz = bench_summarise(variant->memory_mhz.values, variant->memory_mhz.count).median;
    row->clocks.reasons = variant->reasons;
}

/* Takes one sample of each variant in `order`. */
static bool take_round(struct session *session, const size_t *order, size_t count, struct base_error *error) {
    double begin = now_s();
    for (size_t i = 0; i < count; i++)
        if (enqueue(session, &session->variants[order[i]]))
            return base_failure(error, "timing %s: %s", session->variants[order[i]].row->rung->name,
                                wl_message());
    if (!ask_clocks(session, order, count, error))
        return false;
    if (bench_workspace_synchronize(session->workspace))
        return base_failure(error, "timing: %s", wl_message());
    double share = (now_s() - begin) / (double)count;
    for (size_t i = 0; i < count; i++) {
        struct variant *variant = &session->variants[order[i]];
        double milliseconds;
        if (collect(variant, &milliseconds))
            return base_failure(error, "timing %s: %s", variant->row->rung->name, wl_message());
        if (!bench_samples_add(&variant->samples, milliseconds, share))
            return base_failure(error, "out of host memory");
    }
    return true;
}

static bool sample(struct session *session, bench_measure_progress_fn *progress, void *argument,
                   struct base_error *error) {
    struct bench_stop_rule rule = {session->request->samples, session->request->seconds};
    size_t *order = calloc(session->count, sizeof *order);
    if (!order)
        return base_failure(error, "out of host memory");
    size_t active = 0;
    for (size_t i = 0; i < session->count; i++)
        if (session->variants[i].row->status == BENCH_VERIFIED)
            order[active++] = i;
    bool right = true;
    while (active && right) {
        shuffle(session, order, active);
        right = take_round(session, order, active, error);
        for (size_t i = active; i > 0 && right; i--) {
            struct variant *variant = &session->variants[order[i - 1]];
            enum bench_stop stop = bench_samples_stop(&variant->samples, &rule);
            if (stop == BENCH_STOP_NOT)
                continue;
            finish(session, variant, stop);
            order[i - 1] = order[--active];
        }
        if (progress)
            progress(argument, session->count - active, session->count);
    }
    free(order);
    return right;
}

static bool open_session(struct session *session, const struct bench_plan *plan,
                         struct bench_section *section, const struct bench_workspace *workspace,
                         struct base_error *error) {
    session->variants = calloc(section->row_count ? section->row_count : 1, sizeof *session->variants);
    if (!session->variants)
        return base_failure(error, "out of host memory");
    for (size_t i = 0; i < section->row_count; i++) {
        struct bench_row *row = &section->rows[i];
        if (row->status != BENCH_VERIFIED)
            continue;
        struct variant *variant = &session->variants[session->count++];
        variant->row = row;
        variant->bound = row->problem;
        variant->repeats = 1;
        bench_workspace_bind(workspace, row->rung, &variant->bound);
        if (row->rung->open && row->rung->open(&variant->bound, &variant->bound.state))
            return base_failure(error, "%s: %s", row->rung->name, wl_message());
        variant->opened = true;
        if (wl__event_create(session->context, &variant->from) ||
            wl__event_create(session->context, &variant->to))
            return base_failure(error, "events: %s", wl_message());
    }
    if (session->request->hot || session->count == 0)
        return true;
    session->flush_bytes = bench_flush_bytes(&plan->device);
    for (unsigned r = 0; r < workspace->devices; r++)
        if (wl_alloc(workspace->contexts[r], &session->flush[r], session->flush_bytes)) {
            session->flush[r] = 0;
            return base_failure(error, "a buffer to empty the cache with: %s", wl_message());
        }
    return true;
}

static void close_session(struct session *session) {
    for (size_t i = 0; i < session->count; i++) {
        if (session->variants[i].from)
            wl__event_destroy(session->variants[i].from);
        if (session->variants[i].to)
            wl__event_destroy(session->variants[i].to);
        wl__replay_destroy(session->variants[i].replay);
        if (session->variants[i].opened && session->variants[i].row->rung->close)
            session->variants[i].row->rung->close(session->variants[i].bound.state);
        bench_samples_free(&session->variants[i].samples);
        bench_samples_free(&session->variants[i].sm_mhz);
        bench_samples_free(&session->variants[i].memory_mhz);
    }
    for (unsigned r = 0; r < WL_DEVICES_MOST; r++)
        if (session->flush[r])
            wl_free(session->workspace->contexts[r], session->flush[r]);
    free(session->variants);
}

bool bench_measure(const struct bench_plan *plan, struct bench_clocks *clocks, struct bench_section *section,
                   const struct bench_workspace *workspace, const struct bench_request *request,
                   bench_measure_progress_fn *progress, void *argument, struct base_error *error) {
    struct session session = {
        .context = workspace->contexts[0],
        .workspace = workspace,
        .request = request,
        .clocks = clocks,
        .random = request->seed * 2 + 1, /* odd: xorshift never leaves 0 */
    };
    bool right = open_session(&session, plan, section, workspace, error);
    if (right && session.count) {
        right = warm_up(&session) == WL_ERROR_OK || base_failure(error, "timing: %s", wl_message());
        right = right && sample(&session, progress, argument, error);
    }
    close_session(&session);
    return right;
}
