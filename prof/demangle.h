/* Demangles C++ names and splits them into parts. */
#ifndef WIDELOAD_PROF_DEMANGLE_H
#define WIDELOAD_PROF_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* "_Z4copyIfEvPT_PKS0_i" -> "void copy<float>(float*, float const*, int)".  ABI tags that
 * are hashes are left out.  Copies a name that is not mangled or cannot be demangled.  The caller frees the
 * result.  NULL: out of memory. */
char *prof_demangle(const char *name);

enum { PROF_SHORT_NAME = 128 };

/* The name without return type, scopes and parameters: "copy<float>". */
void prof_short_name(const char *demangled, char *out, size_t size);

/* A part of a text, not terminated by 0. */
struct prof_text {
    const char *at;
    size_t size;
};

/* "void a::f<int, b::c>(float)": scope "a", base "f", arguments "int" and "b::c", tail "(float)". */
enum { PROF_NAME_ARGUMENTS = 30 }; /* the last one includes all that follow */
struct prof_name {
    struct prof_text scope, base, tail;
    struct prof_text arguments[PROF_NAME_ARGUMENTS]; /* of the template */
    size_t argument_count;
};
/* function: the text is a demangled function, which may start with its return type; false: a type. */
void prof_split_name(struct prof_text text, bool function, struct prof_name *out);

/* Copies a name; one that does not fit in `size` bytes is cut in the middle.  size: at least 16. */
void prof_fit_name(const char *name, char *out, size_t size);

#endif
