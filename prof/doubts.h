/* Figures that may not be a GPU's: which metrics owe their values to instructions that the simulator is in
 * doubt about, and why.  docs/counters.md has the reasons, and how often they were right. */
#ifndef WIDELOAD_PROF_DOUBTS_H
#define WIDELOAD_PROF_DOUBTS_H

#include "prof/metrics.h"
#include "prof/recording.h"

enum { PROF_DOUBTS = 12 };

struct prof_doubt {
    const char *name;  /* in records and reports */
    const char *words; /* what is in doubt: the end of a sentence */
};
extern const struct prof_doubt prof_doubts[PROF_DOUBTS];

/* A doubt's bit, by its name in a record.  The last bit stands for names that are not known. */
unsigned prof_doubt_bit(const char *name);

/* Sums as they might be, had each doubt its way. */
struct prof_doubted {
    unsigned bits; /* of the doubts that the lines have */
    struct prof_sums sums[PROF_DOUBTS];
};
void prof_doubted_find(const struct prof_line *lines, size_t count, const struct prof_sums *sums,
                       struct prof_doubted *out);
/* The bits of the doubts that the metric's value may owe something to; 0: it stands. */
unsigned prof_doubts_of(const struct prof_doubted *doubted, const struct prof_sums *sums,
                        const struct prof_metric *metric);

/* "lanes order": the names of the bits' doubts, apart by single spaces. */
void prof_doubts_text(unsigned bits, char *out, size_t size);

#endif
