/* Mutated PTX from nvcc: every text is loaded, or refused with a message; nothing in it makes the loader or a
 * launch access memory that is not its own.  (Sanitizers see what this file cannot.)
 *
 *    test_exec_mutations SEED LOADS LAUNCHES FILE...
 *
 * CTest runs a few thousand; more LOADS and other SEEDs can be run manually.  A failure prints its mutant's
 * seed, and test_exec_mutations SEED 1 1 FILE... reproduces it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/exec/sim.h"

struct text {
    char *bytes;
    size_t size;
};

enum { MEMORY = 32 << 20, BUFFER = 4096, SLICE_MS = 300 };

static uint64_t first_seed, random_state;
static unsigned long load_count, launch_count;
static struct text *texts;
static size_t text_count;

static size_t pick(size_t count) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return count ? (size_t)(random_state >> 33) % count : 0;
}

static bool in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '%' || c == '$';
}

/* The token at a random place: a word, a number, or one other character. */
static struct text token(const struct text *t) {
    size_t at = pick(t->size), end;
    while (at < t->size && (t->bytes[at] == ' ' || t->bytes[at] == '\n' || t->bytes[at] == '\t'))
        at++;
    if (at == t->size)
        return (struct text){t->bytes, 1};
    end = at + 1;
    if (in_word(t->bytes[at])) {
        while (at > 0 && in_word(t->bytes[at - 1]))
            at--;
        while (end < t->size && in_word(t->bytes[end]))
            end++;
    }
    return (struct text){t->bytes + at, end - at};
}

/* The line at a random place, with its end. */
static struct text line(const struct text *t) {
    size_t at = pick(t->size), end = at;
    while (at > 0 && t->bytes[at - 1] != '\n')
        at--;
    while (end < t->size && t->bytes[end++] != '\n') {
    }
    return (struct text){t->bytes + at, end - at};
}

/* Replaces old, a part of t, by new, which may also be a part of t. */
static void replace(struct text *t, struct text old, struct text new_) {
    const size_t before = (size_t)(old.bytes - t->bytes), after = t->size - before - old.size;
    char *out = malloc(before + new_.size + after + 1);
    assert_non_null(out);
    memcpy(out, t->bytes, before);
    memcpy(out + before, new_.bytes, new_.size);
    memcpy(out + before + new_.size, old.bytes + old.size, after);
    free(t->bytes);
    *t = (struct text){out, before + new_.size + after};
}

static void change_number(struct text *t) {
    static const char *const numbers[] = {"0",          "1",           "2",
                                          "3",          "15",          "16",
                                          "31",         "32",          "63",
                                          "64",         "255",         "65535",
                                          "2147483647", "4294967295",  "4294967296",
                                          "-1",         "-2147483648", "9223372036854775807",
                                          "-8",         "1048577",     "0xffffffffffffffff"};
    for (int tries = 0; tries < 200; tries++) {
        struct text word = token(t);
        /* Either a number, or the digits at the end of a register's name. */
        while (word.size && !(word.bytes[0] >= '0' && word.bytes[0] <= '9'))
            word.bytes++, word.size--;
        if (!word.size)
            continue;
        const char *number = numbers[pick(sizeof numbers / sizeof *numbers)];
        replace(t, word, (struct text){(char *)(uintptr_t)number, strlen(number)});
        return;
    }
}

/* Uses a token of the same kind from elsewhere: a register for a register, a type for a type. */
static void change_alike(struct text *t) {
    struct text old = token(t);
    for (int tries = 0; tries < 200; tries++) {
        const struct text other = token(t);
        const bool same = other.size != old.size || memcmp(other.bytes, old.bytes, old.size) != 0;
        if (other.bytes[0] == old.bytes[0] && same) {
            replace(t, old, other);
            return;
        }
    }
}

/* Exchanges two parts that do not overlap. */
static void swap(struct text *t, struct text a, struct text b) {
    if (b.bytes < a.bytes) {
        const struct text c = a;
        a = b, b = c;
    }
    const char *middle = a.bytes + a.size;
    if (middle > b.bytes)
        return;
    char *out = malloc(t->size + 1), *at = out;
    assert_non_null(out);
    const struct text parts[] = {
        {t->bytes, (size_t)(a.bytes - t->bytes)},
        b,
        {(char *)(uintptr_t)middle, (size_t)(b.bytes - middle)},
        a,
        {b.bytes + b.size, (size_t)(t->bytes + t->size - b.bytes) - b.size},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(at, parts[i].bytes, parts[i].size);
        at += parts[i].size;
    }
    free(t->bytes);
    t->bytes = out;
}

static void mutate(struct text *t) {
    const struct text nothing = {t->bytes, 0};
    switch (pick(11)) {
    case 0:
        t->bytes[pick(t->size)] ^= (char)(1u << pick(8));
        break;
    case 1:
        t->bytes[pick(t->size)] = (char)pick(256);
        break;
    case 2:
        replace(t, token(t), nothing);
        break;
    case 3: {
        const struct text word = token(t);
        replace(t, (struct text){word.bytes, 0}, word);
        break;
    }
    case 4:
        swap(t, token(t), token(t));
        break;
    case 5:
        if (pick(8) == 0) {
            const size_t size = 1 + pick(t->size);
            replace(t, (struct text){t->bytes + size, t->size - size}, nothing);
        }
        break;
    case 6:
    case 7:
        change_number(t);
        break;
    case 8:
        change_alike(t);
        break;
    case 9: {
        const struct text whole = line(t);
        const struct text from = pick(2) ? whole : line(t);
        replace(t, (struct text){whole.bytes, pick(2) ? whole.size : 0}, from);
        break;
    }
    default:
        replace(t, line(t), nothing);
    }
}

