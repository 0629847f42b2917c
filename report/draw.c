/* Draws all pictures of a report with one run of gnuplot. */
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"

static char *make_script(struct report_picture *pictures, size_t count, struct report_pool *pool) {
    char *text = NULL;
    size_t size;
    FILE *script = open_memstream(&text, &size);
    if (!script)
        report_out_of_memory();
    for (size_t i = 0; i < count; i++)
        if (pictures[i].chart->bars)
            report_script_bars(script, &pictures[i], pool);
        else
            report_script_lines(script, &pictures[i], pool);
    fclose(script);
    return report_keep(pool, text);
}

bool report_draw(struct report_picture *pictures, size_t count, struct report_pool *pool,
                 struct base_error *error) {
    static const char opening[] = "<?xml";
    char *drawn;
    if (!count)
        return true;
    if (!report_gnuplot(make_script(pictures, count, pool), &drawn, pool, error))
        return false;
    const char *at = strstr(drawn, opening);
    for (size_t i = 0; i < count; i++) {
        const char *next = at ? strstr(at + 1, opening) : NULL;
        size_t length = !at ? 0 : next ? (size_t)(next - at) : strlen(at);
        if (!length || !report_svg(&pictures[i], at, length, pool))
            return base_failure(error,
                                "gnuplot drew chart %s in a way that this program does not know; "
                                "version 5.4 is known",
                                pictures[i].chart->id);
        at = next;
    }
    return true;
}
