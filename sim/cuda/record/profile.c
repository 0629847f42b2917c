#include "sim/cuda/record/profile.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cuda/driver.h"
#include "sim/cuda/record/profile_origins.h"
#include "sim/cuda/record/records.h"

/* A launch that does exactly what an earlier one did refers to it: a program may launch millions. */
enum { REPEATS = 1024, REPEAT_BYTES = 1 << 16, MOST_MESSAGES = 200 };

struct repeat {
    char *text; /* the record without its number */
    size_t size;
    uint64_t hash, number;
};

static bool on;       /* launches are recorded */
static bool sampling; /* with samples of their requests */
static atomic_uint messages;
/* These are protected by driver.run_lock. */
static pid_t process;
static uint64_t launches;
static struct repeat repeats[REPEATS];
static unsigned next_repeat;

/* Records which process is writing; a forked child has its own number and no launches yet. */
static void introduce(void) {
    process = getpid();
    launches = 0;
    profile_origins_forget();
    for (int i = 0; i < REPEATS; i++) {
        free(repeats[i].text);
        repeats[i] = (struct repeat){0};
    }
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    const struct count_rules *rules = atomic_load(&driver.rules);
    struct profile_text text = {0};
    profile_put(&text, "{\"process\":{");
    profile_put_name(&text, "pid");
    profile_put_number(&text, (uint64_t)process);
    profile_put_name(&text, "parent");
    profile_put_number(&text, (uint64_t)getppid());
    profile_put_name(&text, "program");
    profile_put_string(&text, program);
    profile_put_name(&text, "arch");
    profile_put_string(&text, count_rules_name(rules));
    profile_put_name(&text, "proved");
    profile_put(&text, count_rules_proved(rules) ? "true" : "false");
    profile_put(&text, "}}");
    records_append(&text);
    profile_text_free(&text);
}

/* Runs before the program can close its files, change its user or root, or clear its environment. */
__attribute__((constructor)) static void open_early(void) {
    (void)records_open();
}

void profile_start(void) {
    on = records_are_on();
    sampling = on && getenv("WIDELOAD_PROF_PAGE") != NULL;
    if (on)
        introduce();
}

bool profile_is_sampling(void) {
    return sampling;
}

/* Runs at the end of the process; recording stops. */
__attribute__((destructor)) static void finish(void) {
    on = false;
    for (int i = 0; i < REPEATS; i++) {
        free(repeats[i].text);
        repeats[i] = (struct repeat){0};
    }
}

void profile_message(const char *kind, const char *words) {
    if (!records_are_on() || atomic_fetch_add(&messages, 1) >= MOST_MESSAGES)
        return;
    struct profile_text text = {0};
    profile_put(&text, "{");
    profile_put_name(&text, kind);
    profile_put(&text, "{");
    profile_put_name(&text, "pid");
    profile_put_number(&text, (uint64_t)getpid());
    profile_put_name(&text, "text");
    profile_put_string(&text, words);
    profile_put(&text, "}}");
    records_append(&text);
    profile_text_free(&text);
}

static void add_site(void *profile, const struct sim_instruction_count *count) {
    profile_sites_add(&((struct profile_launch *)profile)->sites, count);
}

static void add_array(void *argument, const struct sim_array *array) {
    struct profile_launch *profile = argument;
    if (!array) {
        profile->arrays.failed = true;
        return;
    }
    profile_array_put(array, &profile->arrays);
    if (array->serial)
        profile_origin_tell(array);
}

void profile_begin(struct profile_launch *profile, struct sim_launch *what) {
    *profile = (struct profile_launch){.on = on};
    if (profile->on) {
        if (process != getpid())
            introduce();
        struct sim_function_info info;
        sim_function_info(what->function, &info);
        profile->slot = records_begin(info.name);
        what->each = add_site;
        what->array = sampling ? add_array : NULL;
        what->argument = profile;
    }
}

static void put_three(struct profile_text *text, const char *name, const uint32_t values[3]) {
    profile_put_name(text, name);
    for (int i = 0; i < 3; i++) {
        profile_put(text, i ? "," : "[");
        profile_put_number(text, values[i]);
    }
    profile_put(text, "]");
}

