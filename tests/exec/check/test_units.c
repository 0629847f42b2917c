/* The checks' parts alone: a finding's line, bits of written bytes, padding; against simple models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/check/state.h"
#include "sim/exec/lower/instructions.h"

static uint64_t seed = 1;

static unsigned random_below(unsigned limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % limit;
}

/* ---------------------------------------------------------------- a finding's line */

static void described(const struct sim_finding *f, const char *expected) {
    const size_t length = strlen(expected);
    for (size_t size = 1; size <= length + 20; size++) {
        char text[600], wanted[600];
        memset(text, 0x55, sizeof text);
        memset(wanted, 0x55, sizeof wanted);
        snprintf(wanted, size, "%s", expected);
        sim_finding_describe(f, text, size);
        assert_string_equal(text, wanted);
        assert_memory_equal(text + size, wanted + size, sizeof text - size);
    }
}

static void lines_of_findings(void **state) {
    (void)state;
    struct sim_finding f = {.kind = SIM_FINDING_LEAK, .text = "100 bytes"};
    described(&f, "leak: 100 bytes");
    f = (struct sim_finding){
        .kind = SIM_FINDING_READ_AFTER_WRITE,
        .kernel = "k",
        .at = {.function = "k", .file = "a.cu", .line = 7, .block = {1, 2, 3}, .thread = {4, 5, 6}},
        .text = "races"};
    described(&f, "read-after-write: kernel k, a.cu:7, block (1,2,3), thread (4,5,6): races");
    f.other = (struct sim_finding_side){.function = "g", .line = 8, .block = {7}, .thread = {9}};
    described(&f, "read-after-write: kernel k, a.cu:7, block (1,2,3), thread (4,5,6): races; and in g, PTX "
                  "line:8, block (7,0,0), thread (9,0,0)");
}

/* ---------------------------------------------------------------- bits */

static void ranges_of_bits(void **state) {
    (void)state;
    for (unsigned first = 0; first < 130; first++)
        for (unsigned count = 0; first + count <= 256; count++) {
            uint64_t bits[5] = {0}; /* room for one more bit */
            check_bits_set(bits, first, count);
            for (unsigned i = 0; i < 256; i++)
                assert_int_equal(bits[i / 64] >> i % 64 & 1, i - first < count);
            assert_true(check_bits_all(bits, first, count));
            if (!count)
                continue;
            assert_false(check_bits_all(bits, first, count + 1));
            const unsigned hole = first + random_below(count);
            bits[hole / 64] ^= 1ull << hole % 64;
            assert_false(check_bits_all(bits, first, count));
        }
}

/* ---------------------------------------------------------------- padding */

enum { BEGIN = 0x1000, MOST_BYTES = 128 };

/* Written bytes, in both representations that the checks use. */
struct bytes {
    bool written[MOST_BYTES];
    unsigned size;
    uint64_t bits[MOST_BYTES / 64 + 1];
    uint8_t words[MOST_BYTES / 4 + 1];
    struct check_map maps[2];
};

static void make(struct bytes *b) {
    static const unsigned widths[] = {0, 1, 2, 4, 8, 16};
    memset(b, 0, sizeof *b);
    b->size = 4 * (1 + random_below(MOST_BYTES / 4));
    const unsigned widest = widths[random_below(6)];
    bool written = random_below(2);
    for (unsigned i = 0, left = 0; i < b->size; i++, left--) {
        if (!left) {
            left = 1 + random_below(random_below(4) ? 9 : 40);
            written = !written;
        }
        b->written[i] = written;
        b->bits[i / 64] |= (uint64_t)b->written[i] << i % 64;
        b->words[i / 4] |= (uint8_t)(b->written[i] << i % 4);
    }
    b->maps[0] =
        (struct check_map){.bits = b->bits, .begin = BEGIN, .end = BEGIN + b->size, .widest = widest};
    b->maps[1] = (struct check_map){.words = b->words, .stride = 1, .end = b->size, .widest = widest};
}

static unsigned run_end(const struct bytes *b, unsigned at) {
    while (at < b->size && !b->written[at])
        at++;
    return at;
}

static bool is_padding(const struct bytes *b, unsigned at) {
    unsigned begin = at, end = run_end(b, at), align = 2;
    while (begin && !b->written[begin - 1])
        begin--;
    while (align <= end - begin)
        align *= 2;
    return begin && align <= 16 && align <= b->maps[0].widest && end % align == 0;
}

/* The first unwritten byte of a range that is not padding after written bytes of the range. */
static unsigned find(const struct bytes *b, unsigned at, unsigned size) {
    for (unsigned i = at; i < at + size; i++)
        if (!b->written[i] && (i == at || !is_padding(b, i)))
            return i;
    return UINT32_MAX;
}

static void runs_of_unwritten_bytes(void **state) {
    (void)state;
    static struct bytes b;
    for (int time = 0; time < 4000; time++) {
        make(&b);
        for (int kind = 0; kind < 2; kind++) {
            const struct check_map *map = &b.maps[kind];
            for (unsigned i = 0; i < b.size; i++) {
                assert_int_equal(check_map_has(map, map->begin + i), b.written[i]);
                if (b.written[i])
                    continue;
                const struct check_run run = check_map_run(map, map->begin + i);
                assert_int_equal(run.padding, is_padding(&b, i));
                if (run.padding)
                    assert_int_equal(run.end - map->begin, run_end(&b, i));
            }
        }
        for (unsigned i = 0; i < 20; i++) {
            const unsigned at = random_below(b.size), size = random_below(b.size - at + 1);
            const unsigned expected = find(&b, at, size);
            uint64_t found = 0;
            assert_int_equal(check_map_find(&b.maps[0], BEGIN + at, size, &found), expected != UINT32_MAX);
            if (expected != UINT32_MAX)
                assert_int_equal(found - BEGIN, expected);
        }
    }
}

/* ---------------------------------------------------------------- use of loaded values */

static void elements_of_a_load(void **state) {
    (void)state;
    struct ptx_register registers[3] = {{.index = 0}, {.index = 1}, {.index = 2}};
    struct ptx_operand items[3], one = {.kind = PTX_OPERAND_REGISTER, .reg = &registers[1]};
    for (unsigned i = 0; i < 3; i++)
        items[i] = (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .reg = &registers[i]};
    struct ptx_operand loaded = {.kind = PTX_OPERAND_VECTOR, .items = items, .item_count = 2};
    struct ptx_operand added[2] = {one, one};
    struct ptx_instruction instructions[2] = {{.name = "ld", .operands = &loaded, .operand_count = 1},
                                              {.name = "add", .operands = added, .operand_count = 2}};
    struct ptx_function function = {
        .instructions = instructions, .instruction_count = 2, .register_count = 3};
    const char *why;
    for (unsigned i = 0; i < 2; i++)
        assert_non_null(instructions[i].row = sim_instruction_find(&instructions[i], &why));
    const struct sim_code code = {.source = &function};
    struct check_site site = {0};
    assert_false(check_computes(&code, 0, 0, &site));
    assert_true(check_computes(&code, 0, 1, &site));
    assert_true(check_computes(&code, 0, 2, &site)); /* an unknown use */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_findings),
        cmocka_unit_test(ranges_of_bits),
        cmocka_unit_test(runs_of_unwritten_bytes),
        cmocka_unit_test(elements_of_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
