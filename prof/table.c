#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/ratios.h"
#include "base/text.h"
#include "prof/demangle.h"
#include "prof/doubts.h"
#include "prof/report.h"
#include "prof/waste.h"

enum { CELL = BASE_GRID_CELL, APART = 4 /* columns before the figures of a name with a line of its own */ };

enum column {
    MARK,
    NAME,
    NUMBER,
    DEVICE,
    LAUNCHES,
    GRID,
    BLOCK,
    LD_REQ,
    LD_TRANS,
    LD_EFF,
    ST_REQ,
    ST_TRANS,
    ST_EFF,
    BULK,
    SH_WAVE,
    CONFLICTS,
    LOCAL,
    ATOMICS,
    PEER_LD,
    PEER_ST,
    WARP,
    BRANCH,
    COLUMNS
};

static const struct base_grid_column all_columns[COLUMNS] = {
    [MARK] = {"", BASE_GRID_LEFT | BASE_GRID_HIDE_ZERO},
    [NAME] = {"kernel", BASE_GRID_LEFT | BASE_GRID_CUT | BASE_GRID_INSIDE},
    [NUMBER] = {"#", 0},
    [DEVICE] = {"dev", BASE_GRID_HIDE_ZERO},
    [LAUNCHES] = {"runs", 0},
    [GRID] = {"grid", 0},
    [BLOCK] = {"block", 0},
    [LD_REQ] = {"ld req", 0},
    [LD_TRANS] = {"ld trans", 0},
    [LD_EFF] = {"ld %", 0},
    [ST_REQ] = {"st req", 0},
    [ST_TRANS] = {"st trans", 0},
    [ST_EFF] = {"st %", 0},
    [BULK] = {"bulk", BASE_GRID_HIDE_ZERO},
    [SH_WAVE] = {"sh wave", BASE_GRID_HIDE_ZERO},
    [CONFLICTS] = {"confl", BASE_GRID_HIDE_ZERO},
    [LOCAL] = {"local", BASE_GRID_HIDE_ZERO},
    [ATOMICS] = {"atom", BASE_GRID_HIDE_ZERO},
    [PEER_LD] = {"peer ld", BASE_GRID_HIDE_ZERO},
    [PEER_ST] = {"peer st", BASE_GRID_HIDE_ZERO},
    [WARP] = {"warp %", BASE_GRID_SPARE},
    [BRANCH] = {"br %", BASE_GRID_SPARE},
};

static void put_size(const unsigned size[3], char out[CELL]) {
    int length = snprintf(out, CELL, "%u", size[0]);
    for (int i = 1; i < 3 && (size[1] > 1 || size[2] > 1); i++)
        if (i == 1 || size[2] > 1)
            length += snprintf(out + length, CELL - (size_t)length, "x%u", size[i]);
}

static void put_percentage(double value, char out[CELL]) {
    if (isnan(value))
        out[0] = 0;
    else
        snprintf(out, CELL, value > 99.95 && value < 100 ? "99.9" : "%.3g", value);
}

void prof_row_name(const struct prof_row *row, char *out, size_t size) {
    prof_fit_name(strlen(row->first->name) < size ? row->first->name : row->label, out, size);
}

/* Each column's metrics. */
static const char *const metrics_of[COLUMNS][4] = {
    [LD_REQ] = {"global_load_requests"},
    [LD_TRANS] = {"gld_transactions"},
    [LD_EFF] = {"gld_efficiency"},
    [ST_REQ] = {"global_store_requests"},
    [ST_TRANS] = {"gst_transactions"},
    [ST_EFF] = {"gst_efficiency"},
    [BULK] = {"bulk_load_transactions", "bulk_store_transactions"},
    [SH_WAVE] = {"shared_load_transactions", "shared_store_transactions", "shared_atomic_transactions"},
    [CONFLICTS] = {"shared_ld_bank_conflict", "shared_st_bank_conflict"},
    [LOCAL] = {"local_load_transactions", "local_store_transactions"},
    [ATOMICS] = {"global_atomic_transactions", "global_reduction_transactions"},
    [PEER_LD] = {"peer_load_transactions"},
    [PEER_ST] = {"peer_store_transactions", "peer_atomic_transactions"},
};

