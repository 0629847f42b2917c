/* A .npy file's header: any file.  What is read of it is written again, and read again. */
#include <string.h>

#include "base/npy/header.h"
#include "cli/files/plan.h"
#include "tests/fuzz/fuzz.h"

static void refused(const struct base_error *error) {
    FUZZ_CHECK(error->text[0] && !strchr(error->text, '\n') && !error->usage);
}

static void check_fields(const struct npy_dtype *dtype) {
    for (size_t i = 0; i < dtype->field_count; i++) {
        const struct npy_field *field = &dtype->fields[i];
        FUZZ_CHECK(field->name[0] && field->text[0] && field->rank <= NPY_MOST_DIMENSIONS);
        FUZZ_CHECK(field->offset + field->bytes <= dtype->bytes);
    }
}

static void write_again(const struct npy_array *array) {
    struct npy_array other;
    struct base_error error = {.text = ""};
    size_t length;
    char *header = npy_header_make(array->dtype.text, array->rank, array->shape, &length, &error);
    if (!header) { /* with a longer shape it may have become too long */
        refused(&error);
        return;
    }
    FUZZ_CHECK(npy_header_length((unsigned char *)header, NPY_PREFIX, &error) == length);
    FUZZ_CHECK(npy_header_parse(&other, (unsigned char *)header, length, &error));
    FUZZ_CHECK(other.rank == array->rank && other.bytes == array->bytes && !other.fortran);
    FUZZ_CHECK(memcmp(other.shape, array->shape, array->rank * sizeof *array->shape) == 0);
    FUZZ_CHECK(strcmp(other.dtype.text, array->dtype.text) == 0 &&
               npy_dtype_same(&other.dtype, &array->dtype));
    npy_array_free(&other);
    free(header);
}

/* The boxes of its transpose, in memory of any size. */
static void plan(const struct npy_array *array, uint64_t elements) {
    struct files_space space = {.rank = array->rank};
    struct files_view views[2] = {{.record = array->dtype.bytes}, {.record = array->dtype.bytes}};
    struct files_box most = {{0}, {0}}, box;
    struct npy_array turned = *array;
    turned.fortran = true;
    memcpy(space.size, array->shape, array->rank * sizeof *space.size);
    npy_array_strides(&turned, array->dtype.bytes, views[0].stride);
    files_dense_strides(&space, array->dtype.bytes, views[1].stride);
    files_space_merge(&space, views, 2);
    files_box_choose(&most, &space, views, 2, elements);
    files_box_first(&box, &space, &most);
    for (int boxes = 0; boxes < 100; boxes++) {
        struct files_runs runs;
        FUZZ_CHECK(files_box_elements(&box, &space) >= 1 && files_box_elements(&box, &space) <= elements);
        for (int v = 0; v < 2; v++) {
            files_runs_first(&runs, &views[v], &space, &box);
            for (int i = 0; i < 10; i++) {
                FUZZ_CHECK(runs.length && runs.offset + runs.length <= array->bytes);
                if (!files_runs_next(&runs))
                    break;
            }
        }
        if (!files_box_next(&box, &space, &most))
            break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct npy_array array;
    struct base_error error = {.text = ""};
    size_t length = npy_header_length(data, size < NPY_PREFIX ? size : NPY_PREFIX, &error);
    if (!length) {
        refused(&error);
        return 0;
    }
    if (length > size)
        return 0;
    if (!npy_header_parse(&array, data, length, &error)) {
        refused(&error);
        return 0;
    }
    check_fields(&array.dtype);
    write_again(&array);
    if (array.bytes)
        for (uint64_t elements = 1; elements < 1 << 30; elements *= 37)
            plan(&array, elements);
    npy_array_free(&array);
    return 0;
}
