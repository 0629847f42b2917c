/* tensormap.replace, tensormap.cp_fenceproxy, fence.proxy.tensormap and prefetch.tensormap.  The words are
 * those that an H200 made from zeros (CUDA 13.0, sm_90a), and so are the faults. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/check/check.h"
#include "sim/exec/memory/tensor_map.h"
#include "tests/exec/harness.h"

#define HEAD_OF(version, target)                                                                             \
    ".version " version "\n.target " target "\n.address_size 64\n"                                           \
    ".visible .entry k(.param .u64 p, .param .u64 q, .param .align 64 .b8 m[128]) {\n"                       \
    ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n.shared .align 128 .b8 s[256];\n"
#define HEAD  HEAD_OF("8.3", "sm_90a")
#define LOAD  "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; cvt.u32.u64 %r2, %rd2; mov.u32 %r1, %tid.x;\n"
#define FIRST "setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"

static struct harness h;

static bool run_at(const char *text, uint64_t p, uint64_t q, unsigned threads) {
    harness_load(&h, "map.ptx", text, strlen(text));
    const char m[128] = {0};
    bool done = harness_launch(&h, "k", 1, threads, 0, (const void *[]){&p, &q, m});
    sim_module_unload(h.module);
    h.module = NULL;
    return done;
}

static int setup(void **state) {
    (void)state;
    harness_start(&h);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    sim_memory_destroy(h.memory);
    return 0;
}

/* The places of a map, as text around the middle of an instruction: its space, and its address. */
static const struct place {
    const char *space, *address;
    bool shared;
} places[] = {
    {".global", "%rd1", false}, {"", "%rd1", false}, {".shared::cta", "s", true}, {"", "%rd3", true}};

/* Replaces a field of zeros or of ones in every place, and checks the result. */
static void replaced(const char *field, const char *type, const char *operands, uint64_t value, bool ones,
                     uint32_t out[SIM_TENSOR_MAP_WORDS]) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct place *at = &places[i];
        char text[8000], clear[1600] = "", copy[3000] = "";
        for (unsigned word = 0; word < SIM_TENSOR_MAP_WORDS && at->shared; word++) {
            size_t end = strlen(clear), copied = strlen(copy);
            snprintf(clear + end, sizeof clear - end, "st.shared.b32 [s+%u], %d;\n", 4 * word, ones ? -1 : 0);
            snprintf(copy + copied, sizeof copy - copied,
                     "ld.shared.b32 %%r5, [s+%u]; st.global.b32 [%%rd1+%u], %%r5;\n", 4 * word, 4 * word);
        }
        snprintf(text, sizeof text,
                 "%s%s mov.u64 %%rd3, s; cvta.shared.u64 %%rd3, %%rd3;\n"
                 "tensormap.replace.tile.%s%s.b1024.%s [%s], %s;\n%s ret; }\n",
                 HEAD LOAD FIRST, clear, field, at->space, type, at->address, operands, copy);
        uint32_t *map = harness_buffer(&h, SIM_TENSOR_MAP_BYTES);
        memset(map, ones ? 0xff : 0, SIM_TENSOR_MAP_BYTES);
        if (!run_at(text, (uintptr_t)map, value, 32))
            fail_msg("%s: %s", text, h.fault.text);
        if (i)
            assert_memory_equal(out, map, SIM_TENSOR_MAP_BYTES);
        memcpy(out, map, SIM_TENSOR_MAP_BYTES);
    }
}

struct word {
    unsigned at;
    uint32_t is;
};