static void put_fault(struct profile_text *text, const struct sim_fault *fault) {
    static const char *const kinds[] = {
        [SIM_FAULT_NONE] = "none",
        [SIM_FAULT_ADDRESS] = "address",
        [SIM_FAULT_MISALIGNED] = "misaligned",
        [SIM_FAULT_DEADLOCK] = "deadlock",
        [SIM_FAULT_TRAP] = "trap",
        [SIM_FAULT_STACK] = "stack",
        [SIM_FAULT_MEMORY] = "memory",
        [SIM_FAULT_ASSERT] = "assert",
        [SIM_FAULT_STOP] = "stop",
        [SIM_FAULT_TIME] = "time",
    };
    _Static_assert(sizeof kinds / sizeof *kinds == SIM_FAULT_KINDS, "each kind has a name");
    profile_put_name(text, "fault");
    profile_put(text, "{");
    profile_put_name(text, "kind");
    profile_put_string(text, kinds[fault->kind]);
    if (fault->file) {
        profile_put_name(text, "file");
        profile_put_string(text, fault->file);
        profile_put_name(text, "line");
        profile_put_number(text, fault->line);
    }
    put_three(text, "block", fault->block);
    put_three(text, "thread", fault->thread);
    profile_put_name(text, "address");
    profile_put_number(text, fault->address);
    profile_put_name(text, "text");
    profile_put_string(text, fault->text);
    profile_put(text, "}");
}

/* The whole launch except who launched it and when. */
static void put_launch(struct profile_text *text, struct profile_launch *profile,
                       const struct sim_launch *what, const struct wl_counters *counters,
                       const struct sim_fault *fault) {
    struct sim_function_info info;
    sim_function_info(what->function, &info);
    profile_sites_merge(&profile->sites);
    profile_put_name(text, "kernel");
    profile_put_string(text, info.name);
    put_three(text, "grid", what->grid);
    put_three(text, "block", what->block);
    profile_put_name(text, "shared_bytes");
    profile_put_number(text, info.shared_bytes + what->shared_bytes);
    if (sim_memory_device(what->memory)) {
        profile_put_name(text, "device");
        profile_put_number(text, sim_memory_device(what->memory));
    }
    profile_put_name(text, "arch");
    profile_put_string(text, count_rules_name(what->rules));
    profile_put_name(text, "proved");
    profile_put(text, count_rules_proved(what->rules) ? "true" : "false");
    profile_put_name(text, "counters");
    profile_put_counters(text, counters);
    profile_put_name(text, "lines");
    profile_sites_put(&profile->sites, info.name, text);
    if (profile->arrays.size) {
        profile_put_name(text, "arrays");
        profile_put(text, "[");
        profile_put_bytes(text, profile->arrays.data, profile->arrays.size);
        profile_put(text, "]");
    }
    if (fault)
        put_fault(text, fault);
}

/* FNV-1a. */
static uint64_t hash_of(const char *data, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)data[i]) * 0x100000001b3u;
    return hash;
}

/* The number of an earlier launch that did the same.  If there is none, stores this one and returns 0. */
static uint64_t find_repeat(const struct profile_text *body) {
    if (body->failed || body->size > REPEAT_BYTES)
        return 0;
    uint64_t hash = hash_of(body->data, body->size);
    for (int i = 0; i < REPEATS; i++)
        if (repeats[i].text && repeats[i].hash == hash && repeats[i].size == body->size &&
            memcmp(repeats[i].text, body->data, body->size) == 0)
            return repeats[i].number;
    struct repeat *slot = &repeats[next_repeat++ % REPEATS];
    free(slot->text);
    slot->text = malloc(body->size);
    slot->size = body->size;
    slot->hash = hash;
    slot->number = launches;
    if (slot->text)
        memcpy(slot->text, body->data, body->size);
    return 0;
}

/* Forgets a launch whose record was lost, so that no other refers to it. */
static void forget_repeat(uint64_t number) {
    for (int i = 0; i < REPEATS; i++)
        if (repeats[i].text && repeats[i].number == number) {
            free(repeats[i].text);
            repeats[i].text = NULL;
        }
}

void profile_end(struct profile_launch *profile, const struct sim_launch *what,
                 const struct wl_counters *counters, const struct sim_fault *fault) {
    /* The process may be ending while another thread still launches. */
    if (profile->on && on) {
        launches++;
        struct profile_text body = {0}, text = {0};
        put_launch(&body, profile, what, counters, fault);
        uint64_t same = find_repeat(&body);
        profile_put(&text, "{\"launch\":{");
        profile_put_name(&text, "pid");
        profile_put_number(&text, (uint64_t)process);
        profile_put_name(&text, "number");
        profile_put_number(&text, launches);
        if (same) {
            profile_put_name(&text, "same");
            profile_put_number(&text, same);
        } else {
            profile_put(&text, ",");
            profile_put_bytes(&text, body.data, body.size);
        }
        text.failed |= body.failed || profile->sites.failed || profile->arrays.failed;
        profile_text_free(&body);
        profile_put(&text, "}}");
        if (!records_append(&text) && !same)
            forget_repeat(launches);
        profile_text_free(&text);
        records_end(profile->slot);
    }
    profile_sites_free(&profile->sites);
    profile_text_free(&profile->arrays);
}
