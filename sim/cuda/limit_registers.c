/* The option that limits a thread's registers, as PTX itself says it: .maxnreg before each kernel's body.  So
 * it stays with a text that a program links now and loads later.  A kernel whose own directives speak of
 * registers keeps to them, as with ptxas. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/module.h"

/* A place in the text. */
struct scan {
    const char *at, *end;
};

static bool is_at(const struct scan *scan, const char *word) {
    size_t length = strlen(word);
    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, word, length) == 0;
}

static void skip_past(struct scan *scan, const char *mark) {
    while (scan->at < scan->end && !is_at(scan, mark))
        scan->at++;
    scan->at += scan->at < scan->end ? strlen(mark) : 0;
}

/* Passes over a comment or a string, or else over one character. */
static void step(struct scan *scan) {
    if (is_at(scan, "//")) {
        skip_past(scan, "\n");
    } else if (is_at(scan, "/*")) {
        scan->at += 2;
        skip_past(scan, "*/");
    } else if (*scan->at == '"') {
        for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++)
            scan->at += *scan->at == '\\' && scan->end - scan->at > 1;
        scan->at += scan->at < scan->end;
    } else {
        scan->at++;
    }
}

/* From .entry to its body, or to the ';' of a declaration.  Whether the limit belongs there. */
static bool head(struct scan *scan) {
    bool limited = false;
    while (scan->at < scan->end && *scan->at != '{' && *scan->at != ';') {
        limited |= is_at(scan, ".maxnreg") || is_at(scan, ".minnctapersm");
        step(scan);
    }
    return !limited && scan->at < scan->end && *scan->at == '{';
}

CUresult image_limit_registers(struct image *image, unsigned registers) {
    if (!registers)
        return CUDA_SUCCESS;
    char directive[32];
    size_t length = (size_t)snprintf(directive, sizeof directive, ".maxnreg %u ", registers);
    size_t size = 0;
    FILE *out = NULL;
    char *text = NULL;
    const char *done = image->text;
    struct scan scan = {image->text, image->text + image->size};
    out = open_memstream(&text, &size);
    while (out && scan.at < scan.end) {
        bool entry = is_at(&scan, ".entry");
        step(&scan);
        if (!entry || !head(&scan))
            continue;
        fwrite(done, 1, (size_t)(scan.at - done), out);
        fwrite(directive, 1, length, out);
        done = scan.at;
    }
    if (out)
        fwrite(done, 1, (size_t)(scan.end - done), out);
    bool good = out && !ferror(out);
    if (!out || fclose(out) || !good) {
        free(text);
        log_error("out of memory for %zu bytes of PTX", image->size);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    free(image->text);
    image->text = text;
    image->size = size;
    return CUDA_SUCCESS;
}
