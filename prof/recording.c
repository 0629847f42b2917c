#include "prof/recording.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/demangle.h"
#include "prof/doubts.h"
#include "prof/fields.h"
#include "prof/labels.h"
#include "prof/waste.h"

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

static void get_counters(struct prof_reader *r, const json_t *object, wl_counters *out) {
    const json_t *counters = json_object_get(object, "counters");
    if (!json_is_object(counters))
        prof_reader_fail(r, PROF_BAD);
#define GET(name) out->name = prof_get_number(r, counters, #name, PROF_MOST_COUNTED);
    WL_COUNTER_MAP(GET)
#undef GET
}

static void get_place(struct prof_reader *r, const json_t *object, struct prof_place *out) {
    out->kernel = prof_get_text(r, object, "kernel", false);
    out->file = prof_get_text(r, object, "file", false);
    out->line = (unsigned)prof_get_number(r, object, "line", UINT32_MAX);
    out->ptx_line = (unsigned)prof_get_number(r, object, "ptx_line", UINT32_MAX);
    out->has_thread =
        prof_get_three(r, object, "block", out->block) && prof_get_three(r, object, "thread", out->thread);
}

static void get_fault(struct prof_reader *r, const json_t *object, struct prof_fault *out) {
    out->kind = prof_get_text(r, object, "kind", true);
    out->text = prof_get_text(r, object, "text", true);
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

static void get_line(struct prof_reader *r, const json_t *object, struct prof_line *line) {
    line->op = prof_get_text(r, object, "op", true);
    line->file = prof_get_text(r, object, "file", false);
    line->function = prof_get_text(r, object, "function", false);
    line->line = (unsigned)prof_get_number(r, object, "line", UINT32_MAX);
    line->ptx_line = (unsigned)prof_get_number(r, object, "ptx_line", UINT32_MAX);
    line->column = (unsigned)prof_get_number(r, object, "column", UINT32_MAX);
    line->bytes = (unsigned)prof_get_number(r, object, "bytes", 256);
    const json_t *stride = json_object_get(object, "stride");
    line->has_stride = json_is_integer(stride) && json_integer_value(stride) >= -INT64_MAX;
    line->stride = line->has_stride ? json_integer_value(stride) : 0; /* its size is an integer, too */
    get_counters(r, object, &line->sums.c);
    if (r->outcome != PROF_GOOD)
        return;
    if (strcmp(line->op, "branch") == 0) {
        line->sums.branches = line->sums.c.inst_executed;
        line->sums.divergent = prof_get_number(r, object, "divergent", line->sums.branches);
    }
    line->sums.outside = prof_get_number(r, object, "outside", INT64_MAX);
    line->sums.undefined = prof_get_number(r, object, "undefined", INT64_MAX);
    line->doubts = get_doubts(object);
    prof_line_conflicts(line);
    prof_kinds_read(r, object, &line->kinds);
}

static void get_lines(struct prof_reader *r, const json_t *object, struct prof_detail *detail) {
    const json_t *array = json_object_get(object, "lines");
    if (!json_is_array(array)) {
        prof_reader_fail(r, PROF_BAD);
        return;
    }
    size_t count = json_array_size(array);
    detail->lines = calloc(count + 1, sizeof *detail->lines);
    if (!detail->lines) {
        prof_reader_fail(r, PROF_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < count && r->outcome == PROF_GOOD; i++) {
        struct prof_line *line = &detail->lines[detail->line_count++];
        get_line(r, json_array_get(array, i), line);
        detail->sums.branches += line->sums.branches;
        detail->sums.divergent += line->sums.divergent;
        detail->sums.outside += line->sums.outside;
        detail->sums.undefined += line->sums.undefined;
        detail->sums.shared_load_conflicts += line->sums.shared_load_conflicts;
        detail->sums.shared_store_conflicts += line->sums.shared_store_conflicts;
    }
    if (r->outcome == PROF_GOOD)
        qsort(detail->lines, detail->line_count, sizeof *detail->lines, prof_line_compare);
}

static void free_detail(struct prof_detail *detail) {
    for (size_t i = 0; i < detail->line_count; i++)
        free(detail->lines[i].kinds.items);
    prof_arrays_free(&detail->arrays);
    free(detail->lines);
    free(detail->fault);
    free(detail);
}

static struct prof_detail *get_detail(struct prof_reader *r, const json_t *object, int64_t process) {
    struct prof_detail *detail = calloc(1, sizeof *detail);
    if (!detail) {
        prof_reader_fail(r, PROF_NO_MEMORY);
        return NULL;
    }
    detail->kernel = prof_get_text(r, object, "kernel", true);
    detail->arch = prof_get_text(r, object, "arch", true);
    detail->proved = json_is_true(json_object_get(object, "proved"));
    if (!prof_get_three(r, object, "grid", detail->grid) ||
        !prof_get_three(r, object, "block", detail->block))
        prof_reader_fail(r, PROF_BAD);
    detail->shared_bytes = prof_get_number(r, object, "shared_bytes", INT64_MAX);
    detail->device = (unsigned)prof_get_number(r, object, "device", UINT32_MAX);
    get_counters(r, object, &detail->sums.c);
    detail->sums.c.launches = 1;
    get_lines(r, object, detail);
    prof_arrays_read(r, object, process, &detail->arrays);
    const json_t *fault = json_object_get(object, "fault");
    if (fault && r->outcome == PROF_GOOD) {
        detail->fault = calloc(1, sizeof *detail->fault);
        if (detail->fault)
            get_fault(r, fault, detail->fault);
        else
            prof_reader_fail(r, PROF_NO_MEMORY);
    }
    char *plain = r->outcome == PROF_GOOD ? prof_demangle(detail->kernel) : NULL;
    detail->name = plain ? prof_names_keep(&r->recording->names, plain) : NULL;
    free(plain);
    if (r->outcome == PROF_GOOD && !detail->name)
        prof_reader_fail(r, PROF_NO_MEMORY);
    if (r->outcome == PROF_GOOD) {
        struct prof_detail **slot = MORE(r->recording, details, detail);
        if (slot) {
            *slot = detail;
            detail->index = r->recording->detail_count - 1;
            return detail;
        }
        prof_reader_fail(r, PROF_NO_MEMORY);
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

static const struct prof_detail *get_original(struct prof_reader *r, const json_t *object,
                                              struct prof_process *process, uint64_t number) {
    const struct prof_detail *detail = get_detail(r, object, process->pid);
    struct prof_original *slot = detail ? MORE(process, originals, original) : NULL;
    if (slot)
        *slot = (struct prof_original){number, detail};
    else if (detail)
        prof_reader_fail(r, PROF_NO_MEMORY);
    return slot ? detail : NULL;
}

static void read_launch(struct prof_reader *r, const json_t *object) {
    struct prof_recording *recording = r->recording;
    int64_t pid = (int64_t)prof_get_number(r, object, "pid", INT64_MAX);
    uint64_t number = prof_get_number(r, object, "number", INT64_MAX);
    struct prof_process *process = find_process(recording, pid);
    if (!process || number <= process->last) {
        prof_reader_fail(r, PROF_BAD);
        return;
    }
    const struct prof_detail *detail =
        json_object_get(object, "same")
            ? find_original(process, prof_get_number(r, object, "same", INT64_MAX))
            : get_original(r, object, process, number);
    struct prof_launch *slot = detail ? MORE(recording, launches, launch) : NULL;
    if (!slot) {
        prof_reader_fail(r, detail ? PROF_NO_MEMORY : PROF_BAD);
        return;
    }
    *slot = (struct prof_launch){pid, number, detail};
    process->launches++;
    process->last = number;
}

/* ---------------------------------------------------------------- other records */

static void read_process(struct prof_reader *r, const json_t *object) {
    struct prof_process process = {.pid = (int64_t)prof_get_number(r, object, "pid", INT64_MAX),
                                   .program = prof_get_text(r, object, "program", true),
                                   .arch = prof_get_text(r, object, "arch", true),
                                   .proved = json_is_true(json_object_get(object, "proved"))};
    if (r->outcome != PROF_GOOD)
        return;
    struct prof_process *slot = MORE(r->recording, processes, process);
    if (slot)
        *slot = process;
    else
        prof_reader_fail(r, PROF_NO_MEMORY);
}

static void read_message(struct prof_reader *r, const json_t *object, bool error) {
    struct prof_recording *recording = r->recording;
    struct prof_message message = {.error = error, .text = prof_get_text(r, object, "text", true)};
    if (r->outcome != PROF_GOOD)
        return;
    for (size_t i = 0; i < recording->message_count; i++)
        if (recording->messages[i].text == message.text) /* kept once: the same text is the same pointer */
            return;
    struct prof_message *slot = MORE(recording, messages, message);
    if (slot)
        *slot = message;
    else
        prof_reader_fail(r, PROF_NO_MEMORY);
}

static void read_allocation(struct prof_reader *r, const json_t *object) {
    struct prof_allocation allocation;
    prof_allocation_read(r, object, &allocation);
    struct prof_allocation *slot =
        r->outcome == PROF_GOOD ? MORE(r->recording, allocations, allocation) : NULL;
    if (slot) {
        *slot = allocation;
        return;
    }
    free(allocation.frames);
    if (r->outcome == PROF_GOOD)
        prof_reader_fail(r, PROF_NO_MEMORY);
}

static void read_finding(struct prof_reader *r, const json_t *object) {
    struct prof_finding finding = {.check = prof_get_text(r, object, "check", false),
                                   .times = prof_get_number(r, object, "count", PROF_MOST_COUNTED)};
    get_fault(r, object, &finding.what);
    if (r->outcome != PROF_GOOD)
        return;
    finding.times += !finding.times;
    finding.launches = finding.what.place.kernel != NULL;
    struct prof_finding *slot = MORE(r->recording, findings, finding);
    if (slot)
        *slot = finding;
    else
        prof_reader_fail(r, PROF_NO_MEMORY);
}

/* Records of unknown kinds, from a newer version, are not damage. */
static enum prof_reading read_record(struct prof_recording *recording, const char *line, size_t length) {
    struct prof_reader r = {.recording = recording};
    json_t *record = json_loadb(line, length, 0, NULL);
    const json_t *object;
    if (!json_is_object(record) || json_object_size(record) != 1)
        r.outcome = PROF_BAD;
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
    else if ((object = json_object_get(record, "array")))
        read_allocation(&r, object);
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
static enum prof_reading read_account(struct prof_recording *recording, FILE *file, uint64_t *written) {
    struct records_account account;
    rewind(file);
    *written = 0;
    if (fread(&account, sizeof account, 1, file) != 1 || memcmp(account.magic, RECORDS_MAGIC, 8) != 0) {
        rewind(file);
        return PROF_GOOD;
    }
    recording->has_account = true;
    recording->begun = account.begun;
    recording->in_flight = account.begun > account.ended ? account.begun - account.ended : 0;
    recording->lost = account.lost;
    recording->lost_error = account.error > 0 && account.error <= INT_MAX ? (int)account.error : EIO;
    *written = account.written;
    for (size_t i = 0; i < RECORDS_SLOTS && recording->in_flight_names < recording->in_flight; i++)
        if (account.slots[i].pid && !take_in_flight(recording, &account.slots[i]))
            return PROF_NO_MEMORY;
    return PROF_GOOD;
}

bool prof_recording_read(FILE *file, struct prof_recording *out, struct base_error *error) {
    *out = (struct prof_recording){0};
    char *line = NULL;
    size_t capacity = 0;
    uint64_t good = 0, written = 0;
    ssize_t length;
    enum prof_reading outcome = read_account(out, file, &written);
    while (outcome != PROF_NO_MEMORY && (length = getline(&line, &capacity, file)) > 0) {
        outcome = read_record(out, line, (size_t)length);
        good += outcome == PROF_GOOD;
        out->damaged += outcome == PROF_BAD;
    }
    forget_fault_messages(out);
    if (outcome != PROF_NO_MEMORY && (!prof_findings_merge(out) || !demangle_all(out)))
        outcome = PROF_NO_MEMORY;
    int reason = errno;
    free(line);
    if (outcome == PROF_NO_MEMORY || ferror(file)) {
        prof_recording_free(out);
        return base_failure(error, "the records cannot be read: %s",
                            outcome == PROF_NO_MEMORY ? "out of memory" : strerror(reason));
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
    for (size_t i = 0; i < recording->allocation_count; i++)
        free(recording->allocations[i].frames);
    free(recording->allocations);
    prof_names_free(&recording->names);
    *recording = (struct prof_recording){0};
}
