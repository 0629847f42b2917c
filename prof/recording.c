#include "prof/recording.h"
#include "prof/doubts.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/demangle.h"
#include "prof/labels.h"
#include "prof/waste.h"

/* Doubles represent all integers up to this exactly, and sums of many of them fit in 64 bits. */
#define MOST_COUNTED ((uint64_t)1 << 53)

enum outcome { GOOD, BAD /* not a record */, NO_MEMORY };

/* Appends a zeroed element and returns it; NULL: out of memory. */
static void *more(void **items, size_t *count, size_t *capacity, size_t size) {
    if (*count == *capacity) {
        size_t larger = *capacity ? 2 * *capacity : 16;
        void *moved = realloc(*items, larger * size);
        if (!moved)
            return NULL;
        *items = moved;
        *capacity = larger;
    }
    void *item = (char *)*items + (*count)++ * size;
    memset(item, 0, size);
    return item;
}

#define MORE(owner, list, one)                                                                               \
    more((void **)&(owner)->list, &(owner)->one##_count, &(owner)->one##_capacity, sizeof *(owner)->list)

/* ---------------------------------------------------------------- members */

/* The state of reading an object's members; the first failure stays. */
struct reader {
    struct prof_recording *recording;
    enum outcome outcome;
};

static const char *get_text(struct reader *r, const json_t *object, const char *name, bool needed) {
    const char *text = json_string_value(json_object_get(object, name));
    if (!text) {
        if (needed && r->outcome == GOOD)
            r->outcome = BAD;
        return NULL;
    }
    const char *kept = prof_names_keep(&r->recording->names, text);
    if (!kept)
        r->outcome = NO_MEMORY;
    return kept;
}

/* Reads an integer from 0 to most; 0 if it is absent. */
static uint64_t get_number(struct reader *r, const json_t *object, const char *name, uint64_t most) {
    const json_t *value = json_object_get(object, name);
    if (!value)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most) {
        if (r->outcome == GOOD)
            r->outcome = BAD;
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static bool get_three(struct reader *r, const json_t *object, const char *name, unsigned out[3]) {
    const json_t *array = json_object_get(object, name);
    if (json_array_size(array) != 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            json_integer_value(value) > UINT32_MAX) {
            if (r->outcome == GOOD)
                r->outcome = BAD;
            return false;
        }
        out[i] = (unsigned)json_integer_value(value);
    }
    return true;
}

static void get_counters(struct reader *r, const json_t *object, wl_counters *out) {
    const json_t *counters = json_object_get(object, "counters");
    if (!json_is_object(counters) && r->outcome == GOOD)
        r->outcome = BAD;
#define GET(name) out->name = get_number(r, counters, #name, MOST_COUNTED);
    WL_COUNTER_MAP(GET)
#undef GET
}

static void get_place(struct reader *r, const json_t *object, struct prof_place *out) {
    out->kernel = get_text(r, object, "kernel", false);
    out->file = get_text(r, object, "file", false);
    out->line = (unsigned)get_number(r, object, "line", UINT32_MAX);
    out->ptx_line = (unsigned)get_number(r, object, "ptx_line", UINT32_MAX);
    out->has_thread =
        get_three(r, object, "block", out->block) && get_three(r, object, "thread", out->thread);
}

static void get_fault(struct reader *r, const json_t *object, struct prof_fault *out) {
    out->kind = get_text(r, object, "kind", true);
    out->text = get_text(r, object, "text", true);
    get_place(r, object, &out->place);
    get_place(r, json_object_get(object, "other"), &out->other);
}

/* ---------------------------------------------------------------- launches */

static int compare_text(const char *a, const char *b) {
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return a == b ? 0 : strcmp(a, b);
}

int prof_line_compare(const void *left, const void *right) {
    const struct prof_line *a = left, *b = right;
    int order = compare_text(a->file, b->file);
    if (!order)
        order = (a->line > b->line) - (a->line < b->line);
    if (!order)
        order = (a->column > b->column) - (a->column < b->column);
    if (!order)
        order = (a->ptx_line > b->ptx_line) - (a->ptx_line < b->ptx_line);
    if (!order)
        order = strcmp(a->op, b->op);
    if (!order)
        order = (a->bytes > b->bytes) - (a->bytes < b->bytes);
    if (!order)
        order = a->has_stride - b->has_stride;
    if (!order && a->has_stride)
        order = (a->stride > b->stride) - (a->stride < b->stride);
    return order ? order : compare_text(a->function, b->function);
}

static unsigned get_doubts(const json_t *object) {
    const json_t *names = json_object_get(object, "doubts"), *name;
    unsigned bits = 0;
    size_t i;
    json_array_foreach(names, i, name) bits |=
        prof_doubt_bit(json_is_string(name) ? json_string_value(name) : "");
    return bits;
}

static void get_line(struct reader *r, const json_t *object, struct prof_line *line) {
    line->op = get_text(r, object, "op", true);
    line->file = get_text(r, object, "file", false);
    line->function = get_text(r, object, "function", false);
    line->line = (unsigned)get_number(r, object, "line", UINT32_MAX);
    line->ptx_line = (unsigned)get_number(r, object, "ptx_line", UINT32_MAX);
    line->column = (unsigned)get_number(r, object, "column", UINT32_MAX);
    line->bytes = (unsigned)get_number(r, object, "bytes", 256);
    const json_t *stride = json_object_get(object, "stride");
    line->has_stride = json_is_integer(stride);
    line->stride = json_integer_value(stride);
    get_counters(r, object, &line->sums.c);
    if (r->outcome != GOOD)
        return;
    if (strcmp(line->op, "branch") == 0) {
        line->sums.branches = line->sums.c.inst_executed;
        line->sums.divergent = get_number(r, object, "divergent", line->sums.branches);
    }
    line->sums.outside = get_number(r, object, "outside", INT64_MAX);
    line->sums.undefined = get_number(r, object, "undefined", INT64_MAX);
    line->doubts = get_doubts(object);
    prof_line_conflicts(line);
}

static void get_lines(struct reader *r, const json_t *object, struct prof_detail *detail) {
    const json_t *array = json_object_get(object, "lines");
    if (!json_is_array(array)) {
        r->outcome = r->outcome == GOOD ? BAD : r->outcome;
        return;
    }
    size_t count = json_array_size(array);
    detail->lines = calloc(count + 1, sizeof *detail->lines);
    if (!detail->lines) {
        r->outcome = NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < count && r->outcome == GOOD; i++) {
        struct prof_line *line = &detail->lines[detail->line_count++];
        get_line(r, json_array_get(array, i), line);
        detail->sums.branches += line->sums.branches;
        detail->sums.divergent += line->sums.divergent;
        detail->sums.outside += line->sums.outside;
        detail->sums.undefined += line->sums.undefined;
        detail->sums.shared_load_conflicts += line->sums.shared_load_conflicts;
        detail->sums.shared_store_conflicts += line->sums.shared_store_conflicts;
    }
    if (r->outcome == GOOD)
        qsort(detail->lines, detail->line_count, sizeof *detail->lines, prof_line_compare);
}

static void free_detail(struct prof_detail *detail) {
    free(detail->lines);
    free(detail->fault);
    free(detail);
}

static struct prof_detail *get_detail(struct reader *r, const json_t *object) {
    struct prof_detail *detail = calloc(1, sizeof *detail);
    if (!detail) {
        r->outcome = NO_MEMORY;
        return NULL;
    }
    detail->kernel = get_text(r, object, "kernel", true);
    detail->arch = get_text(r, object, "arch", true);
    detail->proved = json_is_true(json_object_get(object, "proved"));
    if ((!get_three(r, object, "grid", detail->grid) || !get_three(r, object, "block", detail->block)) &&
        r->outcome == GOOD)
        r->outcome = BAD;
    detail->shared_bytes = get_number(r, object, "shared_bytes", INT64_MAX);
    get_counters(r, object, &detail->sums.c);
    detail->sums.c.launches = 1;
    get_lines(r, object, detail);
    const json_t *fault = json_object_get(object, "fault");
    if (fault && r->outcome == GOOD) {
        detail->fault = calloc(1, sizeof *detail->fault);
        if (detail->fault)
            get_fault(r, fault, detail->fault);
        else
            r->outcome = NO_MEMORY;
    }
    char *plain = r->outcome == GOOD ? prof_demangle(detail->kernel) : NULL;
    detail->name = plain ? prof_names_keep(&r->recording->names, plain) : NULL;
    free(plain);
    if (r->outcome == GOOD && !detail->name)
        r->outcome = NO_MEMORY;
    if (r->outcome == GOOD) {
        struct prof_detail **slot = MORE(r->recording, details, detail);
        if (slot) {
            *slot = detail;
            detail->index = r->recording->detail_count - 1;
            return detail;
        }
        r->outcome = NO_MEMORY;
    }
    free_detail(detail);
    return NULL;
}

static struct prof_process *find_process(struct prof_recording *recording, int64_t pid) {
    /* From the newest on, since a process id may have been reused. */
    for (size_t i = recording->process_count; i--;)
        if (recording->processes[i].pid == pid)
            return &recording->processes[i];
    return NULL;
}

/* The launch of that number, if its record is complete.  originals are in ascending order. */
static const struct prof_detail *find_original(const struct prof_process *process, uint64_t number) {
    size_t low = 0, high = process->original_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (process->originals[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < process->original_count && process->originals[low].number == number;
    return found ? process->originals[low].detail : NULL;
}

static const struct prof_detail *get_original(struct reader *r, const json_t *object,
                                              struct prof_process *process, uint64_t number) {
    const struct prof_detail *detail = get_detail(r, object);
    struct prof_original *slot = detail ? MORE(process, originals, original) : NULL;
    if (slot)
        *slot = (struct prof_original){number, detail};
    else if (detail)
        r->outcome = NO_MEMORY;
    return slot ? detail : NULL;
}

static void read_launch(struct reader *r, const json_t *object) {
    struct prof_recording *recording = r->recording;
    int64_t pid = (int64_t)get_number(r, object, "pid", INT64_MAX);
    uint64_t number = get_number(r, object, "number", INT64_MAX);
    struct prof_process *process = find_process(recording, pid);
    if (!process || number <= process->last) {
        r->outcome = BAD;
        return;
    }
    const struct prof_detail *detail = json_object_get(object, "same")
                                           ? find_original(process, get_number(r, object, "same", INT64_MAX))
                                           : get_original(r, object, process, number);
    struct prof_launch *slot = detail ? MORE(recording, launches, launch) : NULL;
    if (!slot) {
        if (r->outcome == GOOD)
            r->outcome = detail ? NO_MEMORY : BAD;
        return;
    }
    *slot = (struct prof_launch){pid, number, detail};
    process->launches++;
    process->last = number;
}

/* ---------------------------------------------------------------- other records */

static void read_process(struct reader *r, const json_t *object) {
    struct prof_process process = {.pid = (int64_t)get_number(r, object, "pid", INT64_MAX),
                                   .program = get_text(r, object, "program", true),
                                   .arch = get_text(r, object, "arch", true),
                                   .proved = json_is_true(json_object_get(object, "proved"))};
    if (r->outcome != GOOD)
        return;
    struct prof_process *slot = MORE(r->recording, processes, process);
    if (slot)
        *slot = process;
    else
        r->outcome = NO_MEMORY;
}

static void read_message(struct reader *r, const json_t *object, bool error) {
    struct prof_recording *recording = r->recording;
    struct prof_message message = {.error = error, .text = get_text(r, object, "text", true)};
    if (r->outcome != GOOD)
        return;
    for (size_t i = 0; i < recording->message_count; i++)
        if (recording->messages[i].text == message.text) /* kept once: the same text is the same pointer */
            return;
    struct prof_message *slot = MORE(recording, messages, message);
    if (slot)
        *slot = message;
    else
        r->outcome = NO_MEMORY;
}

static void read_finding(struct reader *r, const json_t *object) {
    struct prof_finding finding = {.check = get_text(r, object, "check", false),
                                   .times = get_number(r, object, "count", MOST_COUNTED)};
    get_fault(r, object, &finding.what);
    if (r->outcome != GOOD)
        return;
    finding.times += !finding.times;
    finding.launches = finding.what.place.kernel != NULL;
    struct prof_finding *slot = MORE(r->recording, findings, finding);
    if (slot)
        *slot = finding;
    else
        r->outcome = NO_MEMORY;
}

/* Records of unknown kinds, from a newer version, are not damage. */
static enum outcome read_record(struct prof_recording *recording, const char *line, size_t length) {
    struct reader r = {.recording = recording};
    json_t *record = json_loadb(line, length, 0, NULL);
    const json_t *object;
    if (!json_is_object(record) || json_object_size(record) != 1)
        r.outcome = BAD;
    else if ((object = json_object_get(record, "launch")))
        read_launch(&r, object);
    else if ((object = json_object_get(record, "process")))
        read_process(&r, object);
    else if ((object = json_object_get(record, "error")))
        read_message(&r, object, true);
    else if ((object = json_object_get(record, "note")))
        read_message(&r, object, false);
    else if ((object = json_object_get(record, "finding")))
        read_finding(&r, object);
    else if (json_object_get(record, "checks"))
        recording->has_checks = true;
    json_decref(record);
    return r.outcome;
}

/* Drops the driver's errors that repeat the text of a launch's fault. */
static void forget_fault_messages(struct prof_recording *recording) {
    size_t kept = 0;
    for (size_t i = 0; i < recording->message_count; i++) {
        bool fault = false;
        for (size_t d = 0; d < recording->detail_count && !fault; d++)
            fault = recording->details[d]->fault &&
                    recording->details[d]->fault->text == recording->messages[i].text;
        if (!fault)
            recording->messages[kept++] = recording->messages[i];
    }
    recording->message_count = kept;
}

/* Demangles names in the texts of faults and messages. */
static bool demangle_words(struct prof_recording *recording, const char **words, const char *known) {
    char *plain = prof_demangle_words(*words, known);
    const char *kept = plain ? prof_names_keep(&recording->names, plain) : NULL;
    free(plain);
    if (kept)
        *words = kept;
    return kept;
}

static bool demangle_all(struct prof_recording *recording) {
    bool good = true;
    for (size_t d = 0; d < recording->detail_count && good; d++) {
        struct prof_detail *detail = recording->details[d];
        good = !detail->fault || demangle_words(recording, &detail->fault->text, detail->kernel);
    }
    for (size_t i = 0; i < recording->message_count && good; i++)
        good = demangle_words(recording, &recording->messages[i].text, NULL);
    return good;
}

/* ---------------------------------------------------------------- the file */

/* Adds the name of a launch in flight.  The process may have been killed while writing it. */
static bool take_in_flight(struct prof_recording *recording, const struct records_slot *slot) {
    char name[sizeof slot->kernel + 1];
    snprintf(name, sizeof name, "%.*s", (int)sizeof slot->kernel, slot->kernel);
    for (char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f)
            *c = '?';
    const char *kept = prof_names_keep(&recording->names, name);
    if (kept)
        recording->in_flight_name[recording->in_flight_names++] = kept;
    return kept;
}

/* Reads the account and leaves the file at its first record. */
static enum outcome read_account(struct prof_recording *recording, FILE *file, uint64_t *written) {
    struct records_account account;
    rewind(file);
    *written = 0;
    if (fread(&account, sizeof account, 1, file) != 1 || memcmp(account.magic, RECORDS_MAGIC, 8) != 0) {
        rewind(file);
        return GOOD;
    }
    recording->has_account = true;
    recording->begun = account.begun;
    recording->in_flight = account.begun > account.ended ? account.begun - account.ended : 0;
    recording->lost = account.lost;
    recording->lost_error = account.error > 0 && account.error <= INT_MAX ? (int)account.error : EIO;
    *written = account.written;
    for (size_t i = 0; i < RECORDS_SLOTS && recording->in_flight_names < recording->in_flight; i++)
        if (account.slots[i].pid && !take_in_flight(recording, &account.slots[i]))
            return NO_MEMORY;
    return GOOD;
}

bool prof_recording_read(FILE *file, struct prof_recording *out, struct base_error *error) {
    *out = (struct prof_recording){0};
    char *line = NULL;
    size_t capacity = 0;
    uint64_t good = 0, written;
    ssize_t length;
    enum outcome outcome = read_account(out, file, &written);
    while (outcome != NO_MEMORY && (length = getline(&line, &capacity, file)) > 0) {
        outcome = read_record(out, line, (size_t)length);
        good += outcome == GOOD;
        out->damaged += outcome == BAD;
    }
    forget_fault_messages(out);
    if (outcome != NO_MEMORY && (!prof_findings_merge(out) || !demangle_all(out)))
        outcome = NO_MEMORY;
    int reason = errno;
    free(line);
    if (outcome == NO_MEMORY || ferror(file)) {
        prof_recording_free(out);
        return base_failure(error, "the records cannot be read: %s",
                            outcome == NO_MEMORY ? "out of memory" : strerror(reason));
    }
    out->absent = written > good ? written - good : 0;
    for (size_t i = 0; i < out->process_count; i++)
        out->missing += out->processes[i].last - out->processes[i].launches;
    return true;
}

void prof_recording_free(struct prof_recording *recording) {
    for (size_t i = 0; i < recording->detail_count; i++)
        free_detail(recording->details[i]);
    for (size_t i = 0; i < recording->process_count; i++)
        free(recording->processes[i].originals);
    free(recording->details);
    free(recording->launches);
    free(recording->processes);
    free(recording->messages);
    free(recording->findings);
    prof_names_free(&recording->names);
    *recording = (struct prof_recording){0};
}
