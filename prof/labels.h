/* Short and distinct names for kernels. */
#ifndef WIDELOAD_PROF_LABELS_H
#define WIDELOAD_PROF_LABELS_H

#include <stdbool.h>
#include <stddef.h>

enum { PROF_LABEL = 128 };

/* labels[i] is the label of names[i], a demangled name; names must differ.  A label is the function's name
 * with those template arguments (else parameters or scope) that distinguish it from others of that name,
 * without their scopes: "DeviceReduceKernel<float, ..>".  Labels are cut to PROF_LABEL - 1 bytes and then may
 * be equal.  False: out of memory. */
bool prof_labels_make(const char *const *names, size_t count, char (*labels)[PROF_LABEL]);

/* Replaces mangled names in a text by labels: "kernel _Z1fIiEvi, ..." -> "kernel f<int>, ...".  A truncated
 * name, with ".." after it, is replaced if `known` (mangled, or NULL) starts with it.  The caller frees the
 * result.  NULL: out of memory. */
char *prof_demangle_words(const char *words, const char *known);

#endif
