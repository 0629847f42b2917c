/* sim_op_find: expands the lists' patterns once into a hash table of mnemonics. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/lanes/lanes_rows.h"

enum { MNEMONIC_MAX = 64 };

struct entry {
    uint32_t name; /* offset in names */
    const struct sim_row *row;
};

static struct table {
    struct entry *entries;
    uint32_t *buckets; /* entry number + 1; 0: empty */
    char *names;
    size_t count, capacity, bucket_count, name_bytes, name_capacity;
    unsigned duplicates;
} table;

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static const struct sim_row *const lists[] = {
    sim_rows_integer, sim_rows_carry, sim_rows_bits,   sim_rows_move,    sim_rows_compare, sim_rows_float,
    sim_rows_round,   sim_rows_half,  sim_rows_approx, sim_rows_convert, sim_rows_warp,
};

static uint32_t hash(const char *text) {
    uint32_t h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

/* Returns the bucket that holds text, or the empty one where it belongs. */
static uint32_t *bucket_of(const struct table *t, const char *text) {
    size_t at = hash(text) & (t->bucket_count - 1);
    while (t->buckets[at] && strcmp(t->names + t->entries[t->buckets[at] - 1].name, text) != 0)
        at = (at + 1) & (t->bucket_count - 1);
    return &t->buckets[at];
}

static bool grow_buckets(struct table *t) {
    const size_t count = t->bucket_count ? 2 * t->bucket_count : 1024;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return false;
    free(t->buckets);
    t->buckets = buckets;
    t->bucket_count = count;
    for (size_t i = 0; i < t->count; i++)
        *bucket_of(t, t->names + t->entries[i].name) = (uint32_t)i + 1;
    return true;
}

static bool add(struct table *t, const char *text, const struct sim_row *row) {
    if (2 * (t->count + 1) > t->bucket_count && !grow_buckets(t))
        return false;
    uint32_t *bucket = bucket_of(t, text);
    if (*bucket) {
        t->duplicates += !(row->flags & SIM_ROW_FALLBACK);
        return true;
    }
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 1024;
        struct entry *entries = realloc(t->entries, capacity * sizeof *entries);
        if (!entries)
            return false;
        t->entries = entries;
        t->capacity = capacity;
    }
    const size_t size = strlen(text) + 1;
    if (t->name_bytes + size > t->name_capacity) {
        const size_t capacity = 2 * t->name_capacity + 4096;
        char *names = realloc(t->names, capacity);
        if (!names)
            return false;
        t->names = names;
        t->name_capacity = capacity;
    }
    memcpy(t->names + t->name_bytes, text, size);
    t->entries[t->count] = (struct entry){.name = (uint32_t)t->name_bytes, .row = row};
    t->name_bytes += size;
    *bucket = (uint32_t)++t->count;
    return true;
}

/* The end of the alternative that starts at p: a '|', '}' or ']' at its own level, or the text's end. */
static const char *alternative_end(const char *p) {
    for (unsigned depth = 0; *p; p++) {
        if (depth == 0 && (*p == '|' || *p == '}' || *p == ']'))
            break;
        depth += *p == '{' || *p == '[';
        depth -= *p == '}' || *p == ']';
    }
    return p;
}

/* A piece of a pattern, and the piece that follows it. */
struct piece {
    const char *at, *end;
    const struct piece *next;
};

/* Appends every expansion of the pieces to the size characters already in name. */
static bool expand(struct table *t, const struct sim_row *row, char *name, size_t size, struct piece piece) {
    while (piece.at == piece.end) {
        if (!piece.next) {
            name[size] = '\0';
            return add(t, name, row);
        }
        piece = *piece.next;
    }
    if (*piece.at != '{' && *piece.at != '[') {
        if (size + 1 >= MNEMONIC_MAX)
            return false;
        name[size] = *piece.at++;
        return expand(t, row, name, size + 1, piece);
    }
    const bool optional = *piece.at == '[';
    const char *at = piece.at + 1, *close = at;
    while (*(close = alternative_end(close)) == '|')
        close++;
    const struct piece rest = {close + 1, piece.end, piece.next};
    if (optional && !expand(t, row, name, size, rest))
        return false;
    for (;; at++) {
        const char *end = alternative_end(at);
        if (!expand(t, row, name, size, (struct piece){at, end, &rest}))
            return false;
        if (*(at = end) != '|')
            return true;
    }
}

