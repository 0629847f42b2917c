/* Is the simulator right?  Each case is a kernel around one instruction: thread i loads the i-th tuple of
 * operands, executes, and stores every result.  A driver, the GPU's or the simulator, runs all cases on the
 * same operands; h200.txt holds what an H200 answered.
 *
 * cases.c makes the cases of the simulator's own table (sim/exec/lanes/lanes.h), cases_memory.c those of
 * memory instructions; operands.c their operands; module.c the PTX; driver.c runs it; conformance.c is the
 * program.
 */
#ifndef WIDELOAD_CONFORMANCE_H
#define WIDELOAD_CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/ptx/ptx.h"

enum { TUPLES = 4096, BLOCK = 128, SOURCES = 4, RESULTS = 2 };

/* How the operands of a case are chosen; operands.c says what each means. */
enum values {
    VALUES_PLAIN,
    VALUES_SHUFFLE,
    VALUES_VOTE,
    VALUES_MATCH,
    VALUES_REDUCE,
    VALUES_TILES,
    VALUES_SIZE
};

/* The text reads %va, %vb, %vc, %vf and writes %vd and %ve.  It may use %at, the 64-bit address of a slot of
 * the thread's own in global memory that holds %va's 8 bytes before and is the second result after (if
 * .slot); %in, the address of the thread's 8 bytes of the first array; and scratch registers of module.c. */
struct conformance_case {
    char name[80];
    char text[400];
    enum ptx_type result[RESULTS], source[SOURCES]; /* PTX_TYPE_NONE: there is none */
    uint8_t wide_result,
        wide_source; /* bytes of %vd's and %va's register where wider than the type; else 0 */
    enum values values;
    bool slot;
    bool approximate; /* compared within a tolerance, not to the bit */
};

struct case_list {
    struct conformance_case *cases;
    size_t count, capacity;
};

/* Appends a copy of one case; false: out of memory. */
bool case_list_add(struct case_list *list, const struct conformance_case *one);
bool cases_of_table(struct case_list *list);
bool cases_of_memory(struct case_list *list);
/* The instructions across lanes once more, for several groups of lanes in one warp.  To be last: who has them
 * wrong may hang. */
bool cases_of_groups(struct case_list *list);

/* bits[k][i]: operand k of tuple i, zero-extended. */
struct operands {
    uint64_t bits[SOURCES][TUPLES];
};
void operands_fill(const struct conformance_case *one, struct operands *out);

struct results {
    uint64_t bits[RESULTS][TUPLES];
};

/* The text of a module with one kernel, "k<i>", for each of the cases [first, first + count) that is not in
 * skip; first_line[i] is the line on which kernel first + i starts.  To be freed. */
char *module_text(const struct case_list *list, size_t first, size_t count, const bool *skip,
                  unsigned *first_line);

/* One driver library and its first device. */
struct driver;
struct driver *driver_open(const char *library, char *why, size_t why_size);
void driver_close(struct driver *driver);
const char *driver_device(const struct driver *driver);

/* Compiles the cases [first, first + count); refused[i] becomes true where the driver takes no such kernel.
 */
struct driver_module;
struct driver_module *driver_load(struct driver *driver, const struct case_list *list, size_t first,
                                  size_t count, bool *refused);
void driver_unload(struct driver *driver, struct driver_module *module);
/* Runs kernel i (of the whole list).  False: the launch failed, and nothing more can be run. */
bool driver_run(struct driver *driver, struct driver_module *module, size_t i,
                const struct operands *operands, struct results *results);
const char *driver_error(const struct driver *driver);

/* The width of a value's type in bytes; a predicate, 0 or 1, has 1. */
unsigned value_bytes(enum ptx_type type);

#endif
