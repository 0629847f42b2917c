/* C++ names as they were written. */
#ifndef WIDELOAD_PROF_DEMANGLE_H
#define WIDELOAD_PROF_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* "_Z4copyIfEvPT_PKS0_i" -> "void copy<float>(float*, float const*, int)"; another name, or one that
 * cannot be read here, as it is.  NULL: out of memory.  To be freed. */
char *prof_demangle(const char *name);

enum { PROF_SHORT_NAME = 128 };

/* The name alone: without the return type, the parameters, and the scopes before it: "copy<float>". */
void prof_short_name(const char *demangled, char *out, size_t size);

/* A part of a text. */
struct prof_text {
    const char *at;
    size_t size;
};

/* "void a::f<int, b::c>(float)": scope "a", base "f", arguments "int" and "b::c", tail "(float)". */
enum { PROF_NAME_ARGUMENTS = 30 }; /* the last one stands for all that follow */
struct prof_name {
    struct prof_text scope, base, tail;
    struct prof_text arguments[PROF_NAME_ARGUMENTS]; /* of the template */
    size_t argument_count;
};
/* function: a demangled function's name, which begins with its return type; else a type's. */
void prof_split_name(struct prof_text text, bool function, struct prof_name *out);

/* A name in so many bytes: of one that is longer, its beginning and its end.  size: at least 16. */
void prof_fit_name(const char *name, char *out, size_t size);

#endif