static const struct change {
    const char *field, *type, *operands;
    uint64_t value;
    struct word words[2];
} changes[] = {
    {"rank", "b32", "2", 0, {{2, 0x20}}},
    {"rank", "b32", "%r2", 4, {{2, 0x40}}},
    {"rank", "b32", "%r2", 9, {{2, 0x10}}},
    {"global_address", "b64", "%rd2", 0x123456789abcde0, {{0, 0x89abcde0}, {1, 0x1234567}}},
    {"box_dim", "b32", "0, %r2", 7, {{13, 0x6000000}}},
    {"box_dim", "b32", "4, %r2", 256, {{14, 0xff000000}}},
    {"box_dim", "b32", "1, %r2", 300, {{14, 0x2b}}},
    {"global_dim", "b32", "1, %r2", 31, {{9, 0x1e}}},
    {"global_dim", "b32", "4, %r2", 0, {{12, 0xffffffff}}},
    {"global_stride", "b64", "0, %rd2", 256, {{3, 0x10}}},
    {"global_stride", "b64", "3, %rd2", 8, {{6, 0}}},
    {"global_stride", "b64", "0, %rd2", 0x3456789abc0, {{3, 0x456789abc & 0xffffffff}, {7, 4}}},
    {"global_stride", "b64", "3, %rd2", UINT64_MAX, {{6, 0xffffffff}, {7, 0xf000}}},
    {"element_stride", "b32", "1, %r2", 2, {{13, 8}}},
    {"element_stride", "b32", "4, %r2", 1, {{13, 0}}},
    {"element_stride", "b32", "1, %r2", 9, {{13, 0}}},
    {"element_stride", "b32", "0, 2", 0, {{13, 1}}},
    {"elemtype", "b32", "12", 0, {{2, 0x10400}}},
    {"elemtype", "b32", "11", 0, {{2, 0x10380}}},
    {"elemtype", "b32", "10", 0, {{2, 0x500}}},
    {"elemtype", "b32", "0", 0, {{2, 0}}},
    {"interleave_layout", "b32", "2", 0, {{2, 0x1000}}},
    {"swizzle_mode", "b32", "3", 0, {{2, 0x6000}}},
    {"fill_mode", "b32", "1", 0, {{2, 0x8000}}},
};

static void fields(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *c = &changes[i];
        uint32_t expected[SIM_TENSOR_MAP_WORDS] = {0}, map[SIM_TENSOR_MAP_WORDS];
        expected[c->words[0].at] = c->words[0].is;
        if (c->words[1].at)
            expected[c->words[1].at] = c->words[1].is;
        replaced(c->field, c->type, c->operands, c->value, false, map);
        if (memcmp(map, expected, sizeof map) != 0)
            fail_msg("%s %s: %" PRIx32 " %" PRIx32, c->field, c->operands, map[c->words[0].at],
                     map[c->words[1].at]);
    }
}

/* A field of zeros in a map of ones: no other bit changes. */
static void neighbours(void **state) {
    (void)state;
    static const struct change cases[] = {
        {"rank", "b32", "0", 0, {{2, 0x70}}},
        {"global_address", "b64", "%rd2", 0, {{0, 0xffffffff}, {1, 0xffffffff}}},
        {"box_dim", "b32", "0, 1", 0, {{13, 0xff000000}}},
        {"box_dim", "b32", "3, 1", 0, {{14, 0xff0000}}},
        {"global_dim", "b32", "2, 1", 0, {{10, 0xffffffff}}},
        {"global_stride", "b64", "1, 0", 0, {{4, 0xffffffff}, {7, 0xf0}}},
        {"element_stride", "b32", "4, 1", 0, {{13, 0x7000}}},
        {"elemtype", "b32", "0", 0, {{2, 0x10780}}},
        {"interleave_layout", "b32", "0", 0, {{2, 0x1800}}},
        {"swizzle_mode", "b32", "0", 0, {{2, 0x6000}}},
        {"fill_mode", "b32", "0", 0, {{2, 0x8000}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct change *c = &cases[i];
        uint32_t map[SIM_TENSOR_MAP_WORDS];
        replaced(c->field, c->type, c->operands, c->value, true, map);
        for (unsigned word = 0; word < SIM_TENSOR_MAP_WORDS; word++) {
            const uint32_t cleared = word == c->words[0].at                     ? c->words[0].is
                                     : c->words[1].at && word == c->words[1].at ? c->words[1].is
                                                                                : 0;
            if (map[word] != ~cleared)
                fail_msg("%s: word %u is %" PRIx32, c->field, word, map[word]);
        }
    }
}

/* As with ptxas: a load and a store of a word; for a whole word, just a store. */
static void counters(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned loads, stores;
    } cases[] = {{"rank.shared::cta.b1024.b32 [s], 2;", 1, 1},
                 {"elemtype.shared::cta.b1024.b32 [s], 11;", 1, 1},
                 {"global_dim.shared::cta.b1024.b32 [s], 0, 2;", 0, 1},
                 {"global_address.shared::cta.b1024.b64 [s], %rd2;", 0, 1},
                 {"global_stride.shared::cta.b1024.b64 [s], 0, %rd2;", 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%stensormap.replace.tile.%s ret; }\n", HEAD LOAD FIRST, cases[i].text);
        assert_true(run_at(text, 0, 0, 32));
        assert_int_equal(h.counters.shared_load_requests, cases[i].loads);
        assert_int_equal(h.counters.shared_store_requests, cases[i].stores);
        assert_int_equal(h.counters.global_load_requests, 0);
    }
}

static void fault_of(const char *body, uint64_t p, uint64_t q, enum sim_fault_kind kind) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s\nret; }\n", HEAD LOAD, body);
    run_at(text, p, q, 32);
    if (h.fault.kind != kind)
        fail_msg("%s: fault %d (%s), not %d", body, h.fault.kind, h.fault.text, kind);
}

