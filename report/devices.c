/* The cards with the device, the program and the time of the measurements. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/page.h"

static void item(FILE *out, const char *name, const char *text) {
    if (!text || !*text)
        return;
    fputs("<div><dt>", out);
    base_html(out, name);
    fputs("</dt><dd>", out);
    base_html(out, text);
    fputs("</dd></div>\n", out);
}

static const char *bytes_text(double bytes, struct report_pool *pool) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 4; unit++)
        bytes /= 1024;
    return isnan(bytes) ? NULL : report_format(pool, "%.4g %s", bytes, units[unit]);
}

static const char *driver_text(double version, struct report_pool *pool) {
    int number = version >= 1000 && version < 1e6 ? (int)version : 0;
    return number ? report_format(pool, "CUDA %d.%d", number / 1000, number % 1000 / 10) : NULL;
}

static const char *megahertz(double value, struct report_pool *pool) {
    return isnan(value) ? NULL : report_format(pool, "%.0f MHz", value);
}

static void put_device(FILE *out, const struct report_device *device, struct report_pool *pool) {
    bool simulator = report_is_simulator(device);
    item(out, simulator ? "Counting rules" : "Architecture", device->arch);
    item(out, "Kind", simulator ? "simulator: it counts, and has no time" : "GPU");
    item(out, "Theoretical peak",
         isnan(device->peak_gbps) ? (simulator ? NULL : "not known")
                                  : report_format(pool, "%.0f GB/s", device->peak_gbps));
    item(out, "Memory", bytes_text(device->memory_bytes, pool));
    item(out, "L2 cache", bytes_text(device->l2_bytes, pool));
    item(out, "Multiprocessors",
         isnan(device->multiprocessors) ? NULL : report_format(pool, "%.0f", device->multiprocessors));
    item(out, "Highest clocks",
         isnan(device->sm_mhz_max)
             ? NULL
             : report_format(pool, "%s, memory %s", megahertz(device->sm_mhz_max, pool),
                             isnan(device->memory_mhz_max) ? "not known"
                                                           : megahertz(device->memory_mhz_max, pool)));
    item(out, "Driver", driver_text(device->driver_version, pool));
}

/* Makes each word unbreakable: a browser may break a line within "--json". */
static void put_words(FILE *out, const char *text) {
    for (const char *end; *text; text = end) {
        end = text + strspn(text, " ");
        size_t length = strcspn(end, " ");
        if (length) {
            fputs(" <span>", out);
            report_htmlf(out, "%.*s", (int)length, end);
            fputs("</span>", out);
        }
        end += length;
    }
}

static void put_file(FILE *out, const struct report_results *file, struct report_pool *pool) {
    size_t verified = 0, failed = 0, skipped = 0, throttled = 0;
    for (size_t i = 0; i < file->row_count; i++) {
        verified += file->rows[i].status == REPORT_VERIFIED;
        failed += file->rows[i].status == REPORT_FAILED;
        skipped += file->rows[i].status == REPORT_SKIPPED;
        throttled += file->rows[i].throttle != NULL;
    }
    fputs("<li><span class=\"file\">", out);
    /* The page is read on other machines, where folders mean nothing. */
    base_html(out, base_file_name(file->path));
    fputs("</span> ", out);
    report_htmlf(out, "%s%sby wideload %s: %zu rows, %zu verified", file->date ? file->date : "",
                 file->date ? ", " : "", file->version, file->row_count, verified);
    if (failed)
        fprintf(out, ", <strong class=\"bad\">%zu failed</strong>", failed);
    if (skipped)
        fprintf(out, ", %zu skipped", skipped);
    if (throttled)
        fprintf(out, ", %zu throttled", throttled);
    if (file->cpu || file->cores > 0)
        report_htmlf(out, "; host %s%s%s", file->cpu ? file->cpu : "",
                     file->cpu && file->cores > 0 ? ", " : "",
                     file->cores > 0 ? report_format(pool, "%.0f cores", file->cores) : "");
    if (file->seed >= 0)
        report_htmlf(out, "; seed %.0f", file->seed);
    if (file->command) {
        fputs("<br><code>wideload", out);
        put_words(out, file->command);
        fputs("</code>", out);
    }
    fputs("</li>\n", out);
}

static void put_card(FILE *out, const char *heading, const struct report_results *files, size_t count,
                     struct report_pool *pool) {
    struct report_device device = files[0].device;
    for (size_t i = 1; i < count && isnan(device.peak_gbps); i++)
        device.peak_gbps = files[i].device.peak_gbps;
    fputs("<div class=\"card\">\n<p class=\"role\">", out);
    base_html(out, heading);
    fputs("</p>\n<h3>", out);
    base_html(out, device.name);
    fputs("</h3>\n<dl>\n", out);
    put_device(out, &device, pool);
    fputs("</dl>\n<ul class=\"files\">\n", out);
    for (size_t i = 0; i < count; i++)
        put_file(out, &files[i], pool);
    fputs("</ul>\n</div>\n", out);
}

void report_put_devices(FILE *out, const struct report_data *data, struct report_pool *pool) {
    fputs("<section aria-labelledby=\"in_the_device\">\n"
          "<h2 id=\"in_the_device\">Device</h2>\n<div class=\"cards\">\n",
          out);
    put_card(out, data->simulator ? "Counted on" : "Measured on", data->files, data->file_count, pool);
    if (data->counter_file_count)
        put_card(out, "Counters beside it from", data->counter_files, data->counter_file_count, pool);
    fputs("</div>\n", out);
    if (data->replaced)
        fprintf(
            out,
            "<p class=\"note\">%zu row%s measured in more than one file: the last file's stand here.</p>\n",
            data->replaced, data->replaced == 1 ? " was" : "s were");
    fputs("</section>\n", out);
}