/* Whether a figure of the row may not be a GPU's. */
static bool is_doubted(const struct prof_row *row, enum column c) {
    struct prof_doubted doubted;
    if (!row->doubts || !metrics_of[c][0])
        return false;
    prof_doubted_find(row->lines, row->line_count, &row->sums, &doubted);
    for (const char *const *name = metrics_of[c]; *name; name++)
        if (prof_doubts_of(&doubted, &row->sums, prof_metric_named(*name)))
            return true;
    return false;
}

/* The figure of a column of counts. */
static uint64_t count_of(const struct prof_row *row, enum column c) {
    const wl_counters *n = &row->sums.c;
    switch (c) {
    case LAUNCHES:
        return row->launch_count;
    case DEVICE:
        return row->first->device;
    case LD_REQ:
        return n->global_load_requests;
    case LD_TRANS:
        return n->gld_transactions;
    case ST_REQ:
        return n->global_store_requests;
    case ST_TRANS:
        return n->gst_transactions;
    case BULK:
        return n->bulk_load_transactions + n->bulk_store_transactions;
    case SH_WAVE:
        return n->shared_load_transactions + n->shared_store_transactions + n->shared_atomic_transactions;
    case CONFLICTS:
        return row->sums.shared_load_conflicts + row->sums.shared_store_conflicts;
    case LOCAL:
        return n->local_load_transactions + n->local_store_transactions;
    case ATOMICS:
        return n->global_atomic_transactions + n->global_reduction_transactions;
    case PEER_LD:
        return n->peer_load_transactions;
    case PEER_ST:
        return n->peer_store_transactions + n->peer_atomic_transactions;
    default:
        return 0;
    }
}

static void put_figure(const void *context, size_t r, size_t c, bool compact, char out[CELL]) {
    const struct prof_report *report = context;
    const struct prof_row *row = &report->rows->items[r];
    const wl_counters *n = &row->sums.c;
    switch (c) {
    case MARK:
        snprintf(out, CELL, "%s", row == report->rows->worst ? "*" : row->faulted ? "!" : "");
        break;
    case NAME:
        snprintf(out, CELL, "%s", row->label);
        break;
    case NUMBER:
        base_grid_count((uint64_t)(row->launches[0] - report->recording->launches) + 1, false, out);
        break;
    case GRID:
        put_size(row->first->grid, out);
        break;
    case BLOCK:
        put_size(row->first->block, out);
        break;
    case LD_EFF:
        put_percentage(base_gld_efficiency(n), out);
        break;
    case ST_EFF:
        put_percentage(base_gst_efficiency(n), out);
        break;
    case WARP:
        put_percentage(n->inst_executed
                           ? 100.0 * (double)n->thread_inst_executed / (32.0 * (double)n->inst_executed)
                           : NAN,
                       out);
        break;
    case BRANCH:
        put_percentage(row->sums.branches ? 100.0 * (double)(row->sums.branches - row->sums.divergent) /
                                                (double)row->sums.branches
                                          : NAN,
                       out);
        break;
    default:
        base_grid_count(count_of(row, (enum column)c), compact, out);
        break;
    }
}

static void put_cell(const void *context, size_t r, size_t c, bool compact, char out[CELL]) {
    const struct prof_report *report = context;
    put_figure(context, r, c, compact, out);
    if (*out && is_doubted(&report->rows->items[r], (enum column)c)) {
        memmove(out + 1, out, CELL - 1);
        out[0] = '~';
        out[CELL - 1] = 0;
    }
}

void prof_place_text(const struct prof_line *line, char *out, size_t size) {
    if (!line->file) {
        snprintf(out, size, "PTX line %u", line->ptx_line);
        return;
    }
    snprintf(out, size, "%s:%u", base_file_name(line->file), line->line);
}

static void explain_worst(FILE *file, const struct prof_report *report) {
    const struct prof_row *worst = report->rows->worst;
    const struct prof_line *line = worst ? prof_row_worst_line(worst) : NULL;
    if (!line)
        return;
    char place[200], reason[200], name[80], text[800];
    prof_place_text(line, place, sizeof place);
    prof_line_reason(line, reason, sizeof reason);
    prof_fit_name(worst->label, name, sizeof name);
    snprintf(text, sizeof text, "* %s, %s (%s): %s", name, place, line->op, reason);
    base_wrap(file, text, 2, 2);
}

