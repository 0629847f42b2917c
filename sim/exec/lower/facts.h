/* Two facts about registers that ptxas uses, so that they show in counters: an atomic whose result is never
 * read is a reduction, and one with the same address and value in all lanes is sent by one lane. */
#ifndef WIDELOAD_SIM_FACTS_H
#define WIDELOAD_SIM_FACTS_H

#include "sim/ptx/ptx.h"

struct facts {
    bool *read;    /* by register index: some instruction reads it */
    bool *varying; /* its lanes may differ, or are not known to be equal */
};

/* False on out-of-memory. */
bool facts_find(const struct ptx_function *function, struct facts *out);
void facts_free(struct facts *facts);
/* Whether an operand is the same in all lanes. */
bool facts_uniform(const struct facts *facts, const struct ptx_operand *operand);

#endif
