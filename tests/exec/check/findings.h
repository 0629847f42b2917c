/* A session of checks that keeps what it finds. */
#ifndef WIDELOAD_TESTS_CHECK_FINDINGS_H
#define WIDELOAD_TESTS_CHECK_FINDINGS_H

#include "sim/exec/check/check.h"
#include "tests/exec/harness.h"

enum { MAX_FINDINGS = 256 };

struct findings {
    struct harness h;
    struct sim_finding list[MAX_FINDINGS];
    size_t count;
    char text[8192]; /* all of them, a line each */
};

void findings_open(struct findings *f, const char *ptx_file, unsigned checks);
/* A module from a text instead of the one there is; f is all zeros at first. */
void findings_load(struct findings *f, const char *text);
/* With other checks, which know nothing of what was before. */
void findings_watch(struct findings *f, unsigned checks);
void findings_close(struct findings *f);
void findings_clear(struct findings *f);
/* Device memory; written: as the host's copies leave it. */
int *findings_buffer(struct findings *f, size_t ints, bool written);
/* A kernel of (int *a, int *b, int n). */
bool findings_launch(struct findings *f, const char *kernel, unsigned grid, unsigned block, size_t shared,
                     int *a, int *b, int n);

#endif
