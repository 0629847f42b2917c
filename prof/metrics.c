#include "prof/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/ratios.h"
#include "base/text.h"

enum { LANES = 32 };

/* Every counter but the number of launches, which each row has, is a metric. */
#define COUNTER(name)                                                                                        \
    __attribute__((unused)) static double name(const struct prof_sums *s) {                                  \
        return (double)s->c.name;                                                                            \
    }
WL_COUNTER_MAP(COUNTER)
#undef COUNTER

#define SUM(name, member)                                                                                    \
    static double name(const struct prof_sums *s) {                                                          \
        return (double)s->member;                                                                            \
    }
SUM(branch, branches)
SUM(divergent_branch, divergent)
SUM(shared_ld_bank_conflict, shared_load_conflicts)
SUM(shared_st_bank_conflict, shared_store_conflicts)
#undef SUM

static double ratio(double scale, uint64_t part, uint64_t whole) {
    return whole ? scale * (double)part / (double)whole : NAN;
}

#define RATIO(name, scale, part, whole)                                                                      \
    static double name(const struct prof_sums *s) {                                                          \
        return ratio(scale, part, whole);                                                                    \
    }
RATIO(local_load_transactions_per_request, 1, s->c.local_load_transactions, s->c.local_load_requests)
RATIO(local_store_transactions_per_request, 1, s->c.local_store_transactions, s->c.local_store_requests)
RATIO(shared_load_transactions_per_request, 1, s->c.shared_load_transactions, s->c.shared_load_requests)
RATIO(shared_store_transactions_per_request, 1, s->c.shared_store_transactions, s->c.shared_store_requests)
RATIO(texture_load_transactions_per_request, 1, s->c.texture_load_transactions, s->c.texture_load_requests)
RATIO(atomic_transactions_per_request, 1,
      s->c.global_atomic_transactions + s->c.global_reduction_transactions,
      s->c.global_atomic_requests + s->c.global_reduction_requests)
RATIO(warp_execution_efficiency, 100, s->c.thread_inst_executed, LANES * s->c.inst_executed)
RATIO(threads_per_inst, 1, s->c.thread_inst_executed, s->c.inst_executed)
RATIO(branch_efficiency, 100, s->branches - s->divergent, s->branches)
#undef RATIO

#define SHARED_RATIO(name)                                                                                   \
    static double name(const struct prof_sums *s) {                                                          \
        return base_##name(&s->c);                                                                           \
    }
SHARED_RATIO(gld_efficiency)
SHARED_RATIO(gst_efficiency)
SHARED_RATIO(gld_transactions_per_request)
SHARED_RATIO(gst_transactions_per_request)
SHARED_RATIO(shared_efficiency)
SHARED_RATIO(bound_pct)
#undef SHARED_RATIO

#define L1(rest)     "l1tex__t_" rest ".sum"
#define SHARED(rest) "smsp__sass_l1tex_data_" rest ".sum"

