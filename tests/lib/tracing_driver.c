#include "tracing_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRING_(text) #text
#define STRING(text)  STRING_(text)

static struct trace_counts counts;

static struct {
#define REAL_FIELD(name, parameters, arguments) __typeof__(name) *name;
    TRACE_MAP(REAL_FIELD)
#undef REAL_FIELD
} real;

struct trace_counts *trace_counts(void);
struct trace_counts *trace_counts(void) {
    return &counts;
}

static void find(const char *name, void *slot) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        fprintf(stderr, "tracing driver: the simulator lacks %s\n", name);
        abort();
    }
    memcpy(slot, &symbol, sizeof(symbol));
}

/* This library needs the simulator's, so that one is already loaded. */
__attribute__((constructor)) static void find_all(void) {
#define REAL_FIND(name, parameters, arguments) find(STRING(name), &real.name);
    TRACE_MAP(REAL_FIND)
#undef REAL_FIND
}

#define FORWARD(name, parameters, arguments)                                                                 \
    CUresult name parameters {                                                                               \
        atomic_fetch_add(&counts.name, 1);                                                                   \
        return real.name arguments;                                                                          \
    }
TRACE_MAP(FORWARD)
#undef FORWARD
