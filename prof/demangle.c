#include "prof/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The C++ runtime library has the decoder that every compiler for this platform agrees with.  It is
 * opened when there is something to decode, so that this program, which is C, runs without it too. */
typedef char *demangle_fn(const char *name, char *buffer, size_t *length, int *status);

static demangle_fn *demangle;

static void find_demangler(void) {
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&demangle, &symbol, sizeof symbol);
}

char *prof_demangle(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (strncmp(name, "_Z", 2) == 0) {
        pthread_once(&once, find_demangler);
        int status;
        char *plain = demangle ? demangle(name, NULL, NULL, &status) : NULL;
        if (plain)
            return plain;
    }
    return strdup(name);
}

/* Whether a bracket that belongs to an operator's name begins here: operator()(...), operator<(...). */
static bool in_operator(const char *start, const char *c) {
    static const char word[] = "operator";
    size_t length = sizeof word - 1;
    while (c > start && strchr("<>()-=", c[-1]))
        c--;
    return (size_t)(c - start) >= length && memcmp(c - length, word, length) == 0;
}

void prof_short_name(const char *name, char *out, size_t size) {
    const char *start = name, *end = name + strlen(name);
    int depth = 0;
    for (const char *c = name; *c; c++) {
        if (in_operator(name, c))
            continue;
        bool anonymous = strncmp(c, "(anonymous namespace)", 21) == 0;
        if (anonymous) {
            c += 20;
            continue;
        }
        if (*c == '(' && depth == 0) {
            end = c;
            break;
        }
        depth += *c == '<' || *c == '(';
        depth -= *c == '>' || *c == ')';
        if (depth == 0 && (*c == ' ' || (*c == ':' && c[1] == ':')))
            start = *c == ' ' ? c + 1 : c + 2;
    }
    size_t length = (size_t)(end - start);
    if (length >= size)
        length = size - 1;
    memcpy(out, start, length);
    out[length] = 0;
}

void prof_fit_name(const char *name, char *out, size_t size) {
    size_t length = strlen(name), tail = size / 3, head = size - 3 - tail;
    if (length < size) {
        memcpy(out, name, length + 1);
        return;
    }
    memcpy(out, name, head);
    memcpy(out + head, "..", 2);
    memcpy(out + head + 2, name + length - tail, tail + 1);
}
