/* Moves matrices between memory and registers: wmma.load and .store, ldmatrix, stmatrix; movmatrix.
 *
 * They are counted as the instructions that ptxas makes of them, as far as known.  ldmatrix and stmatrix are
 * one request with 16 bytes per row; 8 rows (one matrix) are one wavefront if their banks differ.  wmma.load
 * and .store are inferred from ptxas's code for global memory on sm_90.  They are one access per register if
 * its elements (of an accumulator: its pairs of elements) are contiguous in memory.  A core of other halves
 * is one access, then transposed between the lanes.  Otherwise there is one access per element. */
#include <string.h>

#include "sim/exec/handlers.h"
#include "sim/exec/matrix/matrix.h"
#include "sim/exec/memory/access.h"

/* Checks and counts an access, and finds each lane's bytes; NULL for a lane that the checks removed. */
static void find_lanes(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                       const struct sim_lanes *all, char *at[SIM_LANES]) {
    unsigned bytes = op->width * op->count;
    for (uint32_t left = all->mask; left;) {
        struct sim_lanes lanes = *all;
        enum sim_space space = op->space;
        if (space == SIM_SPACE_GENERIC)
            space = sim_lanes_take_window(w, &lanes, all, &left);
        else
            left = 0;
        if (space != SIM_SPACE_GLOBAL && space != SIM_SPACE_SHARED)
            sim_fault_raise(w, in, lanes.first, SIM_FAULT_ADDRESS, all->address[lanes.first],
                            "matrices lie in global or shared memory, not in local memory or parameters");
        for (unsigned i = 0; i < SIM_LANES; i++)
            if (lanes.mask >> i & 1)
                at[i] = NULL;
        if (!sim_access(w, in, op, space, &lanes, bytes))
            continue;
        char *base = space == SIM_SPACE_SHARED ? w->block->shared : NULL;
        for (uint32_t m = lanes.mask; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            at[i] = base ? base + lanes.address[i] : (char *)(uintptr_t)lanes.address[i];
        }
    }
}

/* Keeps only the lanes of mask. */
static void keep_lanes(struct sim_lanes *lanes, uint32_t mask) {
    lanes->mask &= mask;
    if (!lanes->mask)
        return;
    lanes->first = (unsigned)__builtin_ctz(lanes->mask);
    for (unsigned i = 0; i < SIM_LANES; i++)
        if (!(lanes->mask >> i & 1))
            lanes->address[i] = lanes->address[lanes->first];
}

/* ---------------------------------------------------------------- ldmatrix, stmatrix, movmatrix */

/* A matrix's halves, row by row, to and from the lanes' words. */
static unsigned half_of(bool transpose, unsigned lane, unsigned which) {
    unsigned major = lane / 4, minor = 2 * (lane % 4) + which;
    return transpose ? 8 * minor + major : 8 * major + minor;
}

static void find_rows(struct sim_warp *w, const struct sim_insn *in, const struct sim_matrix_rows *m,
                      char *at[SIM_LANES]) {
    unsigned rows = 8u * m->matrices;
    struct sim_lanes lanes;
    sim_lanes_fill(w, &m->op, in->a, &lanes);
    keep_lanes(&lanes, rows == SIM_LANES ? SIM_ALL_LANES : (1u << rows) - 1);
    memset(at, 0, SIM_LANES * sizeof *at);
    if (lanes.mask)
        find_lanes(w, in, &m->op, &lanes, at);
}

const struct sim_insn *sim_run_load_rows(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_matrix_rows *m = in->extra;
    char *at[SIM_LANES];
    find_rows(w, in, m, at);
    uint32_t result[4][SIM_LANES];
    for (unsigned matrix = 0; matrix < m->matrices; matrix++) {
        uint16_t halves[64] = {0}; /* for rows whose lanes do not exist */
        for (unsigned row = 0; row < 8; row++)
            if (at[8 * matrix + row])
                memcpy(halves + 8 * row, at[8 * matrix + row], 16);
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            result[matrix][lane] = (uint32_t)halves[half_of(m->transpose, lane, 0)] |
                                   (uint32_t)halves[half_of(m->transpose, lane, 1)] << 16;
    }
    for (unsigned matrix = 0; matrix < m->matrices; matrix++) {
        uint32_t *d = SIM_SLOT(w, m->reg[matrix]);
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            d[lane] = w->mask >> lane & 1 ? result[matrix][lane] : d[lane];
    }
    return in + 1;
}

static void to_halves(const uint32_t *words, bool transpose, uint16_t *halves) {
    for (unsigned lane = 0; lane < SIM_LANES; lane++)
        for (unsigned which = 0; which < 2; which++)
            halves[half_of(transpose, lane, which)] = (uint16_t)(words[lane] >> 16 * which);
}

const struct sim_insn *sim_run_store_rows(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_matrix_rows *m = in->extra;
    char *at[SIM_LANES];
    find_rows(w, in, m, at);
    for (unsigned matrix = 0; matrix < m->matrices; matrix++) {
        uint16_t halves[64];
        to_halves(SIM_SLOT(w, m->reg[matrix]), m->transpose, halves);
        for (unsigned row = 0; row < 8; row++)
            if (at[8 * matrix + row])
                memcpy(at[8 * matrix + row], halves + 8 * row, 16);
    }
    return in + 1;
}

