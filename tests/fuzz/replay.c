/* Runs a fuzz target on files, so that every build's tests include the stored inputs.
 *
 *     fuzz_TARGET FILE-OR-FOLDER... */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"

static bool run_file(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    /* Allocated with its exact size, so that a sanitizer detects accesses beyond it. */
    uint8_t *data = malloc(size + !size);
    bool good = file && data && fread(data, 1, size, file) == size;
    if (good) {
        printf("%s\n", path);
        fflush(stdout); /* the last line names the input that crashed */
        LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    if (file)
        fclose(file);
    return good;
}

static int compare(const void *left, const void *right) {
    const struct dirent *const *a = left, *const *b = right;
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* The number of files that were run; 0 if one could not be read. */
static size_t run_path(const char *path) {
    struct stat status;
    if (stat(path, &status))
        return 0;
    if (!S_ISDIR(status.st_mode))
        return run_file(path, (size_t)status.st_size);
    struct dirent **entries;
    int count = scandir(path, &entries, visible, NULL);
    if (count < 0)
        return 0;
    qsort(entries, (size_t)count, sizeof *entries, compare);
    bool good = true;
    for (int i = 0; i < count; i++) {
        char *inner;
        if (asprintf(&inner, "%s/%s", path, entries[i]->d_name) < 0)
            abort();
        good = good && run_path(inner);
        free(inner);
        free(entries[i]);
    }
    free(entries);
    return good ? (size_t)count : 0;
}

int main(int argc, char **argv) {
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        size_t more = run_path(argv[i]);
        if (!more) {
            fprintf(stderr, "%s: nothing to run, or not all of it can be read\n", argv[i]);
            return 1;
        }
        count += more;
    }
    printf("%zu inputs\n", count);
    return count == 0;
}
