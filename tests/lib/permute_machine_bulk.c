/* The kernels of wl_permute's tiles that bulk copies fill, in plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/permute/permute_units.h"
#include "permute_machine_parts.h"

static uint32_t digit_of(uint32_t *number, const struct wl_permute_divisor *by) {
    uint32_t digit = *number % by->count;
    assert_int_equal(by->count > 1 ? machine_divide(*number, by) : *number, *number / by->count);
    *number /= by->count;
    return digit;
}

/* Where a row of joined dimensions is loaded from, with how many of the following rows.  Returns how many
 * rows precede it in its load. */
static uint32_t joined_row(const struct wl_permute_bulk *p, uint32_t first, uint32_t row, uint64_t *from,
                           uint32_t *rows) {
    uint32_t number = first + row, before = 0;
    *rows = 1;
    for (uint32_t i = 0; i < p->joined_parts; i++) {
        uint32_t count = p->joined[i].by.count, digit = digit_of(&number, &p->joined[i].by);
        if (p->joined_load && i == 0) {
            before = digit < row ? digit : row;
            *rows = count - digit + before;
            if (*rows > p->turn.count - row + before)
                *rows = p->turn.count - row + before;
            digit -= before;
        }
        *from += digit * p->joined[i].in;
    }
    assert_int_equal(number, 0);
    return before;
}

/* Fills the tile's memory; place: the place of each row. */
static void load_rows(const struct machine *m, const struct wl__permute_bulk_plan *plan, uint64_t tile,
                      uint32_t first, uint32_t *place) {
    const struct wl_permute_bulk *p = &plan->bulk;
    unsigned vector = plan->words     ? 4
                      : plan->element ? WL_PERMUTE_UNITS_GROUP(plan->element)
                                      : WL_PERMUTE_ACCESS / m->width;
    for (uint32_t r = 0; r < p->rows; r++) {
        uint64_t from = tile;
        uint32_t number = r, inner = 0, loads = 0, each = 1, load = p->load, turns = 0, turns_each = 1;
        if (p->joined_parts) {
            uint32_t row = digit_of(&number, &p->turn), rows;
            uint32_t before = joined_row(p, first, row, &from, &rows);
            inner = before * p->joined_load;
            if (p->joined_load)
                load = rows * p->joined_load;
            loads = row - before;
            each = p->turn.count;
            turns = (first + row) / p->joined[0].by.count - first / p->joined[0].by.count;
            turns_each = p->turns;
        }
        for (uint32_t i = 0; i < p->row_parts; i++) {
            uint32_t digit = digit_of(&number, &p->row[i].by);
            inner += digit * p->row[i].inner;
            if (!p->row[i].inner) {
                if (each > 1) {
                    turns += digit * turns_each;
                    turns_each *= p->row[i].by.count;
                }
                loads += digit * each;
                each *= p->row[i].by.count;
                from += digit * p->row[i].in;
            }
        }
        uint32_t at = loads * p->pitch + loads / vector * p->swizzle + turns * p->turn_pad;
        at += ((uint32_t)from - at) & (p->phase - 1);
        place[r] = at + inner;
        if (inner)
            continue;
        uint32_t shift = from % WL_PERMUTE_ACCESS;
        if (plan->narrow && p->load_table) {
            assert_in_range(loads, 0, p->loads - 1);
            if (p->vectors.count)
                assert_true(shift + load <= p->vectors.count * WL_PERMUTE_ACCESS);
        }
        /* The window is in the tile's memory, and no other load has written there. */
        assert_in_range(at - shift + (shift + load + 15) / 16 * 16, 1, p->run_table);
        for (uint32_t i = 0; i < load; i++) {
            if (m->memory[at + i] != 0xEE &&
                m->memory[at + i] != *machine_array(m, m->from, from + i, m->from_address, 1))
                fail_msg("%s: loads overlap at byte %u", m->what, at + i);
            m->memory[at + i] = *machine_array(m, m->from, from + i, m->from_address, 1);
        }
    }
}

