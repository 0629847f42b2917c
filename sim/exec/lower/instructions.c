#include "sim/exec/lower/instructions.h"

#include <pthread.h>
#include <string.h>

#include "sim/exec/lower/lower.h"

enum {
    NONE = 0,
    NOTHING = 0,
    READS = SIM_MEMORY_READS,
    WRITES = SIM_MEMORY_WRITES,
    GLOBAL = SIM_MEMORY_GLOBAL,
    ORDERS = SIM_MEMORY_ORDERS,
    UPDATES = READS | WRITES | ORDERS,
    UNIFORM = SIM_PTXAS_UNIFORM,
    STEADY = SIM_PTXAS_STEADY,
    SHORT = SIM_PTXAS_SHORT,
    LONG = SIM_PTXAS_LONG,
    APART = SIM_PTXAS_APART,
};

static const struct sim_instruction rows[] = {
#define INSTRUCTION(pattern, by, result, control, memory, value, ptxas)                                      \
    {pattern, lower_##by, SIM_RESULT_##result, SIM_CONTROL_##control, memory, SIM_VALUE_##value, ptxas},
#define COMPUTING(pattern, value, ptxas) INSTRUCTION(pattern, op, LATE, ON, NOTHING, value, ptxas)
#include "sim/exec/lower/instructions.def"
#undef COMPUTING
#undef INSTRUCTION
};

enum { ROWS = sizeof rows / sizeof *rows, NAMES = 256, BUCKETS = 128 };

/* The rows' names, hashed; names in one bucket keep the rows' order. */
static struct {
    const char *text; /* up to a '/', a '.' or the end */
    size_t length;
    const struct sim_instruction *row;
    unsigned next; /* + 1 */
} names[NAMES];
static unsigned buckets[BUCKETS], name_count; /* + 1 */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned hash(const char *text, size_t length) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h % BUCKETS;
}

static void hash_rows(void) {
    for (const struct sim_instruction *row = rows; row < rows + ROWS; row++)
        for (const char *at = row->pattern; name_count < NAMES;) {
            const size_t length = strcspn(at, "/.");
            unsigned *end = &buckets[hash(at, length)];
            while (*end)
                end = &names[*end - 1].next;
            names[name_count].text = at;
            names[name_count].length = length;
            names[name_count].row = row;
            *end = ++name_count;
            if (at[length] != '/')
                break;
            at += length + 1;
        }
}

/* Whether the opcode has all words of a pattern; each word begins with a '.'. */
static bool has_words(const struct ptx_instruction *in, const char *at) {
    bool found = true;
    while (*at && found) {
        found = false;
        do {
            const size_t length = strcspn(++at, "/.");
            for (size_t i = 0; i < in->word_count && !found; i++)
                found = strncmp(in->words[i], at, length) == 0 && !in->words[i][length];
            at += length;
        } while (*at == '/');
    }
    return found;
}

const struct sim_instruction *sim_instruction_find(const struct ptx_instruction *in, const char **why) {
    const size_t length = strlen(in->name);
    pthread_once(&once, hash_rows);
    *why = "unknown instruction";
    for (unsigned i = buckets[hash(in->name, length)]; i; i = names[i - 1].next) {
        if (names[i - 1].length != length || memcmp(names[i - 1].text, in->name, length) != 0)
            continue;
        const char *pattern = names[i - 1].row->pattern;
        if (has_words(in, pattern + strcspn(pattern, ".")))
            return names[i - 1].row;
        *why = "no such form of this instruction";
    }
    return NULL;
}

const struct sim_instruction *sim_instruction_at(size_t i) {
    return i < ROWS ? &rows[i] : NULL;
}