static void explain_columns(FILE *file, const struct prof_report *report, const struct base_grid *grid) {
    static const struct {
        enum column column;
        const char *words;
    } words[] = {
        {LD_REQ, "req: warps' requests; trans: sectors that they move (lines under fermi); ld %, st %: "
                 "useful bytes of "
                 "those moved;"},
        {BULK, "bulk: sectors of bulk copies from and to global memory;"},
        {SH_WAVE, "sh wave: passes through shared memory;"},
        {CONFLICTS, "confl: passes above the least;"},
        {LOCAL, "local: sectors of per-thread memory;"},
        {ATOMICS, "atom: sectors of atomics and reductions;"},
        {PEER_LD, "peer ld: those of the loads that come from another device's memory;"},
        {PEER_ST, "peer st: those of stores, atomics and reductions that go to another device's memory;"},
        {WARP, "warp %: lanes on, br %: branches taken together, over PTX instructions;"},
    };
    char text[1000];
    size_t length = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (grid->shown[words[i].column])
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? " " : "",
                                       words[i].words);
    for (size_t i = 0; i < report->rows->count; i++)
        if (report->rows->items[i].doubts) {
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       " ~: may differ from a GPU's, see the notes;");
            break;
        }
    text[length - 1] = '.';
    base_wrap(file, text, 0, 0);
}

/* Two cells of the name's column, of rows of different kernels. */
static int compare_names(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Whether names that were cut to fit are the same though the kernels' are not.  True when out of memory. */
static bool is_ambiguous(const struct base_grid *grid, const struct prof_rows *rows) {
    const char **cells = calloc(rows->count + 1, sizeof *cells),
               **labels = calloc(rows->count + 1, sizeof *labels);
    size_t different = 0;
    bool result = !cells || !labels;
    if (!result) {
        for (size_t i = 0; i < rows->count; i++)
            labels[i] = rows->items[i].label;
        qsort(labels, rows->count, sizeof *labels, compare_names);
        for (size_t i = 0; i < rows->count; i++) {
            different += i && strcmp(labels[i - 1], labels[i]) != 0;
            cells[i] = base_grid_text(grid, i, NAME);
        }
        qsort(cells, rows->count, sizeof *cells, compare_names);
        for (size_t i = 1; i < rows->count; i++)
            different -= strcmp(cells[i - 1], cells[i]) != 0;
        result = different > 0;
    }
    free(cells);
    free(labels);
    return result;
}

static void put_row(FILE *file, const struct prof_report *report, const struct base_grid *grid, size_t r,
                    bool apart) {
    const struct prof_row *row = &report->rows->items[r];
    if (apart) {
        char mark[CELL], name[BASE_TEXT_COLUMNS];
        int room = base_text_columns(file) - APART / 2 + 1;
        put_cell(report, r, MARK, false, mark);
        prof_fit_name(row->label, name,
                      room < 16                    ? 16
                      : (size_t)room < sizeof name ? (size_t)room
                                                   : sizeof name);
        fprintf(file, "%-*s%s\n%*s", APART / 2, mark, name, APART, "");
    }
    base_grid_put_row(file, grid, r, SIZE_MAX);
}

bool prof_put_table(FILE *file, const struct prof_report *report) {
    struct base_grid_column columns[COLUMNS];
    memcpy(columns, all_columns, sizeof columns);
    static const enum column of_launches[] = {NUMBER, DEVICE, GRID, BLOCK};
    for (size_t i = 0; i < 4; i++)
        columns[of_launches[i]].flags |= report->each ? 0 : BASE_GRID_ABSENT;
    columns[LAUNCHES].flags |= report->each ? BASE_GRID_ABSENT : 0;
    struct base_grid grid = {.columns = columns,
                             .column_count = COLUMNS,
                             .row_count = report->rows->count,
                             .cell = put_cell,
                             .context = report,
                             .line = base_text_columns(file)};
    if (!base_grid_lay_out(&grid))
        return false;
    /* Where a line has no room for names that tell kernels apart, each has a line of its own. */
    bool apart = is_ambiguous(&grid, report->rows);
    if (apart) {
        base_grid_free(&grid);
        columns[MARK].flags |= BASE_GRID_ABSENT;
        columns[NAME].flags |= BASE_GRID_ABSENT;
        grid.line -= APART;
        if (!base_grid_lay_out(&grid))
            return false;
        fprintf(file, "%*skernel\n%*s", APART / 2, "", APART, "");
    }
    base_grid_put_titles(file, &grid);
    for (size_t r = 0; r < grid.row_count; r++)
        put_row(file, report, &grid, r, apart);
    fputc('\n', file);
    explain_worst(file, report);
    explain_columns(file, report, &grid);
    base_grid_free(&grid);
    return true;
}