/* Adds where a run begins: in the output, which is its first row, and along it. */
static void find_run(const struct wl_permute_bulk *p, uint32_t number, uint64_t *to, uint32_t *row,
                     uint32_t *along) {
    for (uint32_t i = 0; i < p->run_parts; i++) {
        uint32_t digit = digit_of(&number, &p->run[i].by);
        *to += digit * p->run[i].out;
        *row += digit * p->run[i].rows;
        *along += digit * p->run[i].along;
    }
    assert_int_equal(number, 0);
}

static void store_run(const struct machine *m, const struct wl_permute_bulk *p, unsigned width, uint32_t r,
                      uint64_t to, const uint32_t *place, unsigned ends) {
    uint32_t along = 0, row = 0;
    find_run(p, r, &to, &row, &along);
    uint64_t past = to % WL_PERMUTE_LINE;
    unsigned vector = WL_PERMUTE_ACCESS / width, sector = WL_PERMUTE_SECTOR / width;
    for (uint32_t v = 0; v < p->along.count * p->lanes; v++)
        for (unsigned j = 0; j < vector; j++) {
            int64_t begin = ((int64_t)v * WL_PERMUTE_ACCESS - (int64_t)past) / width, e = begin + j;
            uint64_t address = to - past + v * WL_PERMUTE_ACCESS;
            int64_t first = begin - (int64_t)(address % WL_PERMUTE_SECTOR / width);
            if (e < 0 || e >= p->length || (first < 0 && !(ends & 1)) ||
                (first + sector > p->length && !(ends & 2)))
                continue;
            uint32_t turn = (uint32_t)e % p->turn.count, element = (uint32_t)e / p->turn.count;
            assert_in_range(row + turn, 0, p->rows - 1);
            memcpy(machine_array(m, m->to, address + j * width, m->to_address, width),
                   machine_memory(m, place[row + turn] + along + element * width, width), width);
        }
    /* The lanes reach the run's end. */
    assert_true(p->along.count * p->lanes * WL_PERMUTE_ACCESS >= past + p->length * width);
}

static uint64_t column_place(const struct wl_permute_bulk *p, uint32_t column) {
    return column * p->column_out + column / p->inner.count * p->column_skip;
}

/* Unit i of a column's run, which may continue in the next columns. */
static void store_unit(const struct machine *m, const struct wl_permute_bulk *p, uint64_t to, uint32_t along,
                       const uint32_t *place, uint32_t column, uint32_t i) {
    uint32_t further = column + i / p->span.count, row = i % p->span.count / p->units, inside = 0;
    assert_true(further < p->columns && (p->wraps || further == column));
    assert_int_equal(further / p->inner.count, column / p->inner.count);
    if (p->element) {
        inside = row / p->turn.count * p->next_in;
        row %= p->turn.count;
    }
    memcpy(machine_array(m, m->to, to + column_place(p, column) + i * m->width, m->to_address, m->width),
           machine_memory(m, place[row] + along + further * p->column_in + inside + i % p->units * m->width,
                          m->width),
           m->width);
}