const struct prof_metric prof_metrics[] = {
    {"gld_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", PROF_PERCENT,
     gld_efficiency, "distinct bytes that global loads use, in percent of the bytes that they move"},
    {"gst_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", PROF_PERCENT,
     gst_efficiency, "distinct bytes that global stores write, in percent of the bytes that they move"},
    {"global_load_requests", L1("requests_pipe_lsu_mem_global_op_ld"), PROF_COUNT, global_load_requests,
     "warps' global loads with at least one active lane"},
    {"gld_transactions", L1("sectors_pipe_lsu_mem_global_op_ld"), PROF_COUNT, gld_transactions,
     "sectors (lines under the fermi rules) that global loads move"},
    {"gld_transactions_per_request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     PROF_RATIO, gld_transactions_per_request, "transactions per global load"},
    {"gld_useful_bytes", NULL, PROF_BYTES, gld_useful_bytes, "distinct bytes that global loads use"},
    {"gld_moved_bytes", NULL, PROF_BYTES, gld_moved_bytes, "bytes that global loads move"},
    {"global_store_requests", L1("requests_pipe_lsu_mem_global_op_st"), PROF_COUNT, global_store_requests,
     "warps' global stores with at least one active lane"},
    {"gst_transactions", L1("sectors_pipe_lsu_mem_global_op_st"), PROF_COUNT, gst_transactions,
     "sectors that global stores move"},
    {"gst_transactions_per_request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     PROF_RATIO, gst_transactions_per_request, "transactions per global store"},
    {"gst_useful_bytes", NULL, PROF_BYTES, gst_useful_bytes, "distinct bytes that global stores write"},
    {"gst_moved_bytes", NULL, PROF_BYTES, gst_moved_bytes, "bytes that global stores move"},
    {"bound_pct", NULL, PROF_PERCENT, bound_pct,
     "useful bytes of global loads, stores and bulk copies, in percent of the bytes moved: the share of the "
     "bandwidth that the access pattern can use"},
    {"global_atomic_requests", L1("requests_pipe_lsu_mem_global_op_atom"), PROF_COUNT, global_atomic_requests,
     "warps' global atomics whose old value is used"},
    {"global_atomic_transactions", L1("sectors_pipe_lsu_mem_global_op_atom"), PROF_COUNT,
     global_atomic_transactions, "sectors that global atomics move"},
    {"global_reduction_requests", L1("requests_pipe_lsu_mem_global_op_red"), PROF_COUNT,
     global_reduction_requests, "warps' global atomics whose old value is not used"},
    {"global_reduction_transactions", L1("sectors_pipe_lsu_mem_global_op_red"), PROF_COUNT,
     global_reduction_transactions, "sectors that global reductions move"},
    {"atomic_transactions_per_request", NULL, PROF_RATIO, atomic_transactions_per_request,
     "transactions per global atomic or reduction"},
    {"local_load_requests", L1("requests_pipe_lsu_mem_local_op_ld"), PROF_COUNT, local_load_requests,
     "warps' loads from per-thread memory"},
    {"local_load_transactions", L1("sectors_pipe_lsu_mem_local_op_ld"), PROF_COUNT, local_load_transactions,
     "sectors that local loads move"},
    {"local_load_transactions_per_request", NULL, PROF_RATIO, local_load_transactions_per_request,
     "transactions per local load"},
    {"local_store_requests", L1("requests_pipe_lsu_mem_local_op_st"), PROF_COUNT, local_store_requests,
     "warps' stores to per-thread memory"},
    {"local_store_transactions", L1("sectors_pipe_lsu_mem_local_op_st"), PROF_COUNT, local_store_transactions,
     "sectors that local stores move"},
    {"local_store_transactions_per_request", NULL, PROF_RATIO, local_store_transactions_per_request,
     "transactions per local store"},
    {"texture_load_requests", L1("requests_pipe_tex_mem_texture"), PROF_COUNT, texture_load_requests,
     "groups of 4 or 8 lanes that fetch through textures"},
    {"texture_load_transactions", L1("sectors_pipe_tex_mem_texture"), PROF_COUNT, texture_load_transactions,
     "sectors of the texels that texture fetches need"},
    {"texture_load_transactions_per_request", NULL, PROF_RATIO, texture_load_transactions_per_request,
     "sectors per request"},
    {"shared_load_requests", NULL, PROF_COUNT, shared_load_requests,
     "warps' loads from shared memory; neighbouring loads count as the wide loads that ptxas makes of them"},
    {"shared_load_transactions", SHARED("pipe_lsu_wavefronts_mem_shared_op_ld"), PROF_COUNT,
     shared_load_transactions, "wavefronts that shared loads take"},
    {"shared_load_transactions_per_request", NULL, PROF_RATIO, shared_load_transactions_per_request,
     "wavefronts per shared load"},
    {"shared_ld_bank_conflict", SHARED("bank_conflicts_pipe_lsu_mem_shared_op_ld"), PROF_COUNT,
     shared_ld_bank_conflict, "wavefronts of shared loads beyond the minimum for their lanes and bytes"},
    {"shared_store_requests", NULL, PROF_COUNT, shared_store_requests, "warps' stores to shared memory"},
    {"shared_store_transactions", SHARED("pipe_lsu_wavefronts_mem_shared_op_st"), PROF_COUNT,
     shared_store_transactions, "wavefronts that shared stores take"},
    {"shared_store_transactions_per_request", NULL, PROF_RATIO, shared_store_transactions_per_request,
     "wavefronts per shared store"},
    {"shared_st_bank_conflict", SHARED("bank_conflicts_pipe_lsu_mem_shared_op_st"), PROF_COUNT,
     shared_st_bank_conflict, "wavefronts of shared stores beyond the minimum for their lanes and bytes"},
    {"shared_atomic_requests", NULL, PROF_COUNT, shared_atomic_requests, "warps' atomics on shared memory"},
    {"shared_atomic_transactions", NULL, PROF_COUNT, shared_atomic_transactions,
     "wavefronts that shared atomics take"},
    {"shared_useful_bytes", NULL, PROF_BYTES, shared_useful_bytes, "distinct bytes that shared accesses use"},
    {"shared_efficiency", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct", PROF_PERCENT,
     shared_efficiency, "distinct bytes that shared accesses use, in percent of 128 per wavefront"},
    {"dshared_load_requests", L1("requests_pipe_lsu_mem_dshared_op_ld"), PROF_COUNT, dshared_load_requests,
     "warps' loads from shared memory of other blocks of the cluster"},
    {"dshared_load_transactions", L1("sectors_pipe_lsu_mem_dshared_op_ld"), PROF_COUNT,
     dshared_load_transactions, "sectors that loads from other blocks' shared memory move"},
    {"dshared_store_requests", L1("requests_pipe_lsu_mem_dshared_op_st"), PROF_COUNT, dshared_store_requests,
     "warps' stores to shared memory of other blocks of the cluster"},
    {"dshared_store_transactions", L1("sectors_pipe_lsu_mem_dshared_op_st"), PROF_COUNT,
     dshared_store_transactions, "sectors that stores to other blocks' shared memory move"},
    {"dshared_atomic_requests", L1("requests_pipe_lsu_mem_dshared_op_atom"), PROF_COUNT,
     dshared_atomic_requests,
     "warps' atomics and reductions on shared memory of other blocks of the cluster"},
    {"dshared_atomic_transactions", L1("sectors_pipe_lsu_mem_dshared_op_atom"), PROF_COUNT,
     dshared_atomic_transactions, "sectors that atomics on other blocks' shared memory move"},
    {"bulk_load_requests", "smsp__sass_inst_executed_op_tma_ld.sum", PROF_COUNT, bulk_load_requests,
     "lanes' bulk copies from global to shared memory"},
    {"bulk_load_transactions", "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", PROF_COUNT,
     bulk_load_transactions, "sectors that bulk loads move, once for each block that receives them"},
    {"bulk_load_useful_bytes", NULL, PROF_BYTES, bulk_load_useful_bytes,
     "bytes that bulk loads copy to blocks"},
    {"bulk_store_requests", "smsp__sass_inst_executed_op_tma_st.sum", PROF_COUNT, bulk_store_requests,
     "lanes' bulk copies from shared to global memory"},
    {"bulk_store_transactions", "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum", PROF_COUNT,
     bulk_store_transactions, "sectors that bulk stores move"},
    {"bulk_store_useful_bytes", NULL, PROF_BYTES, bulk_store_useful_bytes, "bytes that bulk stores write"},
    {"dshared_bulk_requests", "smsp__sass_inst_executed_op_dshared_tma_st.sum", PROF_COUNT,
     dshared_bulk_requests, "lanes' bulk copies to shared memory of blocks of the cluster"},
    {"dshared_bulk_transactions", "l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_tma_st.sum", PROF_COUNT,
     dshared_bulk_transactions, "sectors that bulk copies within the cluster move"},
    {"peer_load_requests", NULL, PROF_COUNT, peer_load_requests,
     "global and bulk loads of which a part comes from another device's memory"},
    {"peer_load_transactions", NULL, PROF_COUNT, peer_load_transactions,
     "sectors that loads move from other devices' memory"},
    {"peer_store_requests", NULL, PROF_COUNT, peer_store_requests,
     "global and bulk stores of which a part goes to another device's memory"},
    {"peer_store_transactions", NULL, PROF_COUNT, peer_store_transactions,
     "sectors that stores move to other devices' memory"},
    {"peer_atomic_requests", NULL, PROF_COUNT, peer_atomic_requests,
     "global atomics and reductions of which a part goes to another device's memory"},
    {"peer_atomic_transactions", NULL, PROF_COUNT, peer_atomic_transactions,
     "sectors that atomics and reductions move to other devices' memory"},
    {"inst_executed", "smsp__inst_executed.sum", PROF_COUNT, inst_executed,
     "PTX instructions that warps ran"},
    {"thread_inst_executed", "smsp__thread_inst_executed.sum", PROF_COUNT, thread_inst_executed,
     "PTX instructions that threads ran"},
    {"warp_execution_efficiency", "smsp__thread_inst_executed_per_inst_executed.pct", PROF_PERCENT,
     warp_execution_efficiency, "active lanes in percent of 32, averaged over PTX instructions"},
    {"threads_per_inst", "smsp__thread_inst_executed_per_inst_executed.ratio", PROF_RATIO, threads_per_inst,
     "active lanes, averaged over PTX instructions"},
    {"branch", "smsp__sass_branch_targets.sum", PROF_COUNT, branch, "branches that warps executed, in PTX"},
    {"divergent_branch", "smsp__sass_branch_targets_threads_divergent.sum", PROF_COUNT, divergent_branch,
     "branches at which a warp's lanes diverged"},
    {"branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct", PROF_PERCENT,
     branch_efficiency, "branches at which a warp's lanes stayed together, in percent"},
};
const size_t prof_metric_count = sizeof prof_metrics / sizeof *prof_metrics;

enum { METRICS = sizeof prof_metrics / sizeof *prof_metrics };

const struct prof_metric *prof_metric_named(const char *name) {
    const struct prof_metric *metric = prof_metrics;
    while (strcmp(metric->name, name) != 0)
        metric++;
    return metric;
}

const struct prof_metric *prof_metric_find(const char *what, const char *name, size_t length,
                                           struct base_error *error) {
    const char *names[2 * METRICS];
    size_t count = 0;
    for (size_t i = 0; i < METRICS; i++) {
        const struct prof_metric *m = &prof_metrics[i];
        const char *both[] = {m->name, m->ncu};
        for (int n = 0; n < 2; n++) {
            if (!both[n])
                continue;
            if (strlen(both[n]) == length && memcmp(both[n], name, length) == 0)
                return m;
            names[count++] = both[n];
        }
    }
    char wanted[100];
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    const char *near = base_nearest(wanted, names, count);
    base_usage(error, "%s: unknown metric '%s'%s%s%s; see --metrics help", what, wanted,
               near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

static bool add(struct prof_choices *choices, const struct prof_metric *metric, bool ncu) {
    struct prof_choice *items = realloc(choices->items, (choices->count + 1) * sizeof *items);
    if (!items)
        return false;
    choices->items = items;
    choices->items[choices->count++] = (struct prof_choice){metric, ncu};
    return true;
}

bool prof_choices_parse(const char *list, struct prof_choices *out, struct base_error *error) {
    if (strcmp(list, "all") == 0) {
        for (size_t i = 0; i < METRICS; i++)
            if (!add(out, &prof_metrics[i], false))
                return base_failure(error, "out of memory");
        return true;
    }
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        if (!length)
            return base_usage(error, "--metrics: '%.80s' has an empty name; separate names by one comma",
                              list);
        const struct prof_metric *metric = prof_metric_find("--metrics", name, length, error);
        if (!metric)
            return false;
        bool ncu = strlen(metric->name) != length || memcmp(metric->name, name, length) != 0;
        if (!add(out, metric, ncu))
            return base_failure(error, "out of memory");
        name += length;
        if (!*name)
            return true;
    }
}

void prof_choices_free(struct prof_choices *choices) {
    free(choices->items);
    *choices = (struct prof_choices){0};
}

const char *prof_choice_name(const struct prof_choice *choice) {
    return choice->ncu ? choice->metric->ncu : choice->metric->name;
}

void prof_value_text(const struct prof_metric *metric, double value, char *out, size_t size) {
    if (isnan(value))
        snprintf(out, size, "n/a");
    else if (metric->unit == PROF_COUNT || metric->unit == PROF_BYTES)
        snprintf(out, size, "%.0f", value);
    else
        snprintf(out, size, metric->unit == PROF_PERCENT ? "%.2f%%" : "%.6g", value);
}

void prof_metrics_help(FILE *file) {
    fputs("Metrics (--metrics takes names of either kind, separated by commas, or `all`):\n", file);
    for (size_t i = 0; i < METRICS; i++) {
        const struct prof_metric *m = &prof_metrics[i];
        fprintf(file, "\n  %s\n", m->name);
        if (m->ncu)
            fprintf(file, "  %s\n", m->ncu);
        base_wrap(file, m->meaning, 6, 0);
    }
}
