/* Output files where the file system has files without names and where it has not: whole or absent in both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

static bool has_unnamed = true;
static bool could_have; /* the build folder's file system has files without names */
static char folder[] = "outputXXXXXX", path[64];

/* The linker puts these in place of the C library's, which are __real_. */
int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

static const struct base_output *watched;
static unsigned renamed;

/* Until a file beside the old one takes its place, a signal handler can find it. */
int __wrap_rename(const char *from, const char *to) {
    assert_non_null(watched->temporary);
    assert_string_equal(watched->temporary, from);
    renamed++;
    return __real_rename(from, to);
}

int __wrap_open(const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    if ((flags & O_TMPFILE) == O_TMPFILE && !has_unnamed) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_open(name, flags, mode);
}

/* Which kind of file system the case is for. */
static void choose(void **state) {
    has_unnamed = *(bool *)*state;
    if (has_unnamed && !could_have)
        skip();
}

/* Entries of the folder. */
static int count_files(void) {
    DIR *directory = opendir(folder);
    int count = -2; /* . and .. */
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void assert_content(const char *expected) {
    char content[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(content, 1, sizeof content - 1, file), strlen(expected));
    assert_string_equal(content, expected);
    fclose(file);
}

static void write_file(const char *content, bool commits) {
    struct base_output output;
    struct base_error error;
    assert_true(base_output_open(&output, "--json", path, &error));
    assert_int_equal(output.is_unnamed, has_unnamed);
    assert_int_equal(output.temporary == NULL, has_unnamed);
    watched = &output;
    fputs(content, output.file);
    fflush(output.file);
    if (commits)
        assert_true(base_output_commit(&output, &error));
    assert_true(!commits || !output.temporary);
    base_output_close(&output);
}

static void whole_or_absent(void **state) {
    choose(state);
    write_file("half", false);
    assert_int_equal(count_files(), 0);
    write_file("one", true);
    assert_content("one");
    write_file("half", false);
    assert_content("one");
    renamed = 0;
    write_file("two", true); /* replaces the old one */
    assert_int_equal(renamed, 1);
    assert_content("two");
    assert_int_equal(count_files(), 1);
    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(unlink(path), 0);
}

/* What is there when the file is put in place may have come meanwhile. */
static void a_folder_in_the_way(void **state) {
    choose(state);
    struct base_output output;
    struct base_error error;
    assert_true(base_output_open(&output, "--json", path, &error));
    assert_int_equal(mkdir(path, 0777), 0);
    watched = &output;
    assert_false(base_output_commit(&output, &error));
    assert_non_null(strstr(error.text, path));
    base_output_close(&output);
    assert_int_equal(count_files(), 1);
    assert_int_equal(rmdir(path), 0);
}

static void names_that_cannot_be(void **state) {
    choose(state);
    struct base_output output;
    struct base_error error;
    char name[400];
    snprintf(name, sizeof name, "%s/%0300d", folder, 0);
    assert_false(base_output_open(&output, "--json", name, &error));
    assert_non_null(strstr(error.text, "too long"));
    snprintf(name, sizeof name, "%s/no/a", folder);
    assert_false(base_output_open(&output, "--json", name, &error));
    assert_int_equal(count_files(), 0);
}

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a.json", folder);
    int file = __real_open(folder, O_TMPFILE | O_RDWR, 0600);
    could_have = file >= 0;
    if (could_have)
        close(file);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    static bool kinds[] = {true, false};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(whole_or_absent, &kinds[0]),
        cmocka_unit_test_prestate(whole_or_absent, &kinds[1]),
        cmocka_unit_test_prestate(a_folder_in_the_way, &kinds[0]),
        cmocka_unit_test_prestate(a_folder_in_the_way, &kinds[1]),
        cmocka_unit_test_prestate(names_that_cannot_be, &kinds[0]),
        cmocka_unit_test_prestate(names_that_cannot_be, &kinds[1]),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
