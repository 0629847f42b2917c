/* PTX text: loaded, or refused with a reason; loaded kernels run, with few threads and a limit, with and
 * without checks.  A byte 1 separates two texts that are linked.
 *
 * The input itself determines how kernels are launched, so that the same input always does the same: by the
 * hexadecimal number after the text's first "//@", or, without one, by a hash of the text.  struct choice
 * reads that number's bits. */
#include <string.h>

#include "sim/exec/check/check.h"
#include "sim/exec/texture/texture.h"
#include "tests/fuzz/fuzz.h"

enum {
    LARGEST = 1 << 17,
    MEMORY = 16 << 20,
    BUFFER = 4096,
    MOST_FUNCTIONS = 16,
    MOST_BLOCKS = 4,
    LIMIT = 1000,
    TEXTURES = 4,
    PITCH = 64, /* of the textures with rows */
};

/* ---------------------------------------------------------------- the parameters of a launch */

struct choice {
    size_t shared, heap; /* bytes; heap 0: the launch has none */
    uint32_t cluster, threads;
    bool cooperative, packed;
    unsigned checks;  /* of the checked launches */
    uint64_t params;  /* 2 bits each: enum param */
    unsigned texture; /* which of them is the parameter */
};

enum param { PARAM_BUFFER, PARAM_END, PARAM_TEXTURE, PARAM_SMALL };

