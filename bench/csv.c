/* One line a row, a header first; empty where JSON has null; quoted as RFC 4180 says. */
#include "bench/fields.h"
#include "bench/json.h"
#include "bench/variant.h"

static void put_header(FILE *file) {
    fputs("experiment,kernel,peer_library,peer_version,size,offset,stride,block,unroll,rows,cols,nnz,"
          "width,type,fields,order,from_shift,to_shift,batch,"
          "verified,error,skipped,bytes,"
          "time_ms_median,time_ms_iqr,time_ms_min,time_ms_n,time_ms_stop,time_ms_launches,time_ms_replay,"
          "gbps,pct_peak,pct_copy,gops,l2,fits_"
          "l2,occupancy_blocks,occupancy_warps,occupancy_pct,clocks_sm_mhz,clocks_memory_mhz,clocks_throttle",
          file);
#define NAME(name) fputs("," #name, file);
    WL_COUNTER_MAP(NAME)
#undef NAME
    for (size_t i = 0; i < bench_ratio_count; i++)
        fprintf(file, ",%s", bench_ratios[i].name);
    fputs(",device_name,device_kind,device_arch,device_peak_gbps\n", file);
}

static void put_variant(FILE *file, const struct bench_row *row) {
    const struct bench_experiment *experiment = row->experiment;
    const struct wl_problem *problem = &row->problem;
    char fields[80] = "", order[WL_RANK_MAX + 1] = "";
    if (experiment->has_fields)
        bench_fields_text(problem, fields, sizeof fields);
    if (experiment->shape == BENCH_SHAPE_TENSOR)
        bench_order_text(problem, order, sizeof order);
    bench_put_integer(file, experiment->has_width && problem->width, problem->width);
    bench_put_text(file, experiment->has_type ? bench_type_name(problem->type) : "");
    bench_put_text(file, fields);
    bench_put_text(file, order);
    bench_put_integer(file, experiment->has_shift, problem->from_shift);
    bench_put_integer(file, experiment->has_shift, problem->to_shift);
    bench_put_integer(file, experiment->shape == BENCH_SHAPE_BATCH, problem->batch);
}

static void put_params(FILE *file, const struct bench_row *row) {
    enum bench_shape shape = row->experiment->shape;
    bool matrix = shape == BENCH_SHAPE_MATRIX || shape == BENCH_SHAPE_SPARSE || shape == BENCH_SHAPE_BATCH;
    char text[80];
    bench_size_text(row->experiment, &row->problem, text, sizeof text);
    bench_put_text(file, text);
    bench_put_integer(file, row->experiment->has_offset, row->problem.offset);
    bench_put_integer(file, row->experiment->has_stride, row->problem.stride);
    bench_block_text(bench_row_block(row), text, sizeof text);
    bench_put_text(file, text);
    bench_put_integer(file, row->problem.unroll != 0, row->problem.unroll);
    bench_put_integer(file, matrix, row->problem.rows);
    bench_put_integer(file, matrix, row->problem.cols);
    bench_put_integer(file, shape == BENCH_SHAPE_SPARSE, row->problem.nnz);
    put_variant(file, row);
}

static void put_throttle(FILE *file, const struct bench_row *row) {
    const char *name;
    fputc(',', file);
    for (size_t i = 0; row->has_clocks && (name = bench_throttle_name(row->clocks.reasons, i)) != NULL; i++)
        fprintf(file, "%s%s", i ? " " : "", name);
}

static void put_outcome(FILE *file, const struct bench_row *row) {
    static const char *const verified[] = {
        [BENCH_PENDING] = "", [BENCH_VERIFIED] = "true", [BENCH_FAILED] = "false", [BENCH_SKIPPED] = ""};
    bench_put_text(file, verified[row->status]);
    bench_put_text(file, row->status == BENCH_FAILED ? row->note : "");
    bool absent = row->status == BENCH_SKIPPED || row->status == BENCH_PENDING;
    bench_put_text(file, absent ? bench_row_remark(row) : "");
    bench_put_integer(file, true, row->bytes);
    bench_put_number(file, row->has_time, row->time_ms.median);
    bench_put_number(file, row->has_time, row->time_ms.iqr);
    bench_put_number(file, row->has_time, row->time_ms.min);
    bench_put_integer(file, row->has_time, row->time_ms.n);
    bench_put_text(file, row->has_time ? bench_stop_name(row->stop) : "");
    bench_put_integer(file, row->has_time, row->launches);
    bench_put_text(file, !row->has_time ? "" : row->replayed ? "graph" : "launch");
    bench_put_number(file, true, row->gbps);
    bench_put_number(file, true, row->pct_peak);
    bench_put_number(file, true, row->pct_copy);
    bench_put_number(file, true, row->gops);
    bench_put_text(file, row->has_time ? bench_l2_name(row->l2) : "");
    bench_put_text(file, !row->has_time ? "" : row->fits_l2 ? "true" : "false");
    bool occupancy = row->occupancy.most_warps != 0;
    bench_put_integer(file, occupancy, row->occupancy.blocks);
    bench_put_integer(file, occupancy, row->occupancy.warps);
    bench_put_number(file, occupancy, bench_occupancy_pct(row));
    bench_put_number(file, row->has_clocks, row->clocks.sm_mhz);
    bench_put_number(file, row->has_clocks, row->clocks.memory_mhz);
    put_throttle(file, row);
#define VALUE(name) bench_put_integer(file, row->has_counters, row->counters.name);
    WL_COUNTER_MAP(VALUE)
#undef VALUE
    for (size_t i = 0; i < bench_ratio_count; i++)
        bench_put_number(file, row->has_counters, bench_ratios[i].of(&row->counters));
}

bool bench_write_csv(FILE *file, const struct bench_plan *plan) {
    put_header(file);
    for (size_t s = 0; s < plan->section_count; s++)
        for (size_t i = 0; i < plan->sections[s].row_count; i++) {
            const struct bench_row *row = &plan->sections[s].rows[i];
            fputs(row->experiment->name, file);
            bench_put_text(file, row->rung->name);
            bench_put_text(file, row->rung->library ? row->rung->library : "");
            bench_put_text(file, row->library_version);
            put_params(file, row);
            put_outcome(file, row);
            bench_put_text(file, plan->device.name);
            bench_put_text(file, plan->device.kind);
            bench_put_text(file, plan->device.arch);
            bench_put_number(file, plan->peak_gbps > 0, plan->peak_gbps);
            fputc('\n', file);
        }
    return fflush(file) == 0 && !ferror(file);
}
