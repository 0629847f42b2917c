#include "bench/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/verify_sparse.h"

static enum bench_verdict driver_failure(const char *what, char *text, size_t text_size) {
    snprintf(text, text_size, "%s: %s", what, wl_message());
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return BENCH_BROKEN;
}

static void element_text(enum bench_kind kind, uint32_t bits, char *out, size_t out_size) {
    float value;
    memcpy(&value, &bits, sizeof value);
    if (kind == BENCH_KIND_FLOAT)
        snprintf(out, out_size, "%.9g (0x%08" PRIx32 ")", (double)value, bits);
    else if (kind == BENCH_KIND_INDEX)
        snprintf(out, out_size, "%" PRIu32, bits);
    else
        snprintf(out, out_size, "0x%08" PRIx32, bits);
}

static void describe(const char *array, unsigned which, uint64_t index, enum bench_kind kind, uint32_t got,
                     uint32_t expected, char *text, size_t text_size) {
    const uint32_t poison = BENCH_POISON * 0x01010101u;
    char got_text[48], expected_text[48];
    element_text(kind, got, got_text, sizeof got_text);
    element_text(kind, expected, expected_text, sizeof expected_text);
    if (array[0] == 'o' && got == poison)
        snprintf(text, text_size, "%s%u[%" PRIu64 "]: never written, expected %s", array, which, index,
                 expected_text);
    else if (array[0] == 'o' && expected == poison)
        snprintf(text, text_size, "%s%u[%" PRIu64 "]: got %s, expected it untouched", array, which, index,
                 got_text);
    else
        snprintf(text, text_size, "%s%u[%" PRIu64 "]: got %s, expected %s%s", array, which, index, got_text,
                 expected_text, array[0] == 'i' ? ": an input was changed" : "");
}

/* Describes an element that is not a word, in hexadecimal. */
static void describe_element(const char *array, unsigned which, uint64_t index, uint32_t width,
                             const unsigned char *got, const unsigned char *expected, char *text,
                             size_t text_size) {
    char got_text[40] = "", expected_text[40] = "";
    bool untouched = true, unwritten = true;
    for (uint32_t i = 0; i < width; i++) {
        snprintf(got_text + 2 * i, 3, "%02x", got[width - 1 - i]);
        snprintf(expected_text + 2 * i, 3, "%02x", expected[width - 1 - i]);
        untouched = untouched && expected[i] == BENCH_POISON;
        unwritten = unwritten && got[i] == BENCH_POISON;
    }
    bool output = array[0] == 'o';
    if (output && unwritten)
        snprintf(text, text_size, "%s%u[%" PRIu64 "]: never written, expected 0x%s", array, which, index,
                 expected_text);
    else if (output && untouched)
        snprintf(text, text_size, "%s%u[%" PRIu64 "]: got 0x%s, expected it untouched", array, which, index,
                 got_text);
    else
        snprintf(text, text_size, "%s%u[%" PRIu64 "]: got 0x%s, expected 0x%s%s", array, which, index,
                 got_text, expected_text, output ? "" : ": an input was changed");
}

/* Describes the first difference of a chunk from the array's bytes at `at`. */
static void describe_difference(const struct bench_array *array, const char *name, unsigned which,
                                uint64_t at, const unsigned char *got, char *text, size_t text_size) {
    const unsigned char *expected = (const unsigned char *)array->host + at;
    uint64_t byte = 0;
    uint32_t width = array->width ? array->width : 4, got_word, expected_word;
    while (got[byte] == expected[byte])
        byte++;
    byte = byte / width * width; /* a chunk is a multiple of every width */
    if (array->width) {
        describe_element(name, which, (at + byte) / width, width, got + byte, expected + byte, text,
                         text_size);
        return;
    }
    memcpy(&got_word, got + byte, sizeof got_word);
    memcpy(&expected_word, expected + byte, sizeof expected_word);
    describe(name, which, (at + byte) / 4, array->kind, got_word, expected_word, text, text_size);
}

