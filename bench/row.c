#include "bench/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/variant.h"

struct bench_block bench_row_block(const struct bench_row *row) {
    if (row->problem.block_x)
        return (struct bench_block){row->problem.block_x, row->problem.block_y};
    return (struct bench_block){row->rung->block_x, row->rung->block_y};
}

bool bench_has_matrix(const struct bench_row *row) {
    const struct bench_matrix *matrix = row->problem.matrix;
    return row->experiment->shape == BENCH_SHAPE_SPARSE && matrix->kind != BENCH_MATRIX_UNEVEN;
}

const char *bench_row_remark(const struct bench_row *row) {
    return row->status == BENCH_PENDING ? "not run: the device failed before"
           : row->note[0]               ? row->note
                                        : NULL;
}

double bench_occupancy_pct(const struct bench_row *row) {
    return row->occupancy.most_warps ? 100.0 * row->occupancy.warps / row->occupancy.most_warps : NAN;
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
