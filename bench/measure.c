#include "bench/measure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With a hot cache, launches are repeated between two events until they take this long: an event's
 * resolution is about half a microsecond. */
static const double batch_ms = 0.2;
enum { MOST_REPEATS = 200 };

struct variant {
    struct bench_row *row;
    struct wl_problem bound;
    wl_event *from, *to;
    struct bench_samples samples;
    unsigned repeats;
};

struct session {
    wl_context *context;
    const struct bench_request *request;
    struct variant *variants;
    size_t count;
    wl_devptr flush; /* 0 with a hot cache */
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

/* Enqueues one sample.  The sweep before it takes long enough for the host to enqueue the rest, so that no
 * launch latency falls between the two events. */
static wl_error enqueue(struct session *session, struct variant *variant) {
    wl_error error = WL_ERROR_OK;
    if (session->flush)
        error = wl_fill(session->context, session->flush, session->flush_value++, session->flush_bytes, NULL);
    if (!error)
        error = wl__event_record(variant->from, NULL);
    for (unsigned i = 0; i < variant->repeats && !error; i++)
        error = variant->row->rung->launch(session->context, &variant->bound, NULL);
    return error ? error : wl__event_record(variant->to, NULL);
}

static wl_error collect(struct variant *variant, double *milliseconds) {
    float elapsed;
    wl_error error = wl__event_elapsed(variant->from, variant->to, &elapsed);
    *milliseconds = (double)elapsed / variant->repeats;
    return error;
}

/* One untimed sample each: clocks rise, and a hot cache's batches find their length. */
static wl_error warm_up(struct session *session) {
    wl_error error = WL_ERROR_OK;
    for (size_t i = 0; i < session->count && !error; i++) {
        struct variant *variant = &session->variants[i];
        double milliseconds;
        error = enqueue(session, variant);
        if (!error)
            error = collect(variant, &milliseconds);
        if (!error && session->request->hot) {
            double repeats = milliseconds > 0 ? batch_ms / milliseconds : MOST_REPEATS;
            variant->repeats = repeats < 1 ? 1 : repeats > MOST_REPEATS ? MOST_REPEATS : (unsigned)repeats;
        }
    }
    return error ? error : wl_synchronize(session->context);
}

/* One sample of each variant in `order`. */
static bool take_round(struct session *session, const size_t *order, size_t count,
                       struct bench_error *error) {
    double begin = now_s();
    for (size_t i = 0; i < count; i++)
        if (enqueue(session, &session->variants[order[i]]))
            return bench_failure(error, "timing %s: %s", session->variants[order[i]].row->rung->name,
                                 wl_message());
    if (wl_synchronize(session->context))
        return bench_failure(error, "timing: %s", wl_message());
    double share = (now_s() - begin) / (double)count;
    for (size_t i = 0; i < count; i++) {
        struct variant *variant = &session->variants[order[i]];
        double milliseconds;
        if (collect(variant, &milliseconds))
            return bench_failure(error, "timing %s: %s", variant->row->rung->name, wl_message());
        if (!bench_samples_add(&variant->samples, milliseconds, share))
            return bench_failure(error, "out of host memory");
    }
    return true;
}

static bool sample(struct session *session, bench_measure_progress_fn *progress, void *argument,
                   struct bench_error *error) {
    struct bench_stop_rule rule = {session->request->samples, session->request->seconds};
    size_t *order = calloc(session->count, sizeof *order);
    if (!order)
        return bench_failure(error, "out of host memory");
    size_t active = session->count;
    for (size_t i = 0; i < active; i++)
        order[i] = i;
    bool right = true;
    while (active && right) {
        shuffle(session, order, active);
        right = take_round(session, order, active, error);
        for (size_t i = active; i > 0 && right; i--) {
            struct variant *variant = &session->variants[order[i - 1]];
            enum bench_stop stop = bench_samples_stop(&variant->samples, &rule);
            if (stop == BENCH_STOP_NOT)
                continue;
            variant->row->time_ms = bench_summarise(variant->samples.values, variant->samples.count);
            variant->row->stop = stop;
            variant->row->l2 = session->request->hot ? BENCH_L2_HOT : BENCH_L2_COLD;
            variant->row->has_time = true;
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
                         struct bench_error *error) {
    session->variants = calloc(section->row_count ? section->row_count : 1, sizeof *session->variants);
    if (!session->variants)
        return bench_failure(error, "out of host memory");
    for (size_t i = 0; i < section->row_count; i++) {
        struct bench_row *row = &section->rows[i];
        if (row->status != BENCH_VERIFIED)
            continue;
        struct variant *variant = &session->variants[session->count++];
        variant->row = row;
        variant->bound = row->problem;
        variant->repeats = 1;
        bench_workspace_bind(workspace, row->rung, &variant->bound);
        if (wl__event_create(session->context, &variant->from) ||
            wl__event_create(session->context, &variant->to))
            return bench_failure(error, "events: %s", wl_message());
    }
    if (session->request->hot || session->count == 0)
        return true;
    session->flush_bytes = bench_flush_bytes(&plan->device);
    if (wl_alloc(session->context, &session->flush, session->flush_bytes)) {
        session->flush = 0;
        return bench_failure(error, "a buffer to empty the cache with: %s", wl_message());
    }
    return true;
}

static void close_session(struct session *session) {
    for (size_t i = 0; i < session->count; i++) {
        if (session->variants[i].from)
            wl__event_destroy(session->variants[i].from);
        if (session->variants[i].to)
            wl__event_destroy(session->variants[i].to);
        bench_samples_free(&session->variants[i].samples);
    }
    if (session->flush)
        wl_free(session->context, session->flush);
    free(session->variants);
}

bool bench_measure(const struct bench_plan *plan, struct bench_section *section,
                   const struct bench_workspace *workspace, const struct bench_request *request,
                   bench_measure_progress_fn *progress, void *argument, struct bench_error *error) {
    struct session session = {
        .context = workspace->context,
        .request = request,
        .random = request->seed * 2 + 1, /* never 0, which xorshift cannot leave */
    };
    bool right = open_session(&session, plan, section, workspace, error);
    if (right && session.count) {
        right = warm_up(&session) == WL_ERROR_OK || bench_failure(error, "timing: %s", wl_message());
        right = right && sample(&session, progress, argument, error);
    }
    close_session(&session);
    return right;
}