/* The word that contains a field must be the device's, and aligned; the rest of the map is not checked. */
static void places_of_fields(void **state) {
    (void)state;
#define REPLACE(field, place) FIRST "tensormap.replace.tile." field " [" place "], "
#define RANK(space, place)    REPLACE("rank" space ".b1024.b32", place) "2;"
#define ADDRESS(place)        REPLACE("global_address.shared::cta.b1024.b64", place) "%rd2;"
    const uint64_t buffer = (uintptr_t)harness_buffer(&h, 256);
    fault_of(RANK(".shared::cta", "s+4"), 0, 0, SIM_FAULT_NONE);
    fault_of(RANK(".shared::cta", "s+2"), 0, 0, SIM_FAULT_MISALIGNED);
    fault_of(ADDRESS("s+4"), 0, 0, SIM_FAULT_MISALIGNED);
    fault_of(ADDRESS("s+16"), 0, 0, SIM_FAULT_NONE);
    fault_of(RANK(".shared::cta", "s+244"), 0, 0, SIM_FAULT_NONE);
    fault_of(RANK(".shared::cta", "s+1048576"), 0, 0, SIM_FAULT_ADDRESS);
    fault_of(RANK(".shared::cta", "%rd2"), 0, UINT64_C(1) << 40, SIM_FAULT_ADDRESS);
    fault_of(RANK(".shared::cta", "%rd2"), 0, UINT64_C(1) << 63, SIM_FAULT_ADDRESS);
    fault_of(RANK(".global", "%rd1+244"), buffer, 0, SIM_FAULT_NONE);
    fault_of(RANK(".global", "%rd1+248"), buffer, 0, SIM_FAULT_ADDRESS);
    fault_of(RANK(".global", "%rd1-8"), buffer, 0, SIM_FAULT_NONE);
    fault_of(RANK(".global", "%rd1-12"), buffer, 0, SIM_FAULT_ADDRESS);
    fault_of(RANK(".global", "%rd1+1"), buffer, 0, SIM_FAULT_MISALIGNED);
    fault_of(RANK(".global", "%rd1"), 0, 0, SIM_FAULT_ADDRESS);
    fault_of(RANK(".global", "%rd1"), UINT64_MAX - 7, 0, SIM_FAULT_ADDRESS);
    fault_of(RANK("", "%rd1"), buffer + 248, 0, SIM_FAULT_ADDRESS);
    fault_of(RANK("", "%rd1"), 0x0300000000000000, 0, SIM_FAULT_ADDRESS); /* a parameter */
}

/* Lane i moves word i, from its own source to its own target. */
#define COPY "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
#define FILL                                                                                                 \
    "shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.u32 %r3, %r3, %r4; add.u32 %r5, %r1, 1;\n"                     \
    "st.shared.b32 [%r3], %r5; add.u32 %r5, %r5, 32; st.shared.b32 [%r3+128], %r5; bar.sync 0;\n"
