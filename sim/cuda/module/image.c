/* Extracts PTX text from anything that a program loads. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/module/fatbin.h"
#include "sim/cuda/module/module.h"

static const char FROM_MEMORY[] = "PTX in memory";

/* The author of a compiled file is asked to compile it differently.  Code from memory was made at run time,
 * by a compiler that the user of Numba or Triton never calls. */
static CUresult refuse_machine_code(const char *name) {
    if (name)
        log_error("%s: machine code (a cubin) without PTX; the simulator runs PTX: compile with "
                  "-gencode arch=compute_75,code=compute_75",
                  name);
    else
        log_error("machine code (a cubin) without PTX, made at run time; the simulator runs PTX: let what "
                  "made it, as "
                  "Numba, Triton, CuPy or NVRTC, give the driver PTX");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

void image_free(struct image *image) {
    free(image->text);
    image->text = NULL;
    machine_free(&image->machine);
}

static CUresult copy_text(const char *text, size_t size, const char *name, struct image *out) {
    out->text = malloc(size + 1);
    if (!out->text) {
        log_error("out of memory for %zu bytes of PTX", size);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(out->text, text, size);
    out->text[size] = '\0';
    out->size = size;
    snprintf(out->name, sizeof out->name, "%s", name ? name : FROM_MEMORY);
    return CUDA_SUCCESS;
}

static CUresult fatbin_error(enum fatbin_status status) {
    switch (status) {
    case FATBIN_NO_PTX:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case FATBIN_NO_MEMORY:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return CUDA_ERROR_INVALID_IMAGE;
    }
}

/* PTX begins with a comment, white space or a directive.  Other text gets no line-by-line errors. */
static bool looks_like_text(const unsigned char *text, size_t size) {
    for (size_t i = 0; i < size && i < 16 && text[i]; i++)
        if ((text[i] < ' ' && !strchr("\t\n\v\f\r", text[i])) || text[i] >= 0x7f)
            return false;
    return size && text[0];
}

CUresult image_link(const struct ptx_text *texts, size_t count, struct image *out) {
    struct ptx_error why = {0};
    if (count == 1)
        return copy_text(texts[0].text, texts[0].size, texts[0].name, out);
    if (!ptx_link(texts, count, &out->text, &out->size, &why)) {
        log_error("%s", why.text);
        return strncmp(why.message, "out of memory", 13) == 0 ? CUDA_ERROR_OUT_OF_MEMORY
                                                              : CUDA_ERROR_INVALID_PTX;
    }
    snprintf(out->name, sizeof out->name, "linked PTX");
    return CUDA_SUCCESS;
}

static CUresult take_parts(const struct fatbin_ptx *parts, size_t count, const char *name,
                           struct image *out) {
    struct ptx_text *texts = calloc(count, sizeof *texts);
    if (!texts) {
        log_error("out of memory for linking %zu parts", count);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        texts[i] = (struct ptx_text){parts[i].name[0] ? parts[i].name
                                     : name           ? name
                                                      : FROM_MEMORY,
                                     parts[i].text, parts[i].size};
    CUresult error = image_link(texts, count, out);
    free(texts);
    return error;
}

/* Reads the machine code that a device of the counting rules' architecture would run. */
static void read_machine_code(const void *image, size_t size, unsigned capability, struct image *out) {
    struct fatbin_code code;
    if (!fatbin_find_code(image, size, capability, &code))
        return;
    machine_read(code.code, code.size, &out->machine);
    out->compiled_for = code.made_for;
    free(code.owned);
}

CUresult image_read(const void *image, size_t size, const char *name, struct image *out) {
    *out = (struct image){0};
    char reason[256];
    struct fatbin_ptx *parts;
    size_t count;
    unsigned capability = count_rules_capability(atomic_load(&driver.rules));
    enum fatbin_status status =
        fatbin_find_parts(image, size, capability, &parts, &count, reason, sizeof reason);
    if (status == FATBIN_OK) {
        CUresult error = take_parts(parts, count, name, out);
        fatbin_free_parts(parts, count);
        if (!error)
            read_machine_code(image, size, capability, out);
        return error;
    }
    if (status != FATBIN_OTHER) {
        log_error("%s%s%s", name ? name : "", name ? ": " : "", reason);
        return fatbin_error(status);
    }
    if (size >= 4 && strncmp(image, "\177ELF", 4) == 0)
        return refuse_machine_code(name);
    if (!looks_like_text(image, size)) {
        log_error("%s: neither PTX nor a fat binary", name ? name : "what was loaded from memory");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    return copy_text(image, size == SIZE_MAX ? strlen(image) : strnlen(image, size), name, out);
}

/* Reads the whole file; NULL with errno set on failure. */
static char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *data = NULL;
    size_t capacity = 0, used = 0, got;
    do {
        if (used == capacity) {
            capacity = capacity ? capacity * 2 : 65536;
            char *larger = realloc(data, capacity);
            if (!larger) {
                free(data);
                fclose(file);
                errno = ENOMEM;
                return NULL;
            }
            data = larger;
        }
        got = fread(data + used, 1, capacity - used, file);
        used += got;
    } while (got);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (failed) {
        free(data);
        errno = failed;
        return NULL;
    }
    *size = used;
    return data;
}

CUresult image_file_read(const char *path, void **data, size_t *size) {
    *data = read_all(path, size);
    if (*data)
        return CUDA_SUCCESS;
    int reason = errno;
    log_error("%s: %s", path, strerror(reason));
    if (reason == ENOMEM)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return reason == ENOENT || reason == ENOTDIR ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult image_read_file(const char *path, struct image *out) {
    *out = (struct image){0};
    void *data;
    size_t size = 0;
    CUresult error = image_file_read(path, &data, &size);
    if (error)
        return error;
    const char *slash = strrchr(path, '/');
    error = image_read(data, size, slash ? slash + 1 : path, out);
    free(data);
    return error;
}