/* A mutant of one of the files, allocated with its exact size so that sanitizers know its end. */
static struct text mutant(uint64_t seed) {
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    pick(1);
    const struct text *original = &texts[pick(text_count)];
    struct text t = {malloc(original->size), original->size};
    assert_non_null(t.bytes);
    memcpy(t.bytes, original->bytes, t.size);
    for (size_t rounds = 1 + pick(3); rounds; rounds--)
        if (t.size)
            mutate(&t);
    return t;
}

static bool load(struct sim_memory *memory, uint64_t seed, struct sim_module **module) {
    const struct text t = mutant(seed);
    struct ptx_error error;
    memset(&error, 0x5a, sizeof error);
    const bool ok = sim_module_load(memory, "mutant.ptx", t.bytes, t.size, module, &error);
    if (!ok && (!error.message[0] || !strstr(error.text, error.message) || !error.pos.line ||
                !error.pos.column || strncmp(error.text, "mutant.ptx:", 11) != 0))
        fail_msg("seed %llu is refused without a reason", (unsigned long long)seed);
    free(t.bytes);
    return ok;
}

static void mutants_are_loaded_or_refused(void **state) {
    (void)state;
    struct sim_memory *memory = sim_memory_create(MEMORY);
    assert_non_null(memory);
    unsigned long accepted = 0;
    for (unsigned long i = 0; i < load_count; i++) {
        struct sim_module *module;
        if (load(memory, first_seed + i, &module)) {
            accepted++;
            sim_module_unload(module);
        }
        if (sim_memory_used(memory) != 0)
            fail_msg("seed %llu keeps memory", (unsigned long long)(first_seed + i));
    }
    print_message("%lu of %lu mutants accepted\n", accepted, load_count);
    sim_memory_destroy(memory);
}

/* Runs every kernel of a mutant on small grids.  The results do not matter. */
static void launch_all(uint64_t seed) {
    struct sim_memory *memory = sim_memory_create(MEMORY);
    struct sim_module *module;
    if (!memory || !load(memory, seed, &module))
        _exit(0);
    const struct sim_function *function;
    for (size_t f = 0; (function = sim_module_function_at(module, f)); f++) {
        struct sim_function_info info;
        sim_function_info(function, &info);
        char *params = calloc(1, info.param_bytes + 1);
        for (size_t i = 0; params && i < info.param_count; i++) {
            const uint64_t small = 3 + i;
            const uint64_t buffer = sim_memory_alloc(memory, BUFFER, SIM_MEMORY_DEVICE);
            if (buffer)
                memset((void *)(uintptr_t)buffer, (int)(i + 1), BUFFER);
            const size_t size = info.params[i].size;
            memcpy(params + info.params[i].offset, size == 8 ? &buffer : &small, size < 8 ? size : 8);
        }
        struct sim_launch launch = {
            .memory = memory,
            .function = function,
            .grid = {2, 1, 1},
            .block = {info.max_threads < 72 ? info.max_threads : 72, 1, 1},
            .shared_bytes = 512,
            .params = params,
            .rules = count_rules_find(NULL),
            .threads = 1,
        };
        struct wl_counters counters;
        struct sim_fault fault = {.kind = SIM_FAULT_NONE};
        if (params && !sim_launch_run(&launch, &counters, &fault) && !fault.text[0])
            _exit(3);
        free(params);
    }
    sim_module_unload(module);
    sim_memory_destroy(memory);
    _exit(0);
}

/* Each in a child process, because a mutant may loop forever. */
static void accepted_mutants_stay_inside(void **state) {
    (void)state;
    unsigned long slow = 0;
    fflush(NULL);
    for (unsigned long i = 0; i < launch_count; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGALRM, SIG_DFL);
            const struct itimerval slice = {.it_value = {.tv_usec = SLICE_MS * 1000}};
            setitimer(ITIMER_REAL, &slice, NULL);
            launch_all(first_seed + i);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
        slow += late;
        if (!late && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
            fail_msg("seed %llu: %s %d", (unsigned long long)(first_seed + i),
                     WIFEXITED(status) ? "exit status" : "signal",
                     WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    print_message("%lu of %lu mutants ran out of time\n", slow, launch_count);
}

static bool read_text(const char *name, struct text *out) {
    FILE *file = fopen(name, "rb");
    if (!file)
        return false;
    fseek(file, 0, SEEK_END);
    out->size = (size_t)ftell(file);
    rewind(file);
    out->bytes = malloc(out->size + 1);
    const bool ok = out->bytes && fread(out->bytes, 1, out->size, file) == out->size;
    fclose(file);
    return ok;
}

int main(int argc, char **argv) {
    if (argc < 5)
        return 2;
    first_seed = strtoull(argv[1], NULL, 0);
    load_count = strtoul(argv[2], NULL, 0);
    launch_count = strtoul(argv[3], NULL, 0);
    text_count = (size_t)argc - 4;
    texts = calloc(text_count, sizeof *texts);
    for (size_t i = 0; i < text_count; i++)
        if (!texts || !read_text(argv[4 + i], &texts[i]))
            return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_are_loaded_or_refused),
        cmocka_unit_test(accepted_mutants_stay_inside),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < text_count; i++)
        free(texts[i].bytes);
    free(texts);
    return failed;
}
