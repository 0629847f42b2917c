/* One line a row of the table, a header first. */
#include "base/csv_fields.h"
#include "prof/doubts.h"
#include "prof/report.h"

static void put_size(FILE *file, const unsigned size[3]) {
    char text[48];
    snprintf(text, sizeof text, "%ux%ux%u", size[0], size[1], size[2]);
    base_put_text(file, text);
}

static void put_value(FILE *file, const struct prof_metric *metric, const struct prof_row *row) {
    double value = metric->of(&row->sums);
    if (metric->unit == PROF_COUNT || metric->unit == PROF_BYTES)
        base_put_integer(file, true, (uint64_t)value);
    else
        base_put_number(file, true, value);
}

static size_t metric_count(const struct prof_report *report) {
    return report->choices->count ? report->choices->count : prof_metric_count;
}

static struct prof_choice metric_at(const struct prof_report *report, size_t i) {
    if (report->choices->count)
        return report->choices->items[i];
    return (struct prof_choice){&prof_metrics[i], false};
}

/* The metrics that may not be a GPU's. */
static void put_uncertain(FILE *file, const struct prof_report *report, const struct prof_row *row) {
    struct prof_doubted doubted;
    char names[4096] = "";
    size_t used = 0;
    prof_doubted_find(row->lines, row->line_count, &row->sums, &doubted);
    for (size_t i = 0; i < metric_count(report); i++) {
        struct prof_choice choice = metric_at(report, i);
        if (prof_doubts_of(&doubted, &row->sums, choice.metric) && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "",
                                     prof_choice_name(&choice));
    }
    base_put_text(file, names);
}

bool prof_put_csv(FILE *file, const struct prof_report *report) {
    fputs("launches,kernel,grid,block,shared_bytes,arch,faulted", file);
    for (size_t i = 0; i < metric_count(report); i++) {
        struct prof_choice choice = metric_at(report, i);
        base_put_text(file, prof_choice_name(&choice));
    }
    base_put_text(file, "uncertain");
    fputc('\n', file);
    for (size_t r = 0; r < report->rows->count; r++) {
        const struct prof_row *row = &report->rows->items[r];
        fprintf(file, "%zu", row->launch_count);
        base_put_text(file, row->first->name);
        put_size(file, row->first->grid);
        put_size(file, row->first->block);
        base_put_integer(file, true, row->first->shared_bytes);
        base_put_text(file, row->first->arch);
        base_put_text(file, row->faulted ? "true" : "false");
        for (size_t i = 0; i < metric_count(report); i++)
            put_value(file, metric_at(report, i).metric, row);
        put_uncertain(file, report, row);
        fputc('\n', file);
    }
    return true;
}
