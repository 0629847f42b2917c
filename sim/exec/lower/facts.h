/* Two facts about registers that ptxas acts on, and counters therefore show: an atomic whose result no
 * one reads is a reduction; one whose address and value are the same for all lanes is sent by one lane. */
#ifndef WIDELOAD_SIM_FACTS_H
#define WIDELOAD_SIM_FACTS_H

#include "sim/ptx/ptx.h"

struct facts {
    bool *read;    /* by register index: some instruction reads it */
    bool *varying; /* its lanes may differ, or it cannot be seen that they do not */
};

/* false: out of memory. */
bool facts_find(const struct ptx_function *function, struct facts *out);
void facts_free(struct facts *facts);
/* Whether an operand is the same for all lanes. */
bool facts_uniform(const struct facts *facts, const struct ptx_operand *operand);

#endif
