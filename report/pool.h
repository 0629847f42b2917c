/* Memory of one report, freed all at once.  Out of memory ends the program: it has no other work, and it
 * opens no output before the report is complete. */
#ifndef WIDELOAD_REPORT_POOL_H
#define WIDELOAD_REPORT_POOL_H

#include <stddef.h>

struct report_pool {
    struct report_piece *pieces; /* NULL: empty */
};

/* Zeroed memory, aligned for any type; never NULL. */
void *report_alloc(struct report_pool *pool, size_t size);
char *report_format(struct report_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes ownership of memory from malloc(); NULL means out of memory. */
char *report_keep(struct report_pool *pool, char *text);
void report_pool_free(struct report_pool *pool);
/* Prints one line and ends the program. */
_Noreturn void report_out_of_memory(void);

#endif
