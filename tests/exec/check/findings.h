/* A session of checks that collects its findings. */
#ifndef WIDELOAD_TESTS_CHECK_FINDINGS_H
#define WIDELOAD_TESTS_CHECK_FINDINGS_H

#include "sim/exec/check/check.h"
#include "tests/exec/harness.h"

enum { MAX_FINDINGS = 256 };

struct findings {
    struct harness h;
    struct sim_finding list[MAX_FINDINGS];
    size_t count;
    char text[8192]; /* all of them, one per line */
};

void findings_open(struct findings *f, const char *ptx_file, unsigned checks);
/* Loads a module from a text instead of the default one; f must be zeroed. */
void findings_load(struct findings *f, const char *text);
/* Continues with other checks, which know nothing of the past. */
void findings_watch(struct findings *f, unsigned checks);
void findings_close(struct findings *f);
void findings_clear(struct findings *f);
/* Allocates device memory; written: marks it as written by the host. */
int *findings_buffer(struct findings *f, size_t ints, bool written);
/* Launches a kernel with parameters (int *a, int *b, int n). */
bool findings_launch(struct findings *f, const char *kernel, unsigned grid, unsigned block, size_t shared,
                     int *a, int *b, int n);

#endif
