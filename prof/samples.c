#include "prof/samples.h"

#include <stdlib.h>
#include <string.h>

#include "prof/demangle.h"
#include "prof/recording.h"

/* More kinds than a line can have: 32 lanes take at most 32 times 16 bytes' transactions, in each space. */
enum { MOST_KINDS = 4096, MOST_FRAMES = 64 };
/* Addresses and sizes: sums of two of them fit in 64 bits. */
#define MOST_ADDRESS ((uint64_t)1 << 62)

/* An element of a list of names; -1 and a failure if it is none. */
static int get_choice(struct prof_reader *r, const json_t *object, const char *name, const char *const *names,
                      int count) {
    const char *text = json_string_value(json_object_get(object, name));
    for (int i = 0; text && i < count; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    prof_reader_fail(r, PROF_BAD);
    return -1;
}

/* ---------------------------------------------------------------- kinds */

/* Bytes from the lowest lane's address to another lane's. */
static uint64_t get_offset(struct prof_reader *r, const json_t *object, unsigned lane, unsigned lowest) {
    const json_t *stride = json_object_get(object, "stride");
    if (json_is_integer(stride))
        return (uint64_t)json_integer_value(stride) * (lane - lowest);
    const json_t *offset = json_array_get(json_object_get(object, "offsets"), lane);
    if (!json_is_integer(offset))
        prof_reader_fail(r, PROF_BAD);
    return (uint64_t)json_integer_value(offset);
}

/* Every lane's address must be a multiple of the width, as the counting rules require. */
static void get_addresses(struct prof_reader *r, const json_t *object, struct prof_kind *kind) {
    const uint64_t address = prof_get_number(r, object, "address", MOST_ADDRESS);
    const json_t *offsets = json_object_get(object, "offsets");
    if (!kind->mask ||
        (!json_is_integer(json_object_get(object, "stride")) && json_array_size(offsets) != 32)) {
        prof_reader_fail(r, PROF_BAD);
        return;
    }
    const unsigned lowest = (unsigned)__builtin_ctz(kind->mask);
    for (unsigned lane = lowest; lane < 32; lane++) {
        if (!(kind->mask >> lane & 1))
            continue;
        kind->address[lane] = address + get_offset(r, object, lane, lowest);
        if (kind->address[lane] > MOST_ADDRESS || kind->address[lane] % kind->bytes)
            prof_reader_fail(r, PROF_BAD);
    }
}

static void get_kind(struct prof_reader *r, const json_t *object, struct prof_kind *kind) {
    static const char *const spaces[PROF_SPACES] = {"global", "shared", "local", "cluster"};
    static const char *const accesses[] = {
        [COUNT_LOAD] = "load", [COUNT_STORE] = "store", [COUNT_ATOM] = "atomic", [COUNT_RED] = "reduction"};
    const int space = get_choice(r, object, "space", spaces, PROF_SPACES),
              access = get_choice(r, object, "access", accesses, 4);
    *kind = (struct prof_kind){
        .requests = prof_get_number(r, object, "requests", PROF_MOST_COUNTED),
        .transactions = (unsigned)prof_get_number(r, object, "transactions", UINT16_MAX),
        .moved = prof_get_number(r, object, "moved", PROF_MOST_COUNTED),
        .useful = prof_get_number(r, object, "useful", PROF_MOST_COUNTED),
        .warp = (unsigned)prof_get_number(r, object, "warp", UINT32_MAX),
        .skips_l1 = json_is_true(json_object_get(object, "skips_l1")),
        .increment = json_is_true(json_object_get(object, "increment")),
        .compare = json_is_true(json_object_get(object, "compare")),
        .bytes = (unsigned)prof_get_number(r, object, "bytes", 16),
        .mask = (uint32_t)prof_get_number(r, object, "mask", UINT32_MAX),
    };
    const bool width = kind->bytes && !(kind->bytes & (kind->bytes - 1));
    if (!prof_get_three(r, object, "block", kind->block) || !kind->requests || !width)
        prof_reader_fail(r, PROF_BAD);
    if (r->outcome != PROF_GOOD)
        return;
    kind->space = (enum prof_space)space;
    kind->access = (enum count_kind)access;
    get_addresses(r, object, kind);
}

static int compare_kinds(const void *left, const void *right) {
    const struct prof_kind *a = left, *b = right;
    const int order = (a->space > b->space) - (a->space < b->space);
    return order ? order : (a->transactions > b->transactions) - (a->transactions < b->transactions);
}

void prof_kinds_read(struct prof_reader *r, const json_t *line, struct prof_kinds *out) {
    const json_t *array = json_object_get(line, "kinds");
    const size_t count = json_array_size(array);
    if (!array)
        return;
    if (!json_is_array(array) || count > MOST_KINDS) {
        prof_reader_fail(r, PROF_BAD);
        return;
    }
    out->items = calloc(count + 1, sizeof *out->items);
    if (!out->items) {
        prof_reader_fail(r, PROF_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < count && r->outcome == PROF_GOOD; i++)
        get_kind(r, json_array_get(array, i), &out->items[out->count++]);
    if (r->outcome == PROF_GOOD)
        qsort(out->items, out->count, sizeof *out->items, compare_kinds);
    for (size_t i = 1; r->outcome == PROF_GOOD && i < out->count; i++)
        if (compare_kinds(&out->items[i - 1], &out->items[i]) == 0) /* told twice */
            prof_reader_fail(r, PROF_BAD);
}

bool prof_kinds_add(struct prof_kinds *to, const struct prof_kinds *more, uint64_t times) {
    if (!more->count)
        return true;
    struct prof_kind *merged = calloc(to->count + more->count, sizeof *merged);
    if (!merged)
        return false;
    size_t a = 0, b = 0, count = 0;
    while (a < to->count || b < more->count) {
        const int order = a == to->count     ? 1
                          : b == more->count ? -1
                                             : compare_kinds(&to->items[a], &more->items[b]);
        struct prof_kind *kind = &merged[count++];
        *kind = order <= 0 ? to->items[a++] : more->items[b];
        if (order > 0)
            kind->requests = kind->moved = kind->useful = 0;
        if (order >= 0) {
            kind->requests += times * more->items[b].requests;
            kind->moved += times * more->items[b].moved;
            kind->useful += times * more->items[b++].useful;
        }
    }
    free(to->items);
    *to = (struct prof_kinds){merged, count};
    return true;
}

/* ---------------------------------------------------------------- arrays */

enum { CELL_MEMBERS = 4 };
static const char *const cell_members[CELL_MEMBERS] = {"read_useful", "read_moved", "written_useful",
                                                       "written_moved"};

static uint64_t *cell_member(struct prof_cell *cell, int member) {
    uint64_t *const members[CELL_MEMBERS] = {&cell->read_useful, &cell->read_moved, &cell->written_useful,
                                             &cell->written_moved};
    return members[member];
}

/* The cells that a record lists, the rest of the parts being 0. */
static void get_cells(struct prof_reader *r, const json_t *object, struct prof_array *array) {
    const json_t *lists[CELL_MEMBERS];
    size_t most = 0;
    for (int m = 0; m < CELL_MEMBERS; m++) {
        lists[m] = json_object_get(object, cell_members[m]);
        if (lists[m] && !json_is_array(lists[m]))
            prof_reader_fail(r, PROF_BAD);
        most = json_array_size(lists[m]) > most ? json_array_size(lists[m]) : most;
    }
    if (most > array->parts)
        prof_reader_fail(r, PROF_BAD);
    if (r->outcome != PROF_GOOD)
        return;
    array->cells = calloc(most + 1, sizeof *array->cells);
    if (!array->cells) {
        prof_reader_fail(r, PROF_NO_MEMORY);
        return;
    }
    array->cell_count = most;
    for (int m = 0; m < CELL_MEMBERS; m++)
        for (size_t i = 0; i < json_array_size(lists[m]); i++) {
            const json_t *value = json_array_get(lists[m], i);
            if (!prof_is_number(value, PROF_MOST_COUNTED))
                prof_reader_fail(r, PROF_BAD);
            else
                *cell_member(&array->cells[i], m) = (uint64_t)json_integer_value(value);
        }
}

static void get_array(struct prof_reader *r, const json_t *object, int64_t process,
                      struct prof_array *array) {
    *array = (struct prof_array){.process = process,
                                 .serial = prof_get_number(r, object, "serial", INT64_MAX),
                                 .address = prof_get_number(r, object, "address", MOST_ADDRESS),
                                 .size = prof_get_number(r, object, "size", MOST_ADDRESS),
                                 .part = prof_get_number(r, object, "cell", MOST_ADDRESS),
                                 .parts = 1};
    if (!array->part || array->part & (array->part - 1) || !array->size != !array->serial)
        prof_reader_fail(r, PROF_BAD);
    else if (array->size && (array->size - 1) / array->part >= PROF_PARTS)
        prof_reader_fail(r, PROF_BAD);
    else if (array->size)
        array->parts = (size_t)((array->size - 1) / array->part) + 1;
    if (r->outcome == PROF_GOOD)
        get_cells(r, object, array);
}

int prof_array_compare(const void *left, const void *right) {
    const struct prof_array *a = left, *b = right;
    int order = (a->process > b->process) - (a->process < b->process);
    if (!order)
        order = (a->serial > b->serial) - (a->serial < b->serial);
    if (!order) /* two programs had the process's number, one after the other */
        order = (a->size > b->size) - (a->size < b->size);
    return order ? order : (a->part > b->part) - (a->part < b->part);
}

void prof_arrays_read(struct prof_reader *r, const json_t *launch, int64_t process, struct prof_arrays *out) {
    const json_t *list = json_object_get(launch, "arrays");
    if (!list)
        return;
    if (!json_is_array(list)) {
        prof_reader_fail(r, PROF_BAD);
        return;
    }
    const size_t count = json_array_size(list);
    out->items = calloc(count + 1, sizeof *out->items);
    if (!out->items) {
        prof_reader_fail(r, PROF_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < count && r->outcome == PROF_GOOD; i++)
        get_array(r, json_array_get(list, i), process, &out->items[out->count++]);
    if (r->outcome == PROF_GOOD)
        qsort(out->items, out->count, sizeof *out->items, prof_array_compare);
    for (size_t i = 1; r->outcome == PROF_GOOD && i < out->count; i++)
        if (prof_array_compare(&out->items[i - 1], &out->items[i]) == 0)
            prof_reader_fail(r, PROF_BAD);
}

/* Makes room for another array's cells, and adds them. */
static bool add_cells(struct prof_array *to, const struct prof_array *more, uint64_t times) {
    if (more->cell_count > to->cell_count || !to->cells) {
        struct prof_cell *cells = realloc(to->cells, (more->cell_count + 1) * sizeof *cells);
        if (!cells)
            return false;
        memset(cells + to->cell_count, 0, (more->cell_count - to->cell_count) * sizeof *cells);
        to->cells = cells;
        to->cell_count = more->cell_count;
    }
    for (size_t i = 0; i < more->cell_count; i++)
        for (int m = 0; m < CELL_MEMBERS; m++)
            *cell_member(&to->cells[i], m) += times * *cell_member(&more->cells[i], m);
    return true;
}

struct use {
    const struct prof_array *array;
    uint64_t times;
};

static int compare_uses(const void *left, const void *right) {
    const struct use *a = left, *b = right;
    return prof_array_compare(a->array, b->array);
}

bool prof_arrays_sum(const struct prof_arrays_of *launches, size_t count, struct prof_arrays *out) {
    size_t use_count = 0;
    for (size_t i = 0; i < count; i++)
        use_count += launches[i].arrays->count;
    struct use *uses = calloc(use_count + 1, sizeof *uses), *next = uses;
    *out = (struct prof_arrays){calloc(use_count + 1, sizeof *out->items), 0};
    bool good = uses && out->items;
    for (size_t i = 0; good && i < count; i++)
        for (size_t k = 0; k < launches[i].arrays->count; k++)
            *next++ = (struct use){&launches[i].arrays->items[k], launches[i].times};
    if (good)
        qsort(uses, use_count, sizeof *uses, compare_uses);
    for (size_t i = 0; good && i < use_count; i++) {
        if (i == 0 || compare_uses(&uses[i - 1], &uses[i]) != 0) {
            struct prof_array *array = &out->items[out->count++];
            *array = *uses[i].array;
            array->cells = NULL;
            array->cell_count = 0;
        }
        good = add_cells(&out->items[out->count - 1], uses[i].array, uses[i].times);
    }
    free(uses);
    return good;
}

void prof_arrays_free(struct prof_arrays *arrays) {
    for (size_t i = 0; i < arrays->count; i++)
        free(arrays->items[i].cells);
    free(arrays->items);
    *arrays = (struct prof_arrays){0};
}

struct prof_cell prof_array_total(const struct prof_array *array) {
    struct prof_cell sum = {0};
    for (size_t i = 0; i < array->cell_count; i++)
        for (int m = 0; m < CELL_MEMBERS; m++)
            *cell_member(&sum, m) += *cell_member(&array->cells[i], m);
    return sum;
}

/* ---------------------------------------------------------------- allocations */

static void get_frames(struct prof_reader *r, const json_t *list, struct prof_allocation *out) {
    const size_t size = json_array_size(list), count = size < MOST_FRAMES ? size : MOST_FRAMES;
    if (!count)
        return;
    out->frames = calloc(count, sizeof *out->frames);
    if (!out->frames) {
        prof_reader_fail(r, PROF_NO_MEMORY);
        return;
    }
    for (; out->frame_count < count; out->frame_count++) {
        const json_t *object = json_array_get(list, out->frame_count);
        out->frames[out->frame_count] =
            (struct prof_frame){.module = prof_get_text(r, object, "module", true),
                                .offset = prof_get_number(r, object, "offset", INT64_MAX)};
    }
}

/* A variable's name, demangled; NULL: it has none. */
static const char *get_variable(struct prof_reader *r, const json_t *object) {
    const char *name = prof_get_text(r, object, "name", false);
    if (!name)
        return NULL;
    char *plain = prof_demangle(name);
    const char *kept = plain ? prof_names_keep(&r->recording->names, plain) : NULL;
    free(plain);
    if (!kept)
        prof_reader_fail(r, PROF_NO_MEMORY);
    return kept;
}

void prof_allocation_read(struct prof_reader *r, const json_t *object, struct prof_allocation *out) {
    *out = (struct prof_allocation){.process = (int64_t)prof_get_number(r, object, "pid", INT64_MAX),
                                    .serial = prof_get_number(r, object, "serial", INT64_MAX),
                                    .address = prof_get_number(r, object, "address", MOST_ADDRESS),
                                    .size = prof_get_number(r, object, "size", MOST_ADDRESS),
                                    .kind = prof_get_text(r, object, "kind", true),
                                    .name = get_variable(r, object)};
    get_frames(r, json_object_get(object, "frames"), out);
}
