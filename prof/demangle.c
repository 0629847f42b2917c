#include "prof/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* __cxa_demangle() of the C++ runtime library.  The library is opened when a name must be demangled, so that
 * this C program runs without it too. */
typedef char *demangle_fn(const char *name, char *buffer, size_t *length, int *status);

static demangle_fn *demangle;

static void find_demangler(void) {
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&demangle, &symbol, sizeof symbol);
}

/* Removes ABI tags that are hashes: Numba gives each function one, "f[abi:v1][abi:cw51cXTLSUwv1...]". */
static void remove_hashes(char *name) {
    static const char start[] = "[abi:";
    const size_t longest = 16; /* of tags that people write */
    for (char *tag = strstr(name, start); tag;) {
        char *end = strchr(tag, ']');
        if (end && (size_t)(end - tag) > sizeof start - 1 + longest)
            memmove(tag, end + 1, strlen(end + 1) + 1);
        else
            tag++;
        tag = strstr(tag, start);
    }
}

char *prof_demangle(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (strncmp(name, "_Z", 2) == 0) {
        pthread_once(&once, find_demangler);
        int status;
        char *plain = demangle ? demangle(name, NULL, NULL, &status) : NULL;
        if (plain) {
            remove_hashes(plain);
            return plain;
        }
    }
    return strdup(name);
}

/* Whether the bracket at c is part of an operator's name: operator()(...), operator<(...).  The name begins
 * at start, which may be after c. */
static bool in_operator(const char *start, const char *c) {
    static const char word[] = "operator";
    const ptrdiff_t length = sizeof word - 1;
    for (int most = 3; most && c > start && strchr("<>()-=", c[-1]); most--)
        c--;
    return c - start >= length && memcmp(c - length, word, (size_t)length) == 0;
}

/* Finds where a name's scopes start (after the return type), the name itself, and its parameters. */
static void find_bounds(struct prof_text text, bool function, const char **scope, const char **start,
                        const char **end) {
    const char *limit = text.at + text.size;
    int depth = 0;
    *scope = *start = text.at;
    *end = limit;
    for (const char *c = text.at; c < limit; c++) {
        if (in_operator(text.at, c))
            continue;
        if ((size_t)(limit - c) >= 21 && memcmp(c, "(anonymous namespace)", 21) == 0) {
            c += 20;
            continue;
        }
        if (*c == '(' && depth == 0 && function) {
            *end = c;
            break;
        }
        depth += *c == '<' || *c == '(' || *c == '{';
        depth -= *c == '>' || *c == ')' || *c == '}';
        if (depth == 0 && *c == ' ' && function)
            *scope = *start = c + 1;
        else if (depth == 0 && *c == ':' && c + 1 < limit && c[1] == ':')
            *start = c + 2;
    }
}

void prof_short_name(const char *name, char *out, size_t size) {
    const char *scope, *start, *end;
    find_bounds((struct prof_text){name, strlen(name)}, true, &scope, &start, &end);
    size_t length = (size_t)(end - start);
    if (length >= size)
        length = size - 1;
    memcpy(out, start, length);
    out[length] = 0;
}

static struct prof_text between(const char *start, const char *end) {
    return (struct prof_text){start, (size_t)(end - start)};
}

/* Splits the arguments after '<'; returns the text after '>'. */
static const char *split_arguments(const char *start, const char *end, struct prof_name *out) {
    int depth = 0;
    const char *c = start;
    for (; c < end; c++) {
        if (depth == 0 && *c == '>')
            break;
        if (depth == 0 && *c == ',' && out->argument_count + 1 < PROF_NAME_ARGUMENTS) {
            out->arguments[out->argument_count++] = between(start, c);
            start = c + 1 + (c + 1 < end && c[1] == ' ');
        }
        if (in_operator(start, c))
            continue;
        depth += *c == '<' || *c == '(' || *c == '{';
        depth -= *c == '>' || *c == ')' || *c == '}';
    }
    /* "f<g<int> >" */
    const char *last = c;
    while (last > start && last[-1] == ' ')
        last--;
    out->arguments[out->argument_count++] = between(start, last);
    return c < end ? c + 1 : c;
}

void prof_split_name(struct prof_text text, bool function, struct prof_name *out) {
    const char *scope, *start, *end, *limit = text.at + text.size;
    *out = (struct prof_name){.argument_count = 0};
    find_bounds(text, function, &scope, &start, &end);
    const char *c = start;
    while (c < end && (*c != '<' || in_operator(start, c)))
        c++;
    out->scope = between(scope, start > scope ? start - 2 : start);
    out->base = between(start, c);
    out->tail = between(c < end ? split_arguments(c + 1, end, out) : c, limit);
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