static void copies(void **state) {
    (void)state;
    uint32_t *to = harness_buffer(&h, 256);
    memset(to, 0, 256);
    assert_true(run_at(HEAD LOAD FILL COPY "[%rd1], [s], 128; ret; }\n", (uintptr_t)to, 0, 32));
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(to[i], i < 32 ? i + 1 : 0);
    assert_int_equal(h.counters.shared_load_requests, 1);
    assert_int_equal(h.counters.shared_load_transactions, 1);
    assert_int_equal(h.counters.global_atomic_requests, 1);
    assert_int_equal(h.counters.global_store_requests, 0);
    assert_true(run_at(HEAD LOAD FILL COPY "[%rd1+64], [s+16], 128; ret; }\n", (uintptr_t)to, 0, 32));
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(to[i], i < 16 ? i + 1 : i < 48 ? i - 11 : 0);
    /* Odd lanes have a target 32 bytes further, and every second pair a source 64 bytes further. */
    static const uint32_t spread[64] = {
        [0] = 1,     [2] = 0x13,  [4] = 5,     [6] = 0x17,  [8] = 9,     [9] = 2,     [10] = 0x1b,
        [11] = 0x14, [12] = 0xd,  [13] = 6,    [14] = 0x1f, [15] = 0x18, [16] = 0x11, [17] = 0xa,
        [18] = 0x23, [19] = 0x1c, [20] = 0x15, [21] = 0xe,  [22] = 0x27, [23] = 0x20, [24] = 0x19,
        [25] = 0x12, [26] = 0x2b, [27] = 0x24, [28] = 0x1d, [29] = 0x16, [30] = 0x2f, [31] = 0x28,
        [33] = 0x1a, [35] = 0x2c, [37] = 0x1e, [39] = 0x30};
    memset(to, 0, 256);
    assert_true(run_at(HEAD LOAD FILL
                       "and.b32 %r5, %r1, 1; mul.wide.u32 %rd4, %r5, 32; add.u64 %rd4, %rd4, %rd1;\n"
                       "and.b32 %r5, %r1, 2; mad.lo.u32 %r4, %r5, 32, %r4;\n" COPY
                       "[%rd4], [%r4], 128; ret; }\n",
                       (uintptr_t)to, 0, 32));
    assert_memory_equal(to, spread, 256);
}

static void places_of_copies(void **state) {
    (void)state;
    const uint64_t to = (uintptr_t)harness_buffer(&h, 256);
    fault_of(COPY "[%rd1+128], [s+128], 128;", to, 0, SIM_FAULT_NONE);
    fault_of(COPY "[%rd1+4], [s+4], 128;", to, 0, SIM_FAULT_NONE);
    fault_of(COPY "[%rd1+2], [s], 128;", to, 0, SIM_FAULT_MISALIGNED);
    fault_of(COPY "[%rd1], [s+2], 128;", to, 0, SIM_FAULT_MISALIGNED);
    fault_of(COPY "[%rd1+132], [s], 128;", to, 0, SIM_FAULT_ADDRESS);
    fault_of(COPY "[%rd1-4], [s], 128;", to, 0, SIM_FAULT_ADDRESS);
    fault_of(COPY "[%rd1], [s], 128;", UINT64_MAX - 127, 0, SIM_FAULT_ADDRESS);
    fault_of(COPY "[%rd1], [s+1048576], 128;", to, 0, SIM_FAULT_ADDRESS);
    fault_of(COPY "[%rd1], [%rd2], 128;", to, UINT64_C(1) << 40, SIM_FAULT_ADDRESS);
    fault_of("setp.lt.u32 %p1, %r1, 4; @%p1 exit; " COPY "[%rd1], [s], 128;", to, 0, SIM_FAULT_NONE);
}

static void count_finding(void *argument, const struct sim_finding *finding) {
    unsigned *kinds = argument;
    kinds[finding->kind]++;
}

/* Under checks, fields are reported as unwritten, out of bounds or racing like any word. */
static void checked(void **state) {
    (void)state;
    unsigned kinds[64] = {0};
    h.check =
        sim_check_create(h.memory, SIM_CHECK_MEMORY | SIM_CHECK_INIT | SIM_CHECK_RACE, count_finding, kinds);
    assert_non_null(h.check);
    const uint64_t buffer = (uintptr_t)harness_buffer(&h, 128);
    sim_check_written(h.check, buffer, 128);
    fault_of(FIRST "st.shared.b32 [s+8], 0; tensormap.replace.tile.rank.shared::cta.b1024.b32 [s], 2;", 0, 0,
             SIM_FAULT_NONE);
    fault_of(FILL COPY "[%rd1], [s], 128;", buffer, 0, SIM_FAULT_NONE);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        assert_int_equal(kinds[i], 0);
    fault_of(RANK(".shared::cta", "s"), 0, 0, SIM_FAULT_NONE);
    assert_int_equal(kinds[SIM_FINDING_UNINITIALIZED], 1);
    fault_of(RANK(".shared::cta", "s+252"), 0, 0, SIM_FAULT_NONE);
    assert_true(kinds[SIM_FINDING_OUT_OF_BOUNDS] > 0);
    char text[2000];
    snprintf(text, sizeof text, "%s%s\nret; }\n", HEAD LOAD,
             "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [s], 0, %r1;");
    assert_true(run_at(text, 0, 0, 64));
    assert_true(kinds[SIM_FINDING_WRITE_AFTER_WRITE] > 0);
    sim_check_destroy(h.check);
    h.check = NULL;
}

