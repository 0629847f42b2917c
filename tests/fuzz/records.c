/* The records that a profiled program leaves, with arbitrary damage: reads them and writes all outputs made
 * of them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "prof/report.h"
#include "tests/fuzz/fuzz.h"

static void put_texts(FILE *file, const struct prof_report *report) {
    prof_put_header(file, report);
    FUZZ_CHECK(report->choices->count ? prof_put_metrics(file, report) : prof_put_table(file, report));
    FUZZ_CHECK(prof_put_lines(file, report));
    prof_put_faults(file, report);
    prof_put_notes(file, report);
    prof_put_messages(file, report, prof_first_error(report));
    prof_put_messages(file, report, NULL);
    prof_put_findings(file, report);
    FUZZ_CHECK(prof_put_failures(file, report) <= report->rows->count);
    prof_put_annotations(file, report);
    FUZZ_CHECK(prof_put_csv(file, report));
}

static json_t *written(bool (*put)(FILE *file, const struct prof_report *report),
                       const struct prof_report *report) {
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    FUZZ_CHECK(file);
    FUZZ_CHECK(put(file, report));
    fclose(file);
    json_t *document = json_loadb(text, size, 0, NULL);
    FUZZ_CHECK(json_is_object(document));
    free(text);
    return document;
}

static void put_json(const struct prof_report *report) {
    json_t *document = written(prof_put_json, report);
    FUZZ_CHECK(json_array_size(json_object_get(document, "launches")) == report->rows->launch_count);
    json_decref(document);
    document = written(prof_put_sarif, report);
    const json_t *run = json_array_get(json_object_get(document, "runs"), 0);
    FUZZ_CHECK(json_array_size(json_object_get(run, "results")) >= report->recording->finding_count);
    json_decref(document);
}

/* No name of the records is markup, and whatever they hold, the page is UTF-8 and small. */
static void put_page(const struct prof_report *report, size_t input) {
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    FUZZ_CHECK(file);
    FUZZ_CHECK(prof_put_page(file, report));
    fclose(file);
    json_t *string = json_stringn(text, size);
    FUZZ_CHECK(string);
    FUZZ_CHECK(!strstr(text, "<script"));
    FUZZ_CHECK(size < (4u << 20) + 10 * input);
    json_decref(string);
    free(text);
}

static void report_records(const struct prof_recording *recording, size_t input, bool each,
                           bool all_metrics) {
    struct base_error error;
    struct prof_rows rows;
    const struct prof_selection selection = {.count = UINT64_MAX, .each = each};
    FUZZ_CHECK(prof_rows_make(recording, &selection, &rows, &error));
    struct prof_choices choices = {0};
    struct prof_gate gate;
    FUZZ_CHECK(!all_metrics || prof_choices_parse("all", &choices, &error));
    FUZZ_CHECK(prof_gate_parse("gld_efficiency<80", &gate, &error));
    const struct prof_report report = {.program = "fuzz",
                                       .recording = recording,
                                       .rows = &rows,
                                       .choices = &choices,
                                       .gates = &gate,
                                       .gate_count = 1,
                                       .each = each};
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    FUZZ_CHECK(nowhere);
    if (rows.count)
        put_texts(nowhere, &report);
    prof_put_losses(nowhere, &report);
    put_json(&report);
    put_page(&report, input);
    prof_choices_free(&choices);
    prof_rows_free(&rows);
}

enum { HEAD = 88 /* bytes: the account's numbers, and the beginning of its first slot */ };

/* An account is mostly zeros, so an input contains only its head. */
static const char *whole_file(const uint8_t *data, size_t size) {
    if (size < HEAD || memcmp(data, RECORDS_MAGIC, sizeof RECORDS_MAGIC) != 0)
        return fuzz_file(data, size);
    uint8_t *whole = calloc(1, RECORDS_ACCOUNT + size - HEAD);
    FUZZ_CHECK(whole);
    memcpy(whole, data, HEAD);
    memcpy(whole + RECORDS_ACCOUNT, data + HEAD, size - HEAD);
    const char *path = fuzz_file(whole, RECORDS_ACCOUNT + size - HEAD);
    free(whole);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct prof_recording recording;
    struct base_error error;
    FILE *file = fopen(whole_file(data, size), "re");
    FUZZ_CHECK(file);
    FUZZ_CHECK(prof_recording_read(file, &recording, &error));
    fclose(file);
    report_records(&recording, size, false, false);
    report_records(&recording, size, true, true);
    prof_recording_free(&recording);
    return 0;
}
