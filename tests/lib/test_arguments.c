/* The checks of a call's arrays: their width, last byte, and kind of memory.  A stub answers the driver's
 * only question. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <dirent.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/arguments.h"

enum { PAGE = 4096 };

static struct {
    uint64_t host, managed; /* pages of pageable and of managed memory; all others are the device's */
    unsigned questions;
} memory;

static CUresult answer(unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr address) {
    memory.questions++;
    for (unsigned i = 0; i < count; i++) {
        unsigned *out = data[i];
        if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
            *out = address - memory.host < PAGE ? 0 : CU_MEMORYTYPE_DEVICE;
        else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
            *out = address - memory.managed < PAGE;
        else
            return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

static wl_context context;

static wl_error check(struct wl__reach *reach, uint64_t address, uint64_t bytes, unsigned alignment) {
    const struct wl__array array = {"from", address, bytes};
    return wl__check_array("wl_test", reach, &array, alignment);
}

/* For a call that knows no page yet. */
static wl_error alone(uint64_t address, uint64_t bytes) {
    struct wl__reach reach = {.context = &context};
    return check(&reach, address, bytes, 1);
}

static unsigned char *mapped; /* 2 x 2 MiB of this process */

static int setup(void **state) {
    (void)state;
    memset(&memory, 0, sizeof memory);
    memset(&context, 0, sizeof context);
    context.driver.cuPointerGetAttributes = answer;
    mapped = mmap(NULL, 2 * WL__PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped == MAP_FAILED ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    return munmap(mapped, 2 * WL__PAGE_BYTES);
}

/* Two pages in one of the 2 MiB that a device maps. */
static unsigned char *two_pages(void) {
    return mapped + (WL__PAGE_BYTES - (uintptr_t)mapped % WL__PAGE_BYTES) % WL__PAGE_BYTES;
}

static void widths(void **state) {
    (void)state;
    for (unsigned width = 0; width < 70; width++) {
        bool right = width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
        assert_int_equal(wl__check_width("wl_test", width), right ? WL_ERROR_OK : WL_ERROR_INVALID_ARGUMENT);
    }
}

/* An array may end with the address space's last byte and have INT64_MAX bytes, but not one more. */
static void ends(void **state) {
    (void)state;
    const uint64_t most = INT64_MAX, last = UINT64_MAX;
    static const wl_error wrong = WL_ERROR_INVALID_ARGUMENT;
    assert_int_equal(alone(WL__PAGE_BYTES, most), WL_ERROR_OK);
    assert_int_equal(alone(WL__PAGE_BYTES, most + 1), wrong);
    assert_int_equal(alone(last, 1), WL_ERROR_OK);
    assert_int_equal(alone(last, 2), wrong);
    assert_int_equal(alone(last - 99, 100), WL_ERROR_OK);
    assert_int_equal(alone(last - 99, 101), wrong);
    assert_int_equal(alone(last - most + 1, most), WL_ERROR_OK);
    assert_int_equal(alone(last - most + 2, most), wrong);
    assert_int_equal(alone(0, 0), WL_ERROR_OK);
    assert_int_equal(alone(0, 1), wrong);
}

/* The driver is asked for each page of device memory once per call. */
static void a_question_a_page(void **state) {
    (void)state;
    const uint64_t base = 64 * WL__PAGE_BYTES;
    static const struct {
        int64_t second;
        unsigned questions;
    } cases[] = {{0, 1},
                 {256, 1},
                 {(int64_t)WL__PAGE_BYTES - 4, 1},
                 {(int64_t)WL__PAGE_BYTES, 2},
                 {-4, 2},
                 {32 * (int64_t)WL__PAGE_BYTES, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wl__reach reach = {.context = &context};
        memory.questions = 0;
        assert_int_equal(check(&reach, base, 4, 4), WL_ERROR_OK);
        assert_int_equal(check(&reach, base + (uint64_t)cases[i].second, 4, 4), WL_ERROR_OK);
        assert_int_equal(memory.questions, cases[i].questions);
    }
    /* An array in a known page may still be misaligned, or too long. */
    struct wl__reach reach = {.context = &context};
    assert_int_equal(check(&reach, base, 4, 4), WL_ERROR_OK);
    assert_int_equal(check(&reach, base + 2, 4, 4), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(check(&reach, base, UINT64_MAX, 4), WL_ERROR_INVALID_ARGUMENT);
}

/* Managed memory is also the system's: pageable memory may be next to it. */
static void a_managed_page_is_not_remembered(void **state) {
    (void)state;
    unsigned char *pages = two_pages();
    memory.managed = (uintptr_t)pages;
    memory.host = (uintptr_t)pages + PAGE;
    struct wl__reach reach = {.context = &context};
    assert_int_equal(check(&reach, memory.managed, 16, 4), WL_ERROR_OK);
    assert_int_equal(check(&reach, memory.host, 16, 4), WL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(wl_message(), "pageable host memory"));
}

/* Memory that the driver does not know is pageable memory if this process can read it, otherwise invalid. */
static void unknown_memory(void **state) {
    (void)state;
    unsigned char *pages = two_pages();
    assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    memory.host = (uintptr_t)pages;
    assert_int_equal(alone(memory.host, 1), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(alone(memory.host + PAGE - 1, 1), WL_ERROR_INVALID_ARGUMENT); /* the last byte before */
    errno = EFAULT; /* as left by an unrelated call */
    assert_int_equal(alone(memory.host, 1), WL_ERROR_INVALID_ARGUMENT);
    memory.host += PAGE;
    assert_int_equal(alone(memory.host, 1), WL_ERROR_OK);
    assert_int_equal(alone(memory.host + PAGE - 1, 1), WL_ERROR_OK);
}

static unsigned descriptors(void) {
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* The check uses a pipe to ask the system, and closes it again; without a pipe, the answer is pageable
 * memory. */
static void descriptors_are_given_back(void **state) {
    (void)state;
    unsigned char *pages = two_pages();
    memory.host = (uintptr_t)pages;
    unsigned before = descriptors();
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(alone(memory.host, 1), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(descriptors(), before);
    struct rlimit old, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = old;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    wl_error error = alone(memory.host, 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(error, WL_ERROR_INVALID_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(widths, setup, teardown),
        cmocka_unit_test_setup_teardown(ends, setup, teardown),
        cmocka_unit_test_setup_teardown(a_question_a_page, setup, teardown),
        cmocka_unit_test_setup_teardown(a_managed_page_is_not_remembered, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(descriptors_are_given_back, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