#define FENCE "fence.proxy.tensormap::generic."
static void lines(void **state) {
    (void)state;
    static const char *const named[] = {FENCE "acquire.gpu [%rd1], 128;", FENCE "acquire.sys [%rd1], 128;",
                                        "prefetch.tensormap [%rd1];"};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        for (unsigned offset = 0; offset <= 128; offset++)
            fault_of(named[i], (UINT64_C(1) << 40) + offset, 0,
                     offset % 64 ? SIM_FAULT_MISALIGNED : SIM_FAULT_NONE);
    fault_of(FENCE "release.cta;", 0, 0, SIM_FAULT_NONE);
    fault_of(FENCE "release.cluster;", 0, 0, SIM_FAULT_NONE);
    fault_of(FENCE "acquire.cta [%rd1+8], 128;", 56, 0, SIM_FAULT_NONE);
    fault_of("prefetch.const.tensormap [%rd1];", 1, 0, SIM_FAULT_NONE);
    fault_of("prefetch.param.tensormap [m];", 0, 0, SIM_FAULT_NONE);
}

static void refused(const char *head, const char *body, const char *why) {
    char text[2000];
    struct ptx_error error;
    struct sim_module *module;
    snprintf(text, sizeof text, "%s%s\nret; }\n", head, body);
    if (sim_module_load(h.memory, "map.ptx", text, strlen(text), &module, &error))
        fail_msg("accepted: %s", body);
    if (!strstr(error.text, why))
        fail_msg("%s: '%s' does not say '%s'", body, error.text, why);
}

static void accepted(const char *head, const char *body) {
    char text[2000];
    struct ptx_error error;
    struct sim_module *module;
    snprintf(text, sizeof text, "%s%s\nret; }\n", head, body);
    if (!sim_module_load(h.memory, "map.ptx", text, strlen(text), &module, &error))
        fail_msg("%s: %s", body, error.text);
    sim_module_unload(module);
}

