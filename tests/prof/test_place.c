/* Places of calls, from this program's own debug information. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>

#include "prof/place.h"
#include "tests/prof/cuda_runtime_like.h"

static char program[4096];
static struct prof_places *places;

static int setup(void **state) {
    (void)state;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    places = prof_places_open();
    return length > 0 && places ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    prof_places_close(places);
    return 0;
}

/* The frame of an address of this program. */
static struct prof_frame own(uintptr_t address) {
    Dl_info info;
    struct link_map *map;
    assert_true(dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP));
    return (struct prof_frame){program, address - map->l_addr};
}

/* A call is a return address less one, so that it lies in the call. */
static __attribute__((noinline)) uintptr_t call_address(void) {
    return (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)) - 1;
}

static void expect(const struct prof_frame *frames, size_t count, const char *place) {
    char text[200];
    memset(text, 'x', sizeof text);
    assert_true(prof_place_of_frames(places, frames, count, text, sizeof text));
    assert_string_equal(text, place);
}

static void a_call_has_its_line(void **state) {
    (void)state;
    char place[100];
    const int line = __LINE__ + 1;
    const struct prof_frame frame = own(call_address());
    snprintf(place, sizeof place, "test_place.c:%d", line);
    expect(&frame, 1, place);
    char small[8];
    assert_true(prof_place_of_frames(places, &frame, 1, small, sizeof small));
    assert_string_equal(small, "test_pl");
}

static void headers_of_cuda_are_passed_over(void **state) {
    (void)state;
    char place[100];
    const int line = __LINE__ + 1;
    const struct prof_frame frame = own(inlined_address());
    snprintf(place, sizeof place, "test_place.c:%d", line);
    expect(&frame, 1, place);
}

static void the_innermost_own_call_counts(void **state) {
    (void)state;
    char place[100];
    const int line = __LINE__ + 1;
    const struct prof_frame here = own(call_address());
    const struct prof_frame frames[] = {{"/nowhere/libcupy.so", 5}, here, own((uintptr_t)setup)};
    snprintf(place, sizeof place, "test_place.c:%d", line);
    expect(frames, 3, place);
}

/* The C library's first function is compiled without debug information. */
extern void _start(void);

static void without_lines_it_is_a_function(void **state) {
    (void)state;
    expect((const struct prof_frame[]){{"/nowhere/libcupy.so", 5}, own((uintptr_t)_start)}, 2, "_start");
}

/* Functions without lines: a program's, and one that is called as CUDA's are. */
__asm__(".pushsection .text.plain,\"ax\"\n"
        ".globl cube_side\n.type cube_side,%function\ncube_side: nop\nnop\n.size cube_side,.-cube_side\n"
        ".globl cuMemSide\n.type cuMemSide,%function\ncuMemSide: nop\nnop\n.size cuMemSide,.-cuMemSide\n"
        ".popsection");
extern void cube_side(void), cuMemSide(void);

static void functions_of_cuda_are_passed_over(void **state) {
    (void)state;
    const struct prof_frame frames[] = {own((uintptr_t)cuMemSide), own((uintptr_t)cube_side)};
    expect(frames, 2, "cube_side");
    expect(frames, 1, strrchr(program, '/') + 1);
}

static void without_names_it_is_a_file(void **state) {
    (void)state;
    expect(&(struct prof_frame){"/nowhere/libcupy.so", 5}, 1, "libcupy.so");
    expect(&(struct prof_frame){program, UINT64_MAX}, 1, strrchr(program, '/') + 1);
    expect(&(struct prof_frame){"", 5}, 1, "");
    char text[8];
    assert_false(prof_place_of_frames(places, NULL, 0, text, sizeof text));
}

static void other_files_are_not_read(void **state) {
    (void)state;
    char pipe_name[] = "place.pipe", text_name[] = "place.text";
    unlink(pipe_name);
    assert_int_equal(mkfifo(pipe_name, 0600), 0); /* would wait for a writer */
    expect(&(struct prof_frame){pipe_name, 0}, 1, pipe_name);
    unlink(pipe_name);
    FILE *file = fopen(text_name, "w");
    assert_non_null(file);
    fputs("\177ELF but nothing more", file);
    fclose(file);
    expect(&(struct prof_frame){text_name, 0}, 1, text_name);
    unlink(text_name);
    expect(&(struct prof_frame){"/", 0}, 1, "");
}

static void many_files_close_again(void **state) {
    (void)state;
    char place[100];
    const int line = __LINE__ + 1;
    const struct prof_frame here = own(call_address());
    snprintf(place, sizeof place, "test_place.c:%d", line);
    for (int i = 0; i < 100; i++) {
        char name[40];
        snprintf(name, sizeof name, "/nowhere/%d", i);
        expect(&(struct prof_frame){name, 0}, 1, name + 9);
        expect(&here, 1, place);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_has_its_line),
        cmocka_unit_test(headers_of_cuda_are_passed_over),
        cmocka_unit_test(the_innermost_own_call_counts),
        cmocka_unit_test(without_lines_it_is_a_function),
        cmocka_unit_test(without_names_it_is_a_file),
        cmocka_unit_test(other_files_are_not_read),
        cmocka_unit_test(functions_of_cuda_are_passed_over),
        cmocka_unit_test(many_files_close_again),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
