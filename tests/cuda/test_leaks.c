/* Leaked memory: the first hundred allocations of a context are reported singly, the rest as a sum. */
#include <stdio.h>
#include <unistd.h>

#include "tests/cuda/api.h"

/* Reads a line of the log; returns the text after the address, and the address. */
static bool next_leak(FILE *log, char *text, size_t size, unsigned long long *serial,
                      unsigned long long *at) {
    char line[512];
    int end = 0;
    if (!fgets(line, sizeof line, log))
        return false;
    line[strcspn(line, "\n")] = '\0';
    *serial = *at = 0;
    if (sscanf(line, "wideload-sim: leak: allocation #%llu (0x%llx, %n", serial, at, &end) == 2 && end)
        snprintf(text, size, "%s", line + end);
    else
        snprintf(text, size, "%s", line);
    return true;
}

/* Destroys a context with count allocations of 1, 2, ... bytes. */
static void leaks_of(unsigned count) {
    CUcontext context;
    CUdeviceptr at[200], freed;
    assert_ok(api.context_create(&context, 0, 0));
    for (unsigned i = 0; i < count; i++) {
        assert_ok(api.cuMemAlloc(&at[i], i + 1));
        assert_ok(api.cuMemAlloc(&freed, 64));
        assert_ok(api.cuMemFree(freed));
    }
    FILE *log = tmpfile();
    assert_non_null(log);
    const int saved = dup(2);
    fflush(stderr);
    assert_true(dup2(fileno(log), 2) >= 0);
    const CUresult destroyed = api.cuCtxDestroy(context);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    assert_ok(destroyed);
    rewind(log);
    char text[512], expected[512];
    unsigned long long serial, address, last = 0, bytes = 0;
    for (unsigned i = 0; i < count && i < 100; i++) {
        assert_true(next_leak(log, text, sizeof text, &serial, &address));
        snprintf(expected, sizeof expected, "%u bytes) was never freed", i + 1);
        assert_string_equal(text, expected);
        assert_true(address == at[i]);
        assert_true(serial > last);
        last = serial;
    }
    for (unsigned i = 100; i < count; i++)
        bytes += i + 1;
    if (count > 100) {
        assert_true(next_leak(log, text, sizeof text, &serial, &address));
        snprintf(expected, sizeof expected,
                 "wideload-sim: leak: %u more allocations, %llu bytes, were never freed", count - 100, bytes);
        assert_string_equal(text, expected);
    }
    assert_false(next_leak(log, text, sizeof text, &serial, &address));
    fclose(log);
}

static void leaks(void **state) {
    (void)state;
    static const unsigned counts[] = {0, 1, 2, 99, 100, 101, 102, 150};
    assert_int_equal(setenv("WIDELOAD_CHECK", "leak", 1), 0);
    assert_int_equal(setenv("WIDELOAD_LOG", "1", 1), 0);
    assert_true(api_open(API_DLSYM));
    assert_ok(api.cuInit(0));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        leaks_of(counts[i]);
    api_close();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