/* The lanes and the tables reach the sector that begins at unit i of a column's run. */
static void check_reach(const struct machine *m, const struct wl__permute_bulk_plan *plan, uint64_t tile,
                        uint32_t before, uint32_t i) {
    const struct wl_permute_bulk *p = &plan->bulk;
    const uint32_t sector = WL_PERMUTE_SECTOR / m->width, vector = WL_PERMUTE_ACCESS / m->width;
    if (plan->groups) {
        /* Tables begin where a vector does that has the run's first element. */
        const uint32_t end = (vector - before % vector) % vector + i + sector;
        assert_true(end <= p->along.count * p->lanes * vector && end <= p->table_rows);
        return;
    }
    if (plan->words) {
        const uint32_t stretch = i / p->step, held = 4 * p->lanes << p->two;
        assert_in_range(stretch, 0, p->stretches.count - 1);
        assert_true(i - stretch * p->step + sector <= held && i + sector <= p->table_rows);
        return;
    }
    if (plan->element) {
        /* Groups begin where a sector begins with an element. */
        const uint32_t element = plan->element, all = WL_PERMUTE_UNITS_ALIKE(element);
        uint32_t first = 0;
        while ((first * p->units + all * p->units - before) % sector)
            first++;
        assert_true(first < all && (first == 0 || p->before >= all));
        first = first ? all - first : 0;
        const uint32_t taken = p->along.count * p->lanes * WL_PERMUTE_UNITS_GROUP(element);
        assert_true(first * p->units + i + sector <= taken * p->units);
        assert_true(i + sector <= p->table_rows * p->units);
        assert_int_equal(p->before + taken, p->table_rows + (p->others_in_all ? p->others.count : 0));
        return;
    }
    assert_true(p->along.count * p->lanes * WL_PERMUTE_ACCESS >= (i - before + sector) * m->width);
    /* Loads have the entries of 4 bytes of the output: of one table, counted from where the tile begins. */
    const uint32_t entries = 4 / m->width, shift = p->tables == 1 ? (uint32_t)tile / m->width % entries : 0;
    assert_true(p->tables == 1 ? (i + shift) % entries == 0 : p->tables == entries);
    assert_true(p->table >= p->tables * 2 * p->quarter * 4 * entries);
    assert_true(i + shift + sector <= p->quarter * 4 * entries);
}

/* What groups read past a run, or past the last column, is no warp's stage. */
static void check_reads(const struct wl__permute_bulk_plan *plan, uint32_t along, const uint32_t *place) {
    const struct wl_permute_bulk *p = &plan->bulk;
    const uint32_t grain = WL_PERMUTE_UNITS_GRAIN(plan->element), least = grain < 4 ? grain : 4;
    for (uint32_t i = 0; i < p->table_rows; i++) {
        const uint32_t first = place[i % p->turn.count] + i / p->turn.count * p->next_in + along +
                               (p->columns - 1) * p->column_in;
        assert_true(first / 4 * 4 + (plan->element + 7 - least) / 4 * 4 <= p->stage);
    }
}

/* All runs of a tile begin alike within a vector, which lanes store; words that are read lie in the tile's
 * memory, and at multiples of 4 bytes where the kernel takes them to. */
static void check_groups(const struct machine *m, const struct wl_permute_bulk *p, uint64_t tile, uint64_t to,
                         uint32_t along, const uint32_t *place) {
    const uint32_t group = 4 / m->width;
    assert_int_equal(to % WL_PERMUTE_ACCESS, tile % WL_PERMUTE_ACCESS);
    assert_int_equal(p->column_out % WL_PERMUTE_ACCESS, 0);
    assert_int_equal(p->column_in, m->width);
    assert_int_equal(p->alike, p->kinds.count * (32 / p->lanes) * group);
    assert_false(p->wraps);
    for (uint32_t i = 0; i < p->turn.count; i++) {
        const uint32_t first = place[i] + along;
        assert_true(!p->even || first % 4 == 0);
        assert_true(first + (p->columns + group - 1) / group * 4 + 4 <= p->barrier);
    }
}

/* Stores the columns' runs: the sectors that begin and end in them, or in the tile; then what is left at the
 * ends. */
