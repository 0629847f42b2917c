/* Is the simulator correct?  Each case is a kernel around one instruction: thread i loads the i-th tuple of
 * operands, executes, and stores every result.  A driver, the GPU's or the simulator, runs all cases on the
 * same operands; h200.txt has an H200's results.
 *
 * cases.c makes the cases for the simulator's own table (sim/exec/lanes/lanes.h), cases_memory.c those for
 * memory instructions; operands.c makes operands, module.c the PTX; driver.c runs it; conformance.c is the
 * program.
 */
#ifndef WIDELOAD_CONFORMANCE_H
#define WIDELOAD_CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/ptx/ptx.h"

enum { TUPLES = 4096, BLOCK = 128, SOURCES = 4, RESULTS = 2 };

/* How a case's operands are chosen; operands.c describes each way. */
enum values {
    VALUES_PLAIN,
    VALUES_SHUFFLE,
    VALUES_VOTE,
    VALUES_MATCH,
    VALUES_REDUCE,
    VALUES_TILES,
    VALUES_SIZE
};

/* The text reads %va, %vb, %vc, %vf and writes %vd and %ve.  It may use %at, the 64-bit address of the
 * thread's own slot in global memory, which holds %va's 8 bytes before and is the second result after (if
 * .slot); %in, the address of the thread's 8 bytes of the first array; and scratch registers of module.c. */
struct conformance_case {
    char name[80];
    char text[400];
    enum ptx_type result[RESULTS], source[SOURCES]; /* PTX_TYPE_NONE: none */
    uint8_t wide_result,
        wide_source; /* bytes of %vd's and %va's register if it is wider than the type; otherwise 0 */
    enum values values;
    bool slot;
    bool approximate; /* compared within a tolerance, not to the bit */
};

struct case_list {
    struct conformance_case *cases;
    size_t count, capacity;
};

/* Appends a copy of one case; false on out-of-memory. */
bool case_list_add(struct case_list *list, const struct conformance_case *one);
bool cases_of_table(struct case_list *list);
bool cases_of_memory(struct case_list *list);
/* Repeats the instructions across lanes, for several groups of lanes in one warp.  Must be last: a device
 * that has them wrong may hang. */
bool cases_of_groups(struct case_list *list);

/* bits[k][i]: operand k of tuple i, zero-extended. */
struct operands {
    uint64_t bits[SOURCES][TUPLES];
};
void operands_fill(const struct conformance_case *one, struct operands *out);

struct results {
    uint64_t bits[RESULTS][TUPLES];
};

/* Returns the text of a module with one kernel, "k<i>", for each case in [first, first + count) that is not
 * in skip; first_line[i] is the first line of kernel first + i.  The caller frees it. */
char *module_text(const struct case_list *list, size_t first, size_t count, const bool *skip,
                  unsigned *first_line);

/* One driver library and its first device. */
struct driver;
struct driver *driver_open(const char *library, char *why, size_t why_size);
void driver_close(struct driver *driver);
const char *driver_device(const struct driver *driver);

/* Compiles the cases [first, first + count); refused[i] becomes true if the driver refuses that kernel. */
struct driver_module;
struct driver_module *driver_load(struct driver *driver, const struct case_list *list, size_t first,
                                  size_t count, bool *refused);
void driver_unload(struct driver *driver, struct driver_module *module);
/* Runs kernel i (of the whole list).  False: the launch failed, and no more kernels can run. */
bool driver_run(struct driver *driver, struct driver_module *module, size_t i,
                const struct operands *operands, struct results *results);
const char *driver_error(const struct driver *driver);

/* The size of a value's type in bytes; 1 for a predicate, which is 0 or 1. */
unsigned value_bytes(enum ptx_type type);

#endif
