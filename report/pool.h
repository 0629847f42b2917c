/* Memory of one report: taken piece by piece, given back at once.  There is no out-of-memory path: a report
 * is made by a program of its own, which holds no unfinished file until all is made, so it just ends. */
#ifndef WIDELOAD_REPORT_POOL_H
#define WIDELOAD_REPORT_POOL_H

#include <stddef.h>

struct report_pool {
    struct report_piece *pieces; /* NULL: empty */
};

/* Zeroed and aligned for anything; never NULL. */
void *report_alloc(struct report_pool *pool, size_t size);
char *report_format(struct report_pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes over what malloc made (NULL: memory was out). */
char *report_keep(struct report_pool *pool, char *text);
void report_pool_free(struct report_pool *pool);
/* Ends the program in one line. */
_Noreturn void report_out_of_memory(void);

#endif