static void store_columns(const struct machine *m, const struct wl__permute_bulk_plan *plan, uint32_t r,
                          uint64_t to, const uint32_t *place, unsigned ends) {
    const struct wl_permute_bulk *p = &plan->bulk;
    uint32_t along = 0, row = 0, sector = WL_PERMUTE_SECTOR / m->width;
    const uint64_t tile = to;
    find_run(p, r, &to, &row, &along);
    assert_int_equal(row % p->turn.count, 0);
    place += row;
    if (plan->element) {
        assert_int_equal(p->ends, p->wraps ? 1 : p->columns);
        check_reads(plan, along, place);
    } else
        assert_int_equal(p->ends * (p->wraps ? p->inner.count : 1), p->columns);
    if (plan->words) {
        assert_true(p->chunks.count * p->chunk * 4 >= p->columns);
        for (uint32_t i = 0; i < p->turn.count; i++)
            assert_true(!p->paired || (place[i] + along) % 8 == 0);
    } else if (plan->groups) {
        check_groups(m, p, tile, to, along, place);
    } else {
        assert_true(p->kinds.count * (32 / p->lanes) >= (p->columns < p->alike ? p->columns : p->alike));
        assert_true(p->alike >= p->columns || p->alike * p->column_out % WL_PERMUTE_SECTOR == 0);
        if (!plan->element || !p->wraps)
            assert_int_equal(p->inner.count, p->columns);
    }
    for (uint32_t column = 0; column < p->columns; column++) {
        uint32_t before = (uint32_t)(-(to + column_place(p, column)) % WL_PERMUTE_SECTOR / m->width);
        const uint32_t inner = column % p->inner.count;
        uint32_t length = p->wraps && plan->element ? p->total - column * p->span.count
                          : p->wraps                ? (p->inner.count - inner) * p->span.count
                                                    : p->span.count,
                 i = before;
        for (; i + sector <= length && i < p->span.count; i += sector) {
            check_reach(m, plan, tile, before, i);
            for (uint32_t j = 0; j < sector; j++)
                store_unit(m, p, to, along, place, column, i + j);
        }
        if (!p->torn) {
            assert_true((before == 0 || (p->wraps && inner > 0)) &&
                        (i == length || (p->wraps && i >= p->span.count)));
            continue;
        }
        if (ends & 1 && (inner == 0 || !p->wraps))
            for (uint32_t j = 0; j < before && j < length; j++)
                store_unit(m, p, to, along, place, column, j);
        if (ends & 2 && i < p->span.count)
            for (; i < length; i++)
                store_unit(m, p, to, along, place, column, i);
    }
}

/* What follows the table of runs in a tile's memory fits there. */
static void check_tables(const struct wl__permute_bulk_plan *plan) {
    const struct wl_permute_bulk *p = &plan->bulk;
    const uint32_t turns = p->rows / p->turn.count, warps = WL_PERMUTE_WORDS_THREADS / 32;
    uint32_t tables = plan->element  ? turns * p->table - 2 * p->before
                      : plan->narrow ? turns * p->table
                                     : 4 * p->rows,
             end = p->barrier + 8;
    if (plan->narrow) {
        const uint32_t at = p->row_table + (plan->words ? turns * p->table : tables),
                       loads = p->load_table ? p->load_table + 16 * p->loads : at;
        assert_true(at <= loads && loads <= (plan->element ? p->stage : p->barrier));
        assert_true(!plan->words ||
                    at <= p->stage); /* loads are noted where columns are put together later */
        assert_true(!p->load_table || at <= p->load_table);
        end += (uint32_t)sizeof(struct wl_permute_place);
    }
    if (plan->element) {
        assert_true(p->table >= 2 * (p->before + p->table_rows));
        assert_true(p->run_table + 16 * p->runs + 2 * p->before <= p->row_table);
        assert_true(p->stage % WL_PERMUTE_ACCESS == 0);
        tables =
            p->stage - p->row_table + WL_PERMUTE_UNITS_THREADS / 32 * WL_PERMUTE_UNITS_STAGE(plan->element);
    }
    if (plan->words) {
        tables = p->stage - p->row_table + warps * WL_PERMUTE_STAGE;
        assert_true(p->table >= 2 * p->table_rows);
        /* Four columns of each group, each with the word after its last, and up to three more. */
        assert_true((32 / p->lanes * 4 * p->stage_pitch + 1) * 4 <= WL_PERMUTE_STAGE &&
                    p->stage_pitch >= (p->lanes << p->two) + 1);
    }
    if (plan->groups)
        assert_true(p->row_table % WL_PERMUTE_ACCESS == 0 && p->table % WL_PERMUTE_ACCESS == 0 &&
                    p->table >= 2 * p->table_rows);
    assert_true(p->row_table + tables <= p->barrier && end <= plan->memory);
}