/* Compares a device's part of an array with the host's copy, chunk by chunk. */
static enum bench_verdict compare_part(const struct bench_workspace *workspace,
                                       const struct bench_array *array, unsigned device, const char *name,
                                       unsigned which, char *text, size_t text_size) {
    const struct bench_part *part = &array->parts[device];
    const unsigned char *expected = (const unsigned char *)array->host + part->first;
    for (uint64_t at = 0; at < part->bytes; at += BENCH_CHUNK_BYTES) {
        uint64_t bytes = part->bytes - at < BENCH_CHUNK_BYTES ? part->bytes - at : BENCH_CHUNK_BYTES;
        if (wl_download(workspace->contexts[device], workspace->chunk, part->data + at, bytes))
            return driver_failure("download", text, text_size);
        if (memcmp(workspace->chunk, expected + at, bytes) == 0)
            continue;
        describe_difference(array, name, which, part->first + at, workspace->chunk, text, text_size);
        return BENCH_WRONG;
    }
    return BENCH_RIGHT;
}

static enum bench_verdict compare(const struct bench_workspace *workspace, const struct bench_array *array,
                                  const char *name, unsigned which, char *text, size_t text_size) {
    enum bench_verdict verdict = BENCH_RIGHT;
    for (unsigned r = 0; r < workspace->devices && verdict == BENCH_RIGHT; r++)
        verdict = compare_part(workspace, array, r, name, which, text, text_size);
    return verdict;
}

static enum bench_verdict check_guard(wl_context *context, wl_devptr address, unsigned char pattern,
                                      bool before, const char *name, char *text, size_t text_size) {
    unsigned char guard[BENCH_GUARD_BYTES];
    if (wl_download(context, guard, address, sizeof guard))
        return driver_failure("download", text, text_size);
    /* Distances count from the array: its last guard byte is 1 before its start. */
    for (unsigned i = 0; i < BENCH_GUARD_BYTES; i++) {
        unsigned at = before ? BENCH_GUARD_BYTES - 1 - i : i;
        if (guard[at] != pattern) {
            snprintf(text, text_size, "%s: byte %u %s was overwritten", name, before ? i + 1 : i,
                     before ? "before its start" : "past its end");
            return BENCH_WRONG;
        }
    }
    return BENCH_RIGHT;
}

static enum bench_verdict check_guards(const struct bench_workspace *workspace,
                                       const struct bench_array *array, unsigned char pattern,
                                       const char *name, char *text, size_t text_size) {
    enum bench_verdict verdict = BENCH_RIGHT;
    for (unsigned r = 0; r < workspace->devices && verdict == BENCH_RIGHT; r++) {
        const struct bench_part *part = &array->parts[r];
        wl_context *context = workspace->contexts[r];
        char place[48];
        if (!part->allocation)
            continue;
        snprintf(place, sizeof place, workspace->devices > 1 ? "%s of device %u" : "%s", name, r);
        verdict = check_guard(context, part->allocation, pattern, true, place, text, text_size);
        if (verdict == BENCH_RIGHT)
            verdict = check_guard(context, part->data + part->bytes, pattern, false, place, text, text_size);
    }
    return verdict;
}

static enum bench_verdict check_outputs(struct bench_workspace *workspace, const struct wl_rung *rung,
                                        const struct wl_problem *problem, char *text, size_t text_size) {
    bool sparse = rung->reference == WL_REF_CSR_TO_CSC || rung->reference == WL_REF_COO_TRANSPOSE;
    enum bench_verdict verdict = BENCH_RIGHT;
    for (unsigned i = 0; i < BENCH_OUTPUTS && verdict == BENCH_RIGHT; i++) {
        /* A sparse result's rows and values may be in any order within a column. */
        if (sparse && (i == 1 || i == 2))
            continue;
        if (rung->outputs >> i & 1)
            verdict = compare(workspace, &workspace->out[i], "out", i, text, text_size);
    }
    if (verdict == BENCH_RIGHT && sparse)
        verdict = bench_verify_entries(workspace, problem, text, text_size);
    return verdict;
}

