/* Shared by the tests of graphs and of capture: a loaded module, four words of memory, and helpers to make,
 * run and inspect a graph.  Any failure here fails the test. */
#ifndef WIDELOAD_TESTS_DRIVER_GRAPHS_H
#define WIDELOAD_TESTS_DRIVER_GRAPHS_H

#include "tests/cuda/api.h"

extern CUfunction store_at, no_parameters; /* store_at(int *to, int value) */
extern CUdeviceptr word;                   /* the first of four */

/* api_setup(), plus the above; undone by api_teardown(). */
int graphs_setup(void **state);

int read_word(unsigned index);
void write_word(unsigned index, int value);
/* Adds a node that stores a value; the parameters are copied. */
CUgraphNode add_store(CUgraph graph, const CUgraphNode *dependencies, size_t count, unsigned index,
                      int value);
CUgraph create_graph(void);
CUgraphExec instantiate(CUgraph graph);
void launch_once(CUgraph graph);
size_t count_nodes(CUgraph graph);
/* A host function: adds to the int at data. */
void add_one(void *data);

#endif
