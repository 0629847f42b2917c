/* The parser on out-of-memory: the Nth allocation fails, for every N, and nothing leaks (AddressSanitizer
 * checks). */
#include "check.h"

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

static bool counting;
static size_t allocations, failing; /* the failing-th allocation fails; 0: none */

void *__wrap_calloc(size_t count, size_t size) {
    if (counting && ++allocations == failing)
        return NULL;
    return __real_calloc(count, size);
}

/* A text that makes every kind of allocation: names, long arrays, large variables, files, many functions. */
static char *make_text(size_t *size) {
    char *text = malloc(1 << 20), *at = text;
    assert_non_null(text);
    at += sprintf(at, HEAD
                  ".file 1 \"a.cu\"\n.func g();\n.global .u8 big[300000] = {1};\n.global .u32 table[] = {");
    for (int i = 0; i < 3000; i++)
        at += sprintf(at, "%d, ", i);
    at += sprintf(at, "1};\n.global .u64 p[300] = {");
    for (int i = 0; i < 300; i++)
        at += sprintf(at, "%stable+%d", i ? ", " : "", i);
    at += sprintf(at, "};\n.func f() { ret; }\n.alias g, f;\n");
    for (int i = 0; i < 20; i++) {
        at += sprintf(at,
                      ".entry kernel_%d(.param .u64 a, .param .align 8 .b8 b[16]) {\n.reg .b32 %%r<999>;\n"
                      ".reg .v4 .f32 %%v;\nadd .x .y 1;\nt: .branchtargets E, E;\n"
                      "c: .callprototype (.param .b32 _) _ ();\nd: .calltargets f;\n",
                      i);
        for (int j = 0; j < 200; j++)
            at += sprintf(at, "{ .param .b64 q%d; mov.v%d.u32 {%%r%d, %%v.x, _}, [a+4]; bra E; call g; }\n",
                          j, j, j);
        at += sprintf(at, "E: }\n");
    }
    *size = (size_t)(at - text);
    return text;
}

static void test_every_allocation(void **state) {
    (void)state;
    size_t size, total = 0;
    char *text = make_text(&size);
    for (failing = 0;; failing++) {
        struct ptx_module *module;
        struct ptx_error error;
        allocations = 0;
        counting = true;
        bool ok = ptx_parse("memory.ptx", text, size, &module, &error);
        counting = false;
        if (failing == 0) {
            if (!ok)
                fail_msg("%s", error.text);
            total = allocations;
            assert_true(total > 30);
            ptx_module_free(module);
        } else if (failing <= total) {
            assert_false(ok);
            assert_null(module);
            assert_string_equal(error.message, "out of memory");
        } else {
            assert_true(ok);
            ptx_module_free(module);
            break;
        }
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
