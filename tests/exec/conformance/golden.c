/* See golden.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/exec/conformance/golden.h"

uint64_t results_hash(const struct conformance_case *one, const struct results *results) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (unsigned k = 0; k < RESULTS; k++)
        for (size_t i = 0; one->result[k] != PTX_TYPE_NONE && i < TUPLES; i++) {
            hash = (hash ^ results->bits[k][i]) * UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 29;
        }
    return hash;
}

void golden_write(FILE *f, const struct conformance_case *one, const struct results *results) {
    if (!one->approximate) {
        fprintf(f, "%s %016" PRIx64 "\n", one->name, results_hash(one, results));
        return;
    }
    fprintf(f, "%s ", one->name);
    for (size_t i = 0; i < TUPLES; i += GOLDEN_STEP)
        fprintf(f, "%0*" PRIx64, (int)(2 * ptx_type_bytes(one->result[0])), results->bits[0][i]);
    fprintf(f, "\n");
}

void golden_expected(const struct golden_entry *entry, const struct conformance_case *one,
                     struct results *out) {
    const size_t digits = 2 * ptx_type_bytes(one->result[0]);
    memset(out, 0, sizeof *out);
    const char *at = entry->results;
    for (size_t i = 0; i < TUPLES && strlen(at) >= digits; i += GOLDEN_STEP, at += digits) {
        char number[17] = "";
        memcpy(number, at, digits);
        out->bits[0][i] = strtoull(number, NULL, 16);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct golden_entry *)a)->name, ((const struct golden_entry *)b)->name);
}

bool golden_read(struct golden *golden, const char *path) {
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool ok = f != NULL;
    for (ssize_t size; ok && (size = getline(&line, &capacity, f)) > 0;) {
        line[strcspn(line, "\n")] = '\0';
        char *space = strchr(line, ' ');
        if (line[0] == '#' || !space)
            continue;
        struct golden_entry *entries = realloc(golden->entries, (golden->count + 1) * sizeof *entries);
        char *name = strdup(line);
        if (entries)
            golden->entries = entries;
        ok = entries && name;
        if (!ok) {
            free(name);
            break;
        }
        name[space - line] = '\0';
        const char *rest = name + (space - line) + 1;
        entries[golden->count++] =
            (struct golden_entry){.name = name,
                                  .results = rest,
                                  .hash = strlen(rest) == 16 ? strtoull(rest, NULL, 16) : 0,
                                  .refused = strcmp(rest, "refused") == 0,
                                  .unrecorded = strcmp(rest, "unrecorded") == 0};
    }
    if (!ok)
        perror(path);
    free(line);
    if (f)
        fclose(f);
    if (golden->count)
        qsort(golden->entries, golden->count, sizeof *golden->entries, by_name);
    return ok;
}

void golden_free(struct golden *golden) {
    for (size_t i = 0; i < golden->count; i++)
        free(golden->entries[i].name);
    free(golden->entries);
}

const struct golden_entry *golden_find(const struct golden *golden, const char *name) {
    if (!golden->count)
        return NULL;
    const struct golden_entry wanted = {.name = (char *)(uintptr_t)name};
    return bsearch(&wanted, golden->entries, golden->count, sizeof *golden->entries, by_name);
}