/* The table, built on first use.  NULL on out-of-memory; a later call tries again. */
static const struct table *get_table(void) {
    pthread_mutex_lock(&table_lock);
    if (!table.count) {
        struct table built = {0};
        bool ok = true;
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            for (const struct sim_row *row = lists[i]; ok && row->pattern; row++) {
                char name[MNEMONIC_MAX];
                ok = expand(&built, row, name, 0,
                            (struct piece){row->pattern, row->pattern + strlen(row->pattern), NULL});
            }
        if (ok) {
            table = built;
        } else {
            free(built.entries);
            free(built.buckets);
            free(built.names);
        }
    }
    const struct table *result = table.count ? &table : NULL;
    pthread_mutex_unlock(&table_lock);
    return result;
}

/* After the driver that holds this is closed, nothing calls sim_op_find(). */
__attribute__((destructor)) static void free_table(void) {
    pthread_mutex_lock(&table_lock);
    free(table.entries);
    free(table.buckets);
    free(table.names);
    table = (struct table){0};
    pthread_mutex_unlock(&table_lock);
}

/* The meaning of the words after the first, apart from the types. */
struct words {
    struct sim_modifiers mod;
    enum sim_combine combine;
    char second[16], last[2][16]; /* last[0]: the second to last */
};

static void read_words(const char *text, struct words *out) {
    static const struct {
        char name[4];
        uint8_t rounding;
    } roundings[] = {{"rn", SIM_RN},  {"rz", SIM_RZ},  {"rm", SIM_RM},  {"rp", SIM_RP}, {"rna", SIM_RNA},
                     {"rni", SIM_RN}, {"rzi", SIM_RZ}, {"rmi", SIM_RM}, {"rpi", SIM_RP}};
    static const char combines[][4] = {"", "and", "or", "xor"};
    *out = (struct words){.mod.rounding = SIM_RN};
    unsigned count = 0;
    while (*(text += strcspn(text, "."))) {
        text++;
        char word[16] = "";
        const size_t size = strcspn(text, ".");
        memcpy(word, text, size < sizeof word ? size : sizeof word - 1);
        for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
            if (strncmp(word, roundings[i].name, 4) == 0)
                out->mod.rounding = roundings[i].rounding;
        for (unsigned i = 1; i < sizeof combines / sizeof *combines; i++)
            if (strcmp(word, combines[i]) == 0)
                out->combine = i;
        out->mod.ftz |= strcmp(word, "ftz") == 0;
        out->mod.sat |= strcmp(word, "sat") == 0;
        memcpy(out->last[0], out->last[1], sizeof word);
        memcpy(out->last[1], word, sizeof word);
        if (count++ == 0)
            memcpy(out->second, word, sizeof word);
    }
}

static enum sim_compare_form form_of(enum ptx_type type) {
    switch (type) {
    case PTX_TYPE_U32:
    case PTX_TYPE_S32:
        return SIM_FORM_INT;
    case PTX_TYPE_F32:
        return SIM_FORM_F32;
    case PTX_TYPE_F16:
    case PTX_TYPE_F16X2:
        return SIM_FORM_F16;
    case PTX_TYPE_BF16:
    case PTX_TYPE_BF16X2:
        return SIM_FORM_BF16;
    default:
        return SIM_FORM_SHORT;
    }
}