const struct sim_insn *sim_run_transpose(struct sim_warp *w, const struct sim_insn *in) {
    uint16_t halves[64];
    uint32_t *d = SIM_SLOT(w, in->d);
    to_halves(SIM_SLOT(w, in->a), true, halves);
    for (unsigned lane = 0; lane < SIM_LANES; lane++)
        if (w->mask >> lane & 1)
            d[lane] = (uint32_t)halves[half_of(false, lane, 0)] | (uint32_t)halves[half_of(false, lane, 1)]
                                                                      << 16;
    return in + 1;
}

/* ---------------------------------------------------------------- wmma.load, wmma.store */

/* The byte offset of an element from the matrix's start.  Lines are rows, or columns if by_column is set; B's
 * fragment is that of its transpose. */
static uint64_t element_offset(const struct sim_matrix_move *m, unsigned place, uint64_t stride) {
    uint64_t row = place / m->fragment.columns, column = place % m->fragment.columns;
    bool row_is_line = (m->matrix == 'b') == m->by_column;
    uint64_t index = row_is_line ? row * stride + column : column * stride + row;
    return index * m->fragment.bits / 8;
}

static void find_elements(struct sim_warp *w, const struct sim_insn *in, const struct sim_matrix_move *m,
                          const struct sim_matrix_access *access, const struct sim_lanes *base,
                          const uint32_t *stride, char *at[SIM_LANES]) {
    struct sim_lanes lanes = *base;
    bool accumulator = m->matrix == 'c';
    for (unsigned i = 0; i < SIM_LANES; i++) {
        unsigned place = accumulator ? m->fragment.at[access->first][i]
                                     : m->fragment.at[access->reg][i] + access->first * m->fragment.step;
        if (access->across) {
            unsigned line = m->fragment.columns, row = place / line, column = place % line;
            place = (row - i / 4 + 2 * (i % 4)) * line + column - 2 * (i % 4) + i / 4;
        }
        lanes.address[i] += element_offset(m, place, stride ? stride[i] : m->tight);
    }
    keep_lanes(&lanes, SIM_ALL_LANES);
    find_lanes(w, in, &access->op, &lanes, at);
}

/* The address of an element in a lane's register, and its size. */
static char *element_in(struct sim_warp *w, const struct sim_matrix_move *m, unsigned reg, unsigned element,
                        unsigned lane) {
    const struct sim_fragment *f = &m->fragment;
    if (f->bits == 64)
        return (char *)((uint64_t *)SIM_SLOT(w, f->reg[reg]) + lane);
    return (char *)((uint32_t *)SIM_SLOT(w, f->reg[reg]) + lane) + element * f->bits / 8;
}

/* The n-th half of a lane's word in a transposed core: it belongs to another lane's access. */
static char *across_at(char *const at[SIM_LANES], unsigned lane, unsigned n) {
    unsigned row = lane / 4, column = 2 * (lane % 4) + n;
    char *word = at[4 * column + row / 2];
    return word ? word + 2 * (row % 2) : NULL;
}

static void move_elements(struct sim_warp *w, const struct sim_matrix_move *m,
                          const struct sim_matrix_access *access, char *const at[SIM_LANES], bool load) {
    const struct sim_fragment *f = &m->fragment;
    bool accumulator = m->matrix == 'c';
    unsigned bytes = access->op.width * access->op.count;
    unsigned each = accumulator || access->across ? bytes / access->count : bytes;
    unsigned in_register = f->bits == 16 ? 2 : 1; /* elements per register of an accumulator */
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        for (unsigned n = 0; n < bytes / each; n++) {
            unsigned element = access->first + n;
            char *mine = accumulator ? element_in(w, m, element / in_register, element % in_register, lane)
                                     : element_in(w, m, access->reg, element, lane);
            char *far = access->across ? across_at(at, lane, n) : at[lane] ? at[lane] + n * each : NULL;
            if (!far && load)
                memset(mine, 0, each);
            else if (!far)
                continue;
            else if (load)
                memcpy(mine, far, each);
            else
                memcpy(far, mine, each);
        }
    }
}

static const struct sim_insn *move_matrix(struct sim_warp *w, const struct sim_insn *in, bool load) {
    const struct sim_matrix_move *m = in->extra;
    const struct sim_fragment *f = &m->fragment;
    const uint32_t *stride = m->stride == -1 ? NULL : SIM_SLOT(w, m->stride);
    char *at[2 * SIM_MATRIX_REGISTERS][SIM_LANES];
    memset(at, 0,
           m->access_count * sizeof *at); /* lanes that do not exist move nothing, not even for others */
    struct sim_lanes base;
    sim_lanes_fill(w, &m->at, in->a, &base);
    for (size_t i = 0; i < m->access_count; i++)
        find_elements(w, in, m, &m->access[i], &base, stride, at[i]);
    /* All is loaded before any register is written, because the address may come from one of them. */
    for (size_t i = 0; i < m->access_count; i++)
        move_elements(w, m, &m->access[i], at[i], load);
    for (unsigned r = f->cores; load && m->matrix != 'c' && r < f->registers; r++)
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            if (w->mask >> lane & 1)
                memcpy(element_in(w, m, r, 0, lane), element_in(w, m, r % f->cores, 0, lane), 4);
    return in + 1;
}

const struct sim_insn *sim_run_load_matrix(struct sim_warp *w, const struct sim_insn *in) {
    return move_matrix(w, in, true);
}

const struct sim_insn *sim_run_store_matrix(struct sim_warp *w, const struct sim_insn *in) {
    return move_matrix(w, in, false);
}
