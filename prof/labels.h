/* Short names for kernels that tell them apart. */
#ifndef WIDELOAD_PROF_LABELS_H
#define WIDELOAD_PROF_LABELS_H

#include <stdbool.h>
#include <stddef.h>

enum { PROF_LABEL = 128 };

/* labels[i]: of names[i], a demangled name; they are all different.  The function's name, and of its template
 * arguments (else of its parameters, its scope) those that tell it from the others of that name, without
 * their scopes: "DeviceReduceKernel<float, ..>".  Labels of more than PROF_LABEL - 1 bytes are cut, and then
 * may be equal.  False: out of memory. */
bool prof_labels_make(const char *const *names, size_t count, char (*labels)[PROF_LABEL]);

/* Words with mangled names in them, which come out as labels: "kernel _Z1fIiEvi, ..." -> "kernel f<int>,
 * ...".  A name that was cut off, with ".." behind it, is taken for the known one if that begins so; known:
 * mangled, or NULL.  To be freed; NULL: out of memory. */
char *prof_demangle_words(const char *words, const char *known);

#endif