static void describe(const char *name, const struct sim_row *row, struct sim_op *out) {
    struct words words;
    read_words(name, &words);
    *out = (struct sim_op){.mnemonic = name,
                           .body = row->body,
                           .d = row->d,
                           .e = row->e,
                           .a = row->a,
                           .b = row->b,
                           .c = row->c,
                           .f = row->f,
                           .mod = words.mod,
                           .small = row->small,
                           .count = row->count,
                           .flags = row->flags & (SIM_OP_SYNC | SIM_OP_CARRY),
                           .member = row->member};
    if (row->flags & SIM_ROW_COMPARE) {
        out->count = (uint8_t)sim_relation_find(words.second);
        out->small = words.combine;
        if (!words.combine)
            out->c = PTX_TYPE_NONE;
        if (strncmp(name, "set.", 4) == 0) {
            out->d = ptx_type_find(words.last[0]);
            out->e = PTX_TYPE_NONE;
            out->small |= (uint8_t)(form_of(out->d) << 2);
        }
    }
    if (strncmp(name, "cvt.", 4) == 0 && strcmp(words.second, "pack") != 0) {
        const enum ptx_type to = ptx_type_find(words.last[0]), from = ptx_type_find(words.last[1]);
        /* Pairs of 8-bit floats are not register types: their rows name the types. */
        out->d = to == PTX_TYPE_NONE ? out->d : to;
        out->a = from == PTX_TYPE_NONE ? out->a : from;
        out->count = (uint8_t)out->d;
        out->small = (uint8_t)out->a;
    }
}

enum { WORDS_MAX = 8 };

/* A mnemonic's words. */
struct split {
    size_t count;
    const char *at[WORDS_MAX];
    size_t size[WORDS_MAX];
    bool type[WORDS_MAX];
};

static bool split(const char *name, struct split *out) {
    for (out->count = 0; out->count < WORDS_MAX; out->count++) {
        const size_t i = out->count, size = strcspn(name, ".");
        char word[MNEMONIC_MAX] = "";
        if (size >= sizeof word)
            return false;
        memcpy(word, name, size);
        out->at[i] = name, out->size[i] = size;
        out->type[i] = ptx_type_find(word) != PTX_TYPE_NONE;
        name += size;
        if (!*name++) {
            out->count++;
            return true;
        }
    }
    return false;
}

/* Whether two mnemonics have the same words, and their types in the same order. */
static bool same_words(const struct split *x, const struct split *y) {
    if (x->count != y->count)
        return false;
    unsigned used = 0;
    for (size_t i = 0; i < x->count; i++) {
        size_t j = 0;
        while (j < y->count && (used >> j & 1 || (x->type[i] != y->type[j]) || (x->size[i] != y->size[j]) ||
                                memcmp(x->at[i], y->at[j], x->size[i]) != 0)) {
            if (x->type[i] && y->type[j] && !(used >> j & 1))
                return false;
            j++;
        }
        if (j == y->count || (i == 0) != (j == 0))
            return false;
        used |= 1u << j;
    }
    return true;
}

/* ptxas accepts most words in any order, and the CUDA headers rely on that: vote.ballot.sync.b32. */
static const struct entry *find_reordered(const struct table *t, const char *mnemonic) {
    struct split wanted, one;
    if (!split(mnemonic, &wanted))
        return NULL;
    const size_t size = strlen(mnemonic), first = wanted.size[0];
    for (size_t i = 0; i < t->count; i++) {
        const char *name = t->names + t->entries[i].name;
        if (strncmp(name, mnemonic, first) == 0 && strlen(name) == size && split(name, &one) &&
            same_words(&wanted, &one))
            return &t->entries[i];
    }
    return NULL;
}

bool sim_op_find(const char *mnemonic, struct sim_op *out, const char **why) {
    const struct table *t = get_table();
    const char *reason = "out of memory";
    if (t) {
        const uint32_t found = *bucket_of(t, mnemonic);
        const struct entry *entry = found ? &t->entries[found - 1] : find_reordered(t, mnemonic);
        if (entry) {
            describe(t->names + entry->name, entry->row, out);
            return true;
        }
        reason = "unknown instruction";
        const size_t size = strcspn(mnemonic, ".");
        for (size_t i = 0; i < t->count; i++) {
            const char *name = t->names + t->entries[i].name;
            if (strncmp(name, mnemonic, size) == 0 && (name[size] == '.' || !name[size]))
                reason = "no such form of this instruction";
        }
    }
    if (why)
        *why = reason;
    return false;
}

unsigned sim_op_count(void) {
    const struct table *t = get_table();
    return t ? (unsigned)t->count : 0;
}

const char *sim_op_name(unsigned i) {
    const struct table *t = get_table();
    return t && i < t->count ? t->names + t->entries[i].name : NULL;
}

unsigned sim_op_duplicates(void) {
    const struct table *t = get_table();
    return t ? t->duplicates : 0;
}
