#include "bench/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/variant.h"

enum { BANK_BYTES = 4, BANKS = 32, SECTOR_BYTES = 32 };

static double ratio(double scale, uint64_t part, uint64_t whole) {
    return whole ? scale * (double)part / (double)whole : NAN;
}

double bench_gld_efficiency(const wl_counters *c) {
    return ratio(100, c->gld_useful_bytes, c->gld_moved_bytes);
}

double bench_gst_efficiency(const wl_counters *c) {
    return ratio(100, c->gst_useful_bytes, c->gst_moved_bytes);
}

double bench_gld_transactions_per_request(const wl_counters *c) {
    return ratio(1, c->gld_transactions, c->global_load_requests);
}

double bench_gst_transactions_per_request(const wl_counters *c) {
    return ratio(1, c->gst_transactions, c->global_store_requests);
}

double bench_shared_efficiency(const wl_counters *c) {
    uint64_t wavefronts =
        c->shared_load_transactions + c->shared_store_transactions + c->shared_atomic_transactions;
    return ratio(100, c->shared_useful_bytes, wavefronts * BANKS * BANK_BYTES);
}

double bench_bound_pct(const wl_counters *c) {
    uint64_t useful =
        c->gld_useful_bytes + c->gst_useful_bytes + c->bulk_load_useful_bytes + c->bulk_store_useful_bytes;
    uint64_t moved = c->gld_moved_bytes + c->gst_moved_bytes +
                     SECTOR_BYTES * (c->bulk_load_transactions + c->bulk_store_transactions);
    return ratio(100, useful, moved);
}

const struct bench_ratio bench_ratios[] = {
    {"gld_efficiency", bench_gld_efficiency},
    {"gst_efficiency", bench_gst_efficiency},
    {"gld_transactions_per_request", bench_gld_transactions_per_request},
    {"gst_transactions_per_request", bench_gst_transactions_per_request},
    {"shared_efficiency", bench_shared_efficiency},
    {"bound_pct", bench_bound_pct},
};
const size_t bench_ratio_count = sizeof bench_ratios / sizeof *bench_ratios;

struct bench_block bench_row_block(const struct bench_row *row) {
    if (row->problem.block_x)
        return (struct bench_block){row->problem.block_x, row->problem.block_y};
    return (struct bench_block){row->rung->block_x, row->rung->block_y};
}

const char *bench_row_remark(const struct bench_row *row) {
    return row->status == BENCH_PENDING ? "not run: the device failed before"
           : row->note[0]               ? row->note
                                        : NULL;
}

double bench_occupancy_pct(const struct bench_row *row) {
    return ratio(100, row->occupancy.warps, row->occupancy.most_warps);
}

const char *bench_l2_name(enum bench_l2 l2) {
    return l2 == BENCH_L2_HOT ? "hot" : "cold";
}

void bench_block_text(struct bench_block block, char *out, size_t out_size) {
    out[0] = 0;
    if (block.x && block.y > 1)
        snprintf(out, out_size, "%" PRIu32 "x%" PRIu32, block.x, block.y);
    else if (block.x)
        snprintf(out, out_size, "%" PRIu32, block.x);
}

void bench_row_text(const struct bench_row *row, char *out, size_t out_size) {
    char offset[40] = "", stride[40] = "", unroll[40] = "", shift[80] = "", block[40], size[80], variant[160];
    bench_block_text(bench_row_block(row), block, sizeof block);
    bench_size_text(row->experiment, &row->problem, size, sizeof size);
    if (row->experiment->has_offset)
        snprintf(offset, sizeof offset, " offset %" PRIu64, row->problem.offset);
    if (row->experiment->has_stride)
        snprintf(stride, sizeof stride, " stride %" PRIu64, row->problem.stride);
    if (row->problem.unroll)
        snprintf(unroll, sizeof unroll, " unroll %" PRIu32, row->problem.unroll);
    if (row->experiment->has_shift)
        snprintf(shift, sizeof shift, " from-shift %" PRIu64 " to-shift %" PRIu64, row->problem.from_shift,
                 row->problem.to_shift);
    bench_variant_text(row->experiment, &row->problem, variant, sizeof variant);
    snprintf(out, out_size, "%s/%s size %s%s%s%s%s%s%s%s%s", row->experiment->name, row->rung->name, size,
             variant[0] ? " " : "", variant, shift, offset, stride, block[0] ? " block " : "", block, unroll);
}