static uint64_t number_of(const char *text, size_t size) {
    const char *mark = memmem(text, size, "//@", 3);
    if (mark) {
        char digits[17] = "";
        const size_t left = size - (size_t)(mark + 3 - text);
        memcpy(digits, mark + 3, left < 16 ? left : 16);
        return strtoull(digits, NULL, 16);
    }
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

static struct choice choose(const char *text, size_t size) {
    static const size_t shared[] = {512, 0, 1, 4, 7, 20, 1027, 49152}, heaps[] = {1 << 16, 0, 48, 1 << 20};
    static const uint32_t clusters[] = {0, 1, 2, MOST_BLOCKS}, threads[] = {40, 32, 1, 96};
    static const unsigned checks[] = {SIM_CHECK_ALL, SIM_CHECK_MEMORY, SIM_CHECK_RACE | SIM_CHECK_INIT,
                                      SIM_CHECK_SYNC};
    uint64_t number = number_of(text, size);
    return (struct choice){
        .shared = shared[number & 7],
        .heap = heaps[number >> 3 & 3],
        .cluster = clusters[number >> 5 & 3],
        .threads = threads[number >> 7 & 3],
        .cooperative = (number >> 9 & 3) == 3,
        .packed = (number >> 11 & 3) == 3,
        .checks = checks[number >> 13 & 3],
        .params = number >> 16,
        .texture = number >> 48 & 3,
    };
}

/* Shared by the kernels of a text. */
struct world {
    struct sim_memory *memory;
    struct sim_heap *heap;
    struct sim_textures *textures;
    uint64_t handles[TEXTURES];
    uint64_t buffer;
    struct choice choice;
};

/* Textures of the buffer: as tight as CUDA allows, so that a texel out of range is outside of it. */
static void add_textures(struct world *world) {
    const struct sim_texture linear = {.base = world->buffer,
                                       .width = BUFFER / 16,
                                       .height = 1,
                                       .depth = 1,
                                       .dimensions = 1,
                                       .fetch_only = true,
                                       .kind = SIM_TEXEL_UNSIGNED,
                                       .bits = 32,
                                       .channels = 4};
    struct sim_texture pitched = linear;
    pitched.fetch_only = false;
    pitched.pitch = PITCH;
    pitched.width = PITCH / 4;
    pitched.height = BUFFER / PITCH;
    pitched.dimensions = 2;
    pitched.kind = SIM_TEXEL_SIGNED;
    pitched.bits = 8;
    pitched.as_float = pitched.linear = pitched.normalized = true;
    pitched.mode[0] = SIM_ADDRESS_MIRROR;
    pitched.mode[1] = SIM_ADDRESS_BORDER;
    struct sim_texture layers = pitched;
    layers.height = 4;
    layers.depth = BUFFER / (4 * PITCH);
    layers.slice = 4 * PITCH;
    layers.layered = layers.blocked = true;
    layers.kind = SIM_TEXEL_FLOAT;
    layers.bits = 16;
    layers.channels = 2;
    layers.as_float = false;
    layers.width = PITCH / 4;
    struct sim_texture solid = layers;
    solid.layered = solid.blocked = false;
    solid.dimensions = 3;
    solid.mode[2] = SIM_ADDRESS_WRAP;
    const struct sim_texture all[TEXTURES] = {linear, pitched, layers, solid};
    for (int i = 0; i < TEXTURES; i++)
        world->handles[i] = sim_textures_add(world->textures, &all[i]);
}

static uint64_t parameter(const struct world *world, size_t i, size_t size) {
    if (size != 8 || !world->buffer)
        return 3 + i;
    switch ((enum param)(world->choice.params >> 2 * (i % 16) & 3)) {
    case PARAM_END:
        return world->buffer + BUFFER - 4;
    case PARAM_TEXTURE:
        return world->handles[world->choice.texture];
    case PARAM_SMALL:
        return 3 + i;
    default:
        return world->buffer;
    }
}

/* ---------------------------------------------------------------- running */

static void ignore_finding(void *argument, const struct sim_finding *finding) {
    size_t *length = argument;
    char text[2048];
    sim_finding_describe(finding, text, sizeof text);
    *length += strlen(text);
    FUZZ_CHECK(text[0] && !strchr(text, '\n'));
}

static void ignore_print(void *argument, bool error, const char *text, size_t size) {
    (void)error;
    size_t *length = argument;
    for (size_t i = 0; i < size; i++)
        *length += (unsigned char)text[i];
}

static void ignore_instruction(void *argument, const struct sim_instruction_count *count) {
    size_t *length = argument;
    *length += strlen(count->opcode) + strlen(count->function);
}

static void launch(const struct world *world, const struct sim_function *function, struct sim_check *check) {
    const struct choice *choice = &world->choice;
    struct sim_function_info info;
    sim_function_info(function, &info);
    char *params = calloc(1, info.param_bytes + 1);
    FUZZ_CHECK(params);
    if (world->buffer)
        memset((void *)(uintptr_t)world->buffer, 1, BUFFER);
    for (size_t i = 0; i < info.param_count; i++) {
        const size_t size = info.params[i].size;
        const uint64_t value = parameter(world, i, size);
        memcpy(params + info.params[i].offset, &value, size < 8 ? size : 8);
    }
    /* A kernel may have its own cluster size, which must divide the grid. */
    const uint32_t cluster = info.cluster[0] ? 0 : choice->cluster;
    const uint32_t blocks = cluster > 2 ? cluster : 2;
    size_t length = 0;
    const struct sim_launch what = {
        .memory = world->memory,
        .function = function,
        .grid = {info.cluster[0] ? info.cluster[0] : blocks, info.cluster[0] ? info.cluster[1] : 1,
                 info.cluster[0] ? info.cluster[2] : 1},
        .cluster = {cluster, cluster != 0, cluster != 0},
        .block = {info.max_threads < choice->threads ? info.max_threads : choice->threads, 1, 1},
        .shared_bytes = choice->shared,
        .params = params,
        .rules = count_rules_find(NULL),
        .threads = 1,
        .limit = LIMIT,
        .check = check,
        .cooperative = choice->cooperative,
        .textures = world->textures,
        .heap = world->heap,
        .print_bytes = 1 << 16,
        .print = ignore_print,
        .print_argument = &length,
        .each = ignore_instruction,
        .argument = &length,
    };
    struct wl_counters counters;
    struct sim_fault fault = {.kind = SIM_FAULT_NONE};
    const uint64_t size = (uint64_t)what.grid[0] * what.grid[1] * what.grid[2];
    if (size <= SIM_MAX_CLUSTER) /* larger ones are refused before a block runs; other tests cover that */
        FUZZ_CHECK(sim_launch_run(&what, &counters, &fault) || fault.text[0]);
    free(params);
}

/* The allocations are made in this order, so an access past one may hit the next. */
static void open_world(struct world *world) {
    world->buffer = sim_memory_alloc(world->memory, BUFFER, SIM_MEMORY_DEVICE);
    world->textures = sim_textures_create();
    FUZZ_CHECK(world->textures);
    if (world->buffer)
        add_textures(world);
    if (world->choice.heap)
        FUZZ_CHECK(world->heap = sim_heap_create(world->memory, world->choice.heap));
}

static void close_world(struct world *world) {
    sim_heap_destroy(world->heap);
    sim_textures_destroy(world->textures);
    if (world->buffer)
        sim_memory_free(world->memory, world->buffer);
}

static void run(struct sim_memory *memory, const char *text, size_t size, bool checked) {
    struct sim_module *module;
    struct ptx_error error;
    memset(&error, 0x5a, sizeof error);
    if (!sim_module_load(memory, "fuzz.ptx", text, size, &module, &error)) {
        FUZZ_CHECK(error.message[0] && strstr(error.text, error.message));
        FUZZ_CHECK(error.pos.line && error.pos.column);
        return;
    }
    size_t length = 0;
    struct world world = {.memory = memory, .choice = choose(text, size)};
    struct sim_check *check =
        checked ? sim_check_create(memory, world.choice.checks, ignore_finding, &length) : NULL;
    FUZZ_CHECK(check || !checked);
    open_world(&world);
    const struct sim_function *function;
    for (size_t i = 0; i < MOST_FUNCTIONS && (function = sim_module_function_at(module, i)); i++)
        launch(&world, function, check);
    close_world(&world);
    sim_check_destroy(check);
    sim_module_unload(module);
}

static void run_linked(struct sim_memory *memory, const char *text, size_t size, size_t first) {
    const struct ptx_text texts[] = {{"first.ptx", text, first},
                                     {"second.ptx", text + first + 1, size - first - 1}};
    struct ptx_error error;
    char *linked;
    size_t linked_size;
    memset(&error, 0x5a, sizeof error);
    if (!ptx_link(texts, 2, &linked, &linked_size, &error)) {
        FUZZ_CHECK(error.message[0] && strstr(error.text, error.message));
        return;
    }
    run(memory, linked, linked_size, false);
    free(linked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > LARGEST)
        return 0;
    struct sim_memory *memory = sim_memory_create(MEMORY);
    FUZZ_CHECK(memory);
    if (choose((const char *)data, size).packed)
        (void)sim_memory_pack(memory); /* if the process cannot reserve the addresses, nothing changes */
    const uint8_t *parted = memchr(data, 1, size);
    if (parted) {
        run_linked(memory, (const char *)data, size, (size_t)(parted - data));
    } else {
        run(memory, (const char *)data, size, false);
        run(memory, (const char *)data, size, true);
    }
    FUZZ_CHECK(sim_memory_used(memory) == 0);
    sim_memory_destroy(memory);
    return 0;
}
