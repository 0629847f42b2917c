/* CSV: a header, then one line per row, quoted as in RFC 4180.  A field is empty where JSON has null. */
#include "base/csv_fields.h"
#include "base/ratios.h"
#include "bench/json.h"
#include "bench/variant.h"

static void put_header(FILE *file) {
    fputs("experiment,kernel,peer_library,peer_version,size,offset,stride,block,unroll,rows,cols,nnz,"
          "width,type,fields,order,from_shift,to_shift,batch,matrix,gpus,"
          "verified,error,skipped,bytes,"
          "time_ms_median,time_ms_iqr,time_ms_min,time_ms_n,time_ms_stop,time_ms_launches,time_ms_replay,"
          "gbps,pct_peak,pct_copy,gops,l2,fits_"
          "l2,occupancy_blocks,occupancy_warps,occupancy_pct,clocks_sm_mhz,clocks_memory_mhz,clocks_throttle",
          file);
#define NAME(name) fputs("," #name, file);
    WL_COUNTER_MAP(NAME)
#undef NAME
    for (size_t i = 0; i < base_ratio_count; i++)
        fprintf(file, ",%s", base_ratios[i].name);
    fputs(",device_name,device_kind,device_arch,device_peak_gbps\n", file);
}

static void put_variant(FILE *file, const struct bench_row *row) {
    const struct bench_experiment *experiment = row->experiment;
    const struct wl_problem *problem = &row->problem;
    char fields[80] = "", order[WL_RANK_MAX + 1] = "", matrix[80] = "";
    if (experiment->has_fields)
        bench_fields_text(problem, fields, sizeof fields);
    if (experiment->shape == BENCH_SHAPE_TENSOR)
        bench_order_text(problem, order, sizeof order);
    if (bench_has_matrix(row))
        bench_matrix_text(problem->matrix, matrix, sizeof matrix);
    base_put_integer(file, experiment->has_width && problem->width, problem->width);
    base_put_text(file, experiment->has_type ? bench_type_name(problem->type) : "");
    base_put_text(file, fields);
    base_put_text(file, order);
    base_put_integer(file, experiment->has_shift, problem->from_shift);
    base_put_integer(file, experiment->has_shift, problem->to_shift);
    base_put_integer(file, experiment->shape == BENCH_SHAPE_BATCH, problem->batch);
    base_put_text(file, matrix);
    base_put_integer(file, experiment->has_gpus, problem->gpus);
}

static void put_params(FILE *file, const struct bench_row *row) {
    enum bench_shape shape = row->experiment->shape;
    bool matrix = shape == BENCH_SHAPE_MATRIX || shape == BENCH_SHAPE_SPARSE || shape == BENCH_SHAPE_BATCH;
    char text[80];
    bench_size_text(row->experiment, &row->problem, text, sizeof text);
    base_put_text(file, text);
    base_put_integer(file, row->experiment->has_offset, row->problem.offset);
    base_put_integer(file, row->experiment->has_stride, row->problem.stride);
    bench_block_text(bench_row_block(row), text, sizeof text);
    base_put_text(file, text);
    base_put_integer(file, row->problem.unroll != 0, row->problem.unroll);
    base_put_integer(file, matrix, row->problem.rows);
    base_put_integer(file, matrix, row->problem.cols);
    base_put_integer(file, shape == BENCH_SHAPE_SPARSE, row->problem.nnz);
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
    base_put_text(file, verified[row->status]);
    base_put_text(file, row->status == BENCH_FAILED ? row->note : "");
    bool absent = row->status == BENCH_SKIPPED || row->status == BENCH_PENDING;
    base_put_text(file, absent ? bench_row_remark(row) : "");
    base_put_integer(file, true, row->bytes);
    base_put_number(file, row->has_time, row->time_ms.median);
    base_put_number(file, row->has_time, row->time_ms.iqr);
    base_put_number(file, row->has_time, row->time_ms.min);
    base_put_integer(file, row->has_time, row->time_ms.n);
    base_put_text(file, row->has_time ? bench_stop_name(row->stop) : "");
    base_put_integer(file, row->has_time, row->launches);
    base_put_text(file, !row->has_time ? "" : row->replayed ? "graph" : "launch");
    base_put_number(file, true, row->gbps);
    base_put_number(file, true, row->pct_peak);
    base_put_number(file, true, row->pct_copy);
    base_put_number(file, true, row->gops);
    base_put_text(file, row->has_time ? bench_l2_name(row->l2) : "");
    base_put_text(file, !row->has_time ? "" : row->fits_l2 ? "true" : "false");
    bool occupancy = row->occupancy.most_warps != 0;
    base_put_integer(file, occupancy, row->occupancy.blocks);
    base_put_integer(file, occupancy, row->occupancy.warps);
    base_put_number(file, occupancy, bench_occupancy_pct(row));
    base_put_number(file, row->has_clocks, row->clocks.sm_mhz);
    base_put_number(file, row->has_clocks, row->clocks.memory_mhz);
    put_throttle(file, row);
#define VALUE(name) base_put_integer(file, row->has_counters, row->counters.name);
    WL_COUNTER_MAP(VALUE)
#undef VALUE
    for (size_t i = 0; i < base_ratio_count; i++)
        base_put_number(file, row->has_counters, base_ratios[i].of(&row->counters));
}

bool bench_write_csv(FILE *file, const struct bench_plan *plan) {
    put_header(file);
    for (size_t s = 0; s < plan->section_count; s++)
        for (size_t i = 0; i < plan->sections[s].row_count; i++) {
            const struct bench_row *row = &plan->sections[s].rows[i];
            fputs(row->experiment->name, file);
            base_put_text(file, row->rung->name);
            base_put_text(file, row->rung->library ? row->rung->library : "");
            base_put_text(file, row->library_version);
            put_params(file, row);
            put_outcome(file, row);
            base_put_text(file, plan->device.name);
            base_put_text(file, plan->device.kind);
            base_put_text(file, plan->device.arch);
            base_put_number(file, plan->peak_gbps > 0, plan->peak_gbps);
            fputc('\n', file);
        }
    return fflush(file) == 0 && !ferror(file);
}