#define R "tensormap.replace.tile."
static void refusals(void **state) {
    (void)state;
    static const char *const unknown[] = {
        R "rank.shared.b1024.b32 [s], 2;",
        R "rank.shared::cluster.b1024.b32 [s], 2;",
        R "rank.local.b1024.b32 [%rd1], 2;",
        R "rank.shared::cta.b1024.b64 [s], 2;",
        R "rank.shared::cta.b32 [s], 2;",
        R "global_address.shared::cta.b1024.b32 [s], 2;",
        R "global_stride.shared::cta.b1024.b32 [s], 3, %r1;",
        R "name.shared::cta.b1024.b32 [s], 2;",
        R "rank.shared::cta.b1024.b32.b32 [s], 2;",
        "tensormap.replace.im2col.rank.shared::cta.b1024.b32 [s], 2;",
        "tensormap.replace [s], 2;",
        "tensormap.swap [s];",
        "tensormap.cp_fenceproxy.global.shared.tensormap::generic.release.gpu.sync.aligned [%rd1], [s], 128;",
        "tensormap.cp_fenceproxy.shared::cta.global.tensormap::generic.release.gpu.sync.aligned [s], [%rd1], "
        "128;",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.acquire.gpu.sync.aligned [%rd1], [s], "
        "128;",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.warp.sync.aligned [%rd1], "
        "[s], 128;",
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu [%rd1], [s], 128;",
        FENCE "acq_rel.gpu [%rd1], 128;",
        FENCE "acquire [%rd1], 128;",
        FENCE "release;",
        FENCE "gpu;",
        "fence.tensormap::generic.release.gpu;",
        "prefetch.global.tensormap [%rd1];",
        "prefetch.tensormap.L2 [%rd1];",
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%rd1, "
        "{%r1}], [s];",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        refused(HEAD, unknown[i], "is not supported");
    refused(HEAD, R "rank.shared::cta.b1024.b32 [s], 0, 2;", "takes an address and a value");
    refused(HEAD, R "rank.shared::cta.b1024.b32 [s];", "takes an address and a value");
    refused(HEAD, R "box_dim.shared::cta.b1024.b32 [s], 2;", "takes an address, an ordinal and a value");
    refused(HEAD, R "box_dim.shared::cta.b1024.b32 [s], 5, 2;", "constant from 0 to 4 as its ordinal");
    refused(HEAD, R "box_dim.shared::cta.b1024.b32 [s], -1, 2;", "constant from 0 to 4 as its ordinal");
    refused(HEAD, R "box_dim.shared::cta.b1024.b32 [s], %r1, 2;", "constant from 0 to 4 as its ordinal");
    refused(HEAD, R "global_stride.shared::cta.b1024.b64 [s], 4, 16;", "constant from 0 to 3 as its ordinal");
    refused(HEAD, R "elemtype.shared::cta.b1024.b32 [s], 13;", "constant from 0 to 12 as its value");
    refused(HEAD, R "elemtype.shared::cta.b1024.b32 [s], %r1;", "constant from 0 to 12 as its value");
    refused(HEAD, R "interleave_layout.shared::cta.b1024.b32 [s], 3;", "constant from 0 to 2 as its value");
    refused(HEAD, R "swizzle_mode.shared::cta.b1024.b32 [s], 4;", "constant from 0 to 3 as its value");
    refused(HEAD, R "fill_mode.shared::cta.b1024.b32 [s], 2;", "constant from 0 to 1 as its value");
    refused(HEAD, R "swizzle_atomicity.shared::cta.b1024.b32 [s], 1;", "needs .target sm_100a or higher");
    refused(HEAD, R "rank.global.b1024.b32 [%r1], 1;", "needs a 64-bit address");
    refused(HEAD, COPY "[%rd1], [s], 64;", "takes a size of 128");
    refused(HEAD, COPY "[%rd1], [s], %r1;", "takes a size of 128");
    refused(HEAD, R "rank.shared::cta.b1024.b32;", "takes an address and a value");
    refused(HEAD, R "rank.shared::cta.b1024.b32 2, [s];", "needs an address in brackets");
    refused(HEAD, "tensormap;", "is not supported");
    refused(HEAD, "prefetch.tensormap;", "takes an address");
    refused(HEAD, COPY "[s];", "takes two addresses and a size");
    refused(HEAD, COPY "%rd1, [s], 128;", "needs an address in brackets");
    refused(HEAD, COPY "[%rd1], [s];", "takes two addresses and a size");
    refused(HEAD, FENCE "acquire.gpu [%rd1], 64;", "takes a size of 128");
    refused(HEAD, FENCE "acquire.gpu;", "takes an address and a size");
    refused(HEAD, FENCE "release.gpu [%rd1], 128;", "takes no operands");
    refused(HEAD, "prefetch.tensormap [%rd1], 128;", "takes an address");
}

static void targets(void **state) {
    (void)state;
    static const char rank[] = R "rank.shared::cta.b1024.b32 [s], 2;",
                      atomicity[] = R "swizzle_atomicity.shared::cta.b1024.b32 [s], 3;",
                      packed[] = R "elemtype.shared::cta.b1024.b32 [s], 15;";
    refused(HEAD_OF("8.3", "sm_90"), rank, "needs a .target that ends with 'a', such as sm_90a, not sm_90");
    refused(HEAD_OF("8.3", "sm_90f"), atomicity, "needs .target sm_100a or higher, not sm_90f");
    refused(HEAD_OF("8.3", "sm_80"), rank, "needs .target sm_90a or higher, not sm_80");
    refused(HEAD_OF("8.3", "sm_80"), COPY "[%rd1], [s], 128;", "needs .target sm_90 or higher");
    refused(HEAD_OF("8.3", "sm_80"), FENCE "release.gpu;", "needs .target sm_90 or higher");
    refused(HEAD_OF("8.3", "sm_80"), "prefetch.tensormap [%rd1];", "needs .target sm_90 or higher");
    accepted(HEAD_OF("8.3", "sm_90"), COPY "[%rd1], [s], 128;");
    accepted(HEAD_OF("8.3", "sm_90"), FENCE "release.gpu; prefetch.tensormap [%rd1];");
    static const char *const blackwell[] = {HEAD_OF("8.8", "sm_100a"), HEAD_OF("8.8", "sm_100f")};
    for (size_t i = 0; i < 2; i++) {
        accepted(blackwell[i], rank);
        accepted(blackwell[i], atomicity);
        accepted(blackwell[i], packed);
    }
    refused(HEAD_OF("8.8", "sm_100"), rank, "needs a .target that ends with 'a'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields, setup, teardown),
        cmocka_unit_test_setup_teardown(neighbours, setup, teardown),
        cmocka_unit_test_setup_teardown(counters, setup, teardown),
        cmocka_unit_test_setup_teardown(places_of_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(copies, setup, teardown),
        cmocka_unit_test_setup_teardown(places_of_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(checked, setup, teardown),
        cmocka_unit_test_setup_teardown(lines, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(targets, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