static void run_bulk(const struct machine *m, const void *any, uint32_t tile) {
    const struct wl__permute_bulk_plan *plan = any;
    const struct wl_permute_bulk *p = &plan->bulk;
    uint64_t in_tile, out_tile;
    uint32_t first;
    unsigned ends = machine_tile(&p->tiles, tile, &in_tile, &out_tile, &first), width = m->width;
    if (p->joined_rows)
        ends = (first == 0) + 2 * (first + p->turn.count == p->joined_rows);
    uint32_t *place = malloc(p->rows * sizeof(*place));
    assert_true(p->run_table + 16 * p->runs <= p->row_table);
    check_tables(plan);
    memset(m->memory, 0xEE, m->memory_bytes);
    load_rows(m, plan, in_tile, first, place);
    if (plan->narrow) {
        if (plan->words)
            assert_true(p->tasks * (32 / p->lanes) >= p->runs * p->chunks.count * p->stretches.count);
        else
            assert_int_equal(p->cells, p->runs * p->kinds.count * p->along.count);
        for (uint32_t r = 0; r < p->runs; r++)
            store_columns(m, plan, r, out_tile, place, ends);
    } else {
        assert_int_equal(p->cells, (p->runs + 32 / p->lanes - 1) / (32 / p->lanes) * p->along.count);
        for (uint32_t r = 0; r < p->runs; r++)
            store_run(m, p, width, r, out_tile, place, ends);
    }
    free(place);
}

/* A row's load, times 2^16, and its place along it. */
static uint32_t row_place(const struct wl_permute_bulk *p, uint32_t row) {
    uint32_t place = 0, each = 1;
    if (p->joined_parts) {
        place = row % p->turn.count << 16;
        row /= each = p->turn.count;
    }
    for (uint32_t i = 0; i < p->row_parts; i++) {
        const uint32_t count = p->row[i].by.count;
        place += row % count * (p->row[i].inner ? p->row[i].inner : each << 16);
        each *= p->row[i].inner ? 1 : count;
        row /= count;
    }
    return place;
}

/* Threads find the places of their rows by steps. */
static void check_steps(const struct wl__permute_bulk_plan *plan) {
    const struct wl_permute_bulk *p = &plan->bulk;
    const uint32_t threads = plan->threads;
    for (uint32_t thread = 0; thread < threads && thread < p->rows; thread++) {
        uint32_t digit[WL_PERMUTE_RANK + 1], number = thread, place = 0, turn = thread / p->turn.count,
                                             i = thread % p->turn.count;
        for (uint32_t d = 0; d < p->digits; d++) {
            digit[d] = digit_of(&number, &p->digit[d].by);
            place += digit[d] * p->digit[d].place;
        }
        for (uint32_t row = thread; row < p->rows; row += threads) {
            assert_int_equal(place, row_place(p, row));
            assert_int_equal(turn * p->turn.count + i, row);
            assert_in_range(i, 0, p->turn.count - 1);
            turn += p->turn_steps;
            i += p->turn_step;
            if (i >= p->turn.count) {
                i -= p->turn.count;
                turn++;
            }
            for (uint32_t d = 0, carry = 0; d < p->digits; d++) {
                place += p->digit[d].step * p->digit[d].place;
                digit[d] += p->digit[d].step + carry;
                carry = digit[d] >= p->digit[d].by.count;
                digit[d] -= carry * p->digit[d].by.count;
                place += carry * p->digit[d].carry;
            }
        }
    }
}

void carry_out_bulk(const struct problem *p, const struct wl__permute_bulk_plan *plan) {
    assert_in_range(plan->memory, 1, 56 * 1024);
    if (plan->narrow && plan->bulk.load_table)
        check_steps(plan);
    machine_carry_out(p, plan, &plan->bulk.tiles, plan->unit, plan->memory, run_bulk);
}
