/* The option that limits a thread's registers, written into the PTX: .maxnreg before each kernel's body.  So
 * the limit stays with a text that a program links now and loads later.  As with ptxas, a kernel's own
 * register directives take precedence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/module/module.h"

static bool is_at(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0;
}

static const char *past(const char *at, const char *mark) {
    const char *found = strstr(at, mark);
    return found ? found + strlen(mark) : at + strlen(at);
}

static const char *past_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        at += at[0] == '\\' && at[1];
    return at + (*at == '"');
}

/* Skips a comment or a string, or else one character. */
static const char *step(const char *at) {
    if (is_at(at, "//"))
        return past(at, "\n");
    if (is_at(at, "/*"))
        return past(at + 2, "*/");
    return *at == '"' ? past_string(at) : at + 1;
}

/* Moves from .entry to its body, or to the ';' of a declaration.  Returns whether the limit belongs there. */
static bool head(const char **at) {
    bool limited = false;
    for (; **at && **at != '{' && **at != ';'; *at = step(*at))
        limited |= is_at(*at, ".maxnreg") || is_at(*at, ".minnctapersm");
    return !limited && **at == '{';
}

CUresult image_limit_registers(struct image *image, unsigned registers) {
    if (!registers)
        return CUDA_SUCCESS;
    char directive[32];
    size_t length = (size_t)snprintf(directive, sizeof directive, ".maxnreg %u ", registers);
    size_t size = 0;
    FILE *out = NULL;
    char *text = NULL;
    const char *at = image->text, *done = at;
    out = open_memstream(&text, &size);
    while (out && *at) {
        bool entry = is_at(at, ".entry");
        at = step(at);
        if (!entry || !head(&at))
            continue;
        fwrite(done, 1, (size_t)(at - done), out);
        fwrite(directive, 1, length, out);
        done = at;
    }
    if (out)
        fputs(done, out);
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