static enum bench_verdict check_all(struct bench_workspace *workspace, const struct wl_rung *rung,
                                    const struct wl_problem *problem, char *text, size_t text_size) {
    char name[16];
    enum bench_verdict verdict = check_outputs(workspace, rung, problem, text, text_size);
    for (unsigned i = 0; i < BENCH_OUTPUTS && verdict == BENCH_RIGHT; i++) {
        snprintf(name, sizeof name, "out%u", i);
        if (rung->outputs >> i & 1)
            verdict = check_guards(workspace, &workspace->out[i], BENCH_POISON, name, text, text_size);
    }
    for (unsigned i = 0; i < BENCH_INPUTS && verdict == BENCH_RIGHT; i++) {
        snprintf(name, sizeof name, "in%u", i);
        if (!workspace->in[i].parts[0].allocation)
            continue;
        verdict = compare(workspace, &workspace->in[i], "in", i, text, text_size);
        if (verdict == BENCH_RIGHT)
            verdict = check_guards(workspace, &workspace->in[i], BENCH_INPUT_GUARD, name, text, text_size);
    }
    if (verdict == BENCH_RIGHT)
        verdict = check_guards(workspace, &workspace->work, BENCH_POISON, "work", text, text_size);
    return verdict;
}

static enum bench_verdict launch(struct bench_workspace *workspace, const struct wl_rung *rung,
                                 const struct wl_problem *problem, char *text, size_t text_size) {
    wl_error error = rung->launch(workspace->contexts[0], problem, NULL);
    if (!error)
        error = bench_workspace_synchronize(workspace);
    if (!error)
        return BENCH_RIGHT;
    driver_failure(wl_error_text(error), text, text_size);
    /* After a fault the context is unusable; after a launch that the driver refused it still works. */
    bool works = error != WL_ERROR_KERNEL_FAULT && bench_workspace_synchronize(workspace) == WL_ERROR_OK;
    return works ? BENCH_REFUSED : BENCH_BROKEN;
}

/* Launches once, on poisoned outputs, and compares. */
static enum bench_verdict run(struct bench_workspace *workspace, const struct wl_rung *rung,
                              const struct wl_problem *bound, wl_counters *counters, bool *counted,
                              char *text, size_t text_size) {
    wl_context *context = workspace->contexts[0];
    struct base_error error;
    bool counts = counters && wl__is_simulator(context);
    if (!bench_workspace_poison(workspace, rung, &error)) {
        snprintf(text, text_size, "%s", error.text);
        return BENCH_BROKEN;
    }
    if (rung->prepare && (rung->prepare(context, bound, NULL) || bench_workspace_synchronize(workspace)))
        return driver_failure("preparing the output", text, text_size);
    if (counts && wl_reset_counters(context))
        return driver_failure("counters", text, text_size);
    enum bench_verdict verdict = launch(workspace, rung, bound, text, text_size);
    if (verdict != BENCH_RIGHT)
        return verdict;
    if (counts && wl_get_counters(context, counters))
        return driver_failure("counters", text, text_size);
    *counted = counts;
    verdict = check_all(workspace, rung, bound, text, text_size);
    /* The rung may have overwritten inputs that later rows need. */
    if (verdict == BENCH_WRONG && !bench_workspace_restore(workspace, &error)) {
        snprintf(text, text_size, "%s", error.text);
        return BENCH_BROKEN;
    }
    return verdict;
}

enum bench_verdict bench_verify(struct bench_workspace *workspace, const struct wl_rung *rung,
                                const struct wl_problem *problem, wl_counters *counters, bool *counted,
                                char *text, size_t text_size) {
    struct wl_problem bound = *problem;
    *counted = false;
    bench_workspace_expect(workspace, rung, problem);
    bench_workspace_bind(workspace, rung, &bound);
    wl_error failed = rung->open ? rung->open(&bound, &bound.state) : WL_ERROR_OK;
    if (failed) {
        driver_failure(wl_error_text(failed), text, text_size);
        return bench_workspace_synchronize(workspace) == WL_ERROR_OK ? BENCH_REFUSED : BENCH_BROKEN;
    }
    enum bench_verdict verdict = run(workspace, rung, &bound, counters, counted, text, text_size);
    if (rung->close)
        rung->close(bound.state);
    return verdict;
}
