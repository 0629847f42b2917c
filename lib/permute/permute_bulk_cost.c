/* Estimates the cost beyond a copy, as a share of it, of tiles that bulk copies fill. */
#include "lib/permute/permute_bulk_box.h"

#define SAMPLES 2 /* kinds of columns, and stretches of runs, that are counted */

/* ---------------------------------------------------------------- banks of shared memory */

/* The place of element `row` of a run in the tile. */
static uint32_t place_of(const struct wl_permute_bulk *bulk, uint32_t row, unsigned vector) {
    uint64_t from = bulk->tiles.from;
    uint32_t loads = 0, each = 1, inner = 0, turns = 0, turns_each = bulk->turns;
    if (bulk->joined_parts) {
        uint32_t digit = row % bulk->turn.count;
        row /= bulk->turn.count;
        loads = digit;
        each = bulk->turn.count;
        turns = digit / bulk->joined[0].by.count;
        if (bulk->joined_load) {
            uint32_t before = digit % bulk->joined[0].by.count;
            inner = before * bulk->joined_load;
            loads -= before;
            digit -= before;
        }
        for (uint32_t i = 0; i < bulk->joined_parts; i++) {
            from += digit % bulk->joined[i].by.count * bulk->joined[i].in;
            digit /= bulk->joined[i].by.count;
        }
    }
    for (uint32_t i = 0; i < bulk->row_parts; i++) {
        uint32_t digit = row % bulk->row[i].by.count;
        row /= bulk->row[i].by.count;
        if (bulk->row[i].inner) {
            inner += digit * bulk->row[i].inner;
        } else {
            if (each > 1) {
                turns += digit * turns_each;
                turns_each *= bulk->row[i].by.count;
            }
            loads += digit * each;
            each *= bulk->row[i].by.count;
            from += digit * bulk->row[i].in;
        }
    }
    uint32_t at = loads * bulk->pitch + loads / vector * bulk->swizzle + turns * bulk->turn_pad;
    return at + (((uint32_t)from - at) & (bulk->phase - 1)) + inner;
}

/* Wavefronts per access of a warp to the tile, 1 being best: the first warp's lanes and some of their
 * elements are sampled. */
static double wavefronts(const struct wl_permute_bulk *bulk, unsigned width) {
    unsigned vector = WL_PERMUTE_ACCESS / width, group = width <= 4 ? 32 : 128 / width, total = 0,
             samples = 0;
    for (unsigned j = 0; j<vector; j += vector> 2 ? vector / 2 : 1)
        for (unsigned begin = 0; begin < 32; begin += group, samples++) {
            uint32_t word[32];
            unsigned in_bank[32] = {0}, worst = 0, words = 0;
            for (unsigned lane = begin; lane < begin + group; lane++) {
                uint32_t run = lane / bulk->lanes, element = lane % bulk->lanes * vector + j, along = 0,
                         rows = 0;
                if (run >= bulk->runs || element >= bulk->length)
                    continue;
                for (uint32_t i = 0; i < bulk->run_parts; i++) {
                    along += run % bulk->run[i].by.count * bulk->run[i].along;
                    rows += run % bulk->run[i].by.count * bulk->run[i].rows;
                    run /= bulk->run[i].by.count;
                }
                along += element / bulk->turn.count * width;
                word[words] = (place_of(bulk, rows + element % bulk->turn.count, vector) + along) / 4;
                bool seen = false;
                for (unsigned other = 0; other < words && !seen; other++)
                    seen = word[other] == word[words];
                if (seen)
                    continue;
                for (unsigned part = 0; part < (width <= 4 ? 1 : width / 4); part++) {
                    unsigned *bank = &in_bank[(word[words] + part) % 32];
                    if (++*bank > worst)
                        worst = *bank;
                }
                words++;
            }
            total += worst;
        }
    return (double)total / samples;
}

/* The words that a warp's lanes read at once: each bank gives one at a time, to all lanes that want it. Words
 * of one bank are linked: `first` and `next` are numbers from 1 on, or 0. */
struct words {
    uint32_t word[32];
    uint8_t first[32], next[32], in_bank[32];
    unsigned count, worst;
};

static void add_word(struct words *words, uint32_t word) {
    const unsigned bank = word % 32;
    for (unsigned i = words->first[bank]; i; i = words->next[i - 1])
        if (words->word[i - 1] == word)
            return;
    words->word[words->count] = word;
    words->next[words->count] = words->first[bank];
    words->first[bank] = (uint8_t)++words->count;
    if (++words->in_bank[bank] > words->worst)
        words->worst = words->in_bank[bank];
}

/* Where a warp's access to the tile begins for one of its lanes: its column, counted from the first run's,
 * and the unit of the column's run. */
struct lane {
    uint32_t column, begin;
};

static struct lane lane_of(const struct wl_permute_bulk *bulk, unsigned unit, uint32_t lane, uint32_t kind,
                           uint32_t stretch) {
    const uint32_t down = lane / bulk->lanes, deep = 32 / bulk->lanes,
                   /* Bytes take every other column where rows are at an odd distance. */
        column = unit == 1 && bulk->odd ? kind / 2 * 2 * deep + kind % 2 + 2 * down : kind * deep + down,
                   to = (uint32_t)(bulk->tiles.to + column * bulk->column_out);
    return (struct lane){column, (0u - to) % SECTOR / unit + (stretch * bulk->lanes + lane % bulk->lanes) *
                                                                 (WL_PERMUTE_ACCESS / unit)};
}

/* The word of shared memory that it takes for element j of its vector. */
static uint32_t word_of(const struct wl_permute_bulk *bulk, unsigned unit, uint32_t lane, struct lane of,
                        uint32_t j) {
    const uint32_t vector = WL_PERMUTE_ACCESS / unit, span = bulk->span.count;
    uint32_t i = of.begin + j;
    if (bulk->odd) {
        const uint32_t at = place_of(bulk, of.begin, vector) + of.column * bulk->column_in;
        i = of.begin + (j + (lane / bulk->lanes - at / 4) * bulk->odd % 4 * (vector / 4)) % vector;
    }
    const uint32_t row = i % span;
    return (place_of(bulk, row / bulk->units, vector) + row % bulk->units * unit +
            (of.column + i / span) * bulk->column_in) /
           4;
}

/* The same for narrow elements, for the first warp's lanes and columns. */
static double narrow_wavefronts(const struct wl_permute_bulk *bulk, unsigned unit) {
    unsigned vector = WL_PERMUTE_ACCESS / unit, total = 0, samples = 0;
    for (unsigned j = 0; j < vector; j += vector / 2, samples++) {
        struct words words = {.worst = 0};
        for (unsigned lane = 0; lane < 32; lane++) {
            const struct lane of = lane_of(bulk, unit, lane, 0, 0);
            if (of.column < bulk->columns && of.begin + vector <= bulk->span.count)
                add_word(&words, word_of(bulk, unit, lane, of, j));
        }
        total += words.worst;
    }
    return (double)total / samples;
}

/* The same for all of a tile's look-ups: those of some kinds of columns, stretches of runs and elements. */
double wl__permute_look_ups_wavefronts(const struct wl_permute_bulk *bulk, unsigned unit) {
    const uint32_t vector = WL_PERMUTE_ACCESS / unit, sector = SECTOR / unit, kinds = bulk->kinds.count,
                   along = bulk->along.count, next = vector > 4 ? 3 : 1;
    double lanes_waves = 0, lanes = 0;
    for (uint32_t kind = 0; kind < kinds; kind += wl__divide_up(kinds, SAMPLES))
        for (uint32_t stretch = 0; stretch < along; stretch += wl__divide_up(along, SAMPLES))
            for (uint32_t j = 0; j < vector; j += next) {
                struct words words = {.worst = 0};
                for (uint32_t lane = 0; lane < 32; lane++) {
                    const struct lane of = lane_of(bulk, unit, lane, kind, stretch);
                    const uint32_t end = of.begin - lane % bulk->lanes % 2 * vector + sector;
                    if (of.column >= bulk->alike || of.column >= bulk->columns ||
                        end - (bulk->wraps ? sector - 1 : 0) > bulk->span.count)
                        continue;
                    add_word(&words, word_of(bulk, unit, lane, of, j));
                    lanes++;
                }
                lanes_waves += words.worst * 32;
            }
    return lanes > 0 ? lanes_waves / lanes : 0;
}

/* The same for elements that are packed: the first groups of the first columns. */
static double units_wavefronts(const struct wl_permute_bulk *bulk) {
    const uint32_t element = bulk->element, group = WL_PERMUTE_UNITS_GROUP(element),
                   alike = WL_PERMUTE_UNITS_ALIKE(element), apart = group < 4 ? 1 : group / 4;
    unsigned total = 0, samples = 0;
    for (uint32_t i = 0; i < group; i += apart, samples++) {
        struct words words = {.worst = 1};
        for (uint32_t lane = 0; lane < 32; lane++) {
            const uint32_t column = lane / bulk->lanes;
            uint32_t to = (uint32_t)(bulk->tiles.to + column * bulk->column_out), n = 0;
            while (to % SECTOR && n < alike) {
                to += element;
                n++;
            }
            n += lane % bulk->lanes * group + i;
            const uint32_t turn = n / bulk->turn.count;
            if (column >= bulk->columns || n >= bulk->table_rows)
                continue;
            add_word(&words, (place_of(bulk, n % bulk->turn.count, group) + turn * bulk->next_in +
                              column * bulk->column_in) /
                                 4);
        }
        total += words.worst;
    }
    return (double)total / samples;
}

/* The same for groups of columns: a warp's lanes along the first run. */
double wl__permute_groups_wavefronts(const struct wl_permute_bulk *bulk, unsigned unit) {
    const uint32_t rows = WL_PERMUTE_ACCESS / unit, lanes = bulk->lanes,
                   all = (uint32_t)wl__divide_up(bulk->columns, 4 / unit),
                   groups = all < 32 / lanes ? all : 32 / lanes;
    unsigned total = 0, samples = 0;
    for (uint32_t i = 0; i < rows; i += rows / 4, samples++) {
        struct words words = {.worst = 1};
        for (uint32_t row = i; row < lanes * rows && row < bulk->turn.count; row += rows) {
            const uint32_t word = place_of(bulk, row, rows) / 4;
            for (uint32_t group = 0; group < groups; group++)
                add_word(&words, word + group);
        }
        total += words.worst;
    }
    return (double)total / samples;
}

/* The same for bytes that are moved by words: the first warp's words of the first columns. */
static double words_wavefronts(const struct wl_permute_bulk *bulk) {
    unsigned total = 0;
    for (uint32_t j = 0; j < 4; j++) {
        unsigned in_bank[32] = {0}, worst = 0;
        for (uint32_t lane = 0; lane < bulk->lanes && 4 * lane + j < bulk->turn.count; lane++) {
            unsigned *bank = &in_bank[place_of(bulk, 4 * lane + j, 4) / 4 % 32];
            if (++*bank > worst)
                worst = *bank;
        }
        total += worst;
    }
    return total / 4.0;
}

/* ---------------------------------------------------------------- memory */

/* Average number of sectors that a row touches beyond its own bytes. */
static double sectors_too_many(uint64_t grain) {
    return grain >= SECTOR ? 0 : (double)(SECTOR - grain) / SECTOR;
}

/* Runs' ends that are torn.  Where tiles overlap along a run's `whole` bytes, only the first and the last of
 * them have one. */
static double ends_of(const struct wl_permute_bulk *bulk, double run, bool shares, double whole) {
    return bulk->torn ? bulk->runs * (double)bulk->ends * (shares && run < whole ? run / whole : 1) : 0;
}

/* Costs are extra reads from the L2; runs that begin within lines; and instructions: short runs, a block's
 * own, loads, rows, ends of runs, warps' look-ups, and their stores. */
double wl__permute_bulk_cost_of_narrow(const struct wl__tuned_bulk *bulk_tuned, unsigned unit,
                                       const struct wl__permute_bulk_plan *plan, const struct runs *runs) {
    const struct wl__tuned_bulk_narrow *tuned = &bulk_tuned->narrow;
    const struct wl_permute_bulk *bulk = &plan->bulk;
    const unsigned each = (unsigned)__builtin_ctz(unit), warps = plan->threads / 32;
    const double tile = (double)bulk->total * unit * bulk->ends * bulk->runs,
                 turns = (double)wl__divide_up(bulk->cells, warps),
                 same = (double)wl__divide_up(bulk->columns, bulk->alike), /* columns per cell */
        row = tuned->row[each] * (!bulk->element && unit < 4 && bulk->tables == 1 ? tuned->one_table : 1),
                 moves = bulk->element ? wl__permute_units_cost(&bulk_tuned->units, bulk)
                                       : tuned->cell * warps * turns + tuned->step[each] * same * bulk->cells;
    return tuned->least + tuned->read * runs->read +
           (tuned->lines * past_line(runs->grain) + tuned->run) / runs->bytes +
           (tuned->block + row * bulk->rows + moves +
            tuned->end * ends_of(bulk, runs->bytes, runs->shares, runs->whole) +
            (bulk->vectors.count ? tuned->vector * bulk->vectors.count : tuned->load) * bulk->loads) /
               tile;
}

/* For bytes that are moved by words, of which instructions are the limit: for each block, row, load, end of a
 * run, task of all warps, and step of one. */
static double cost_of_words(const struct box *box, const struct wl_permute_bulk *bulk, double read) {
    const struct wl__tuned_words *tuned = &box->tuned->words;
    const double tile = (double)bulk->span.count * bulk->columns * bulk->runs, run = (double)box->run_length,
                 steps = (double)bulk->tasks * bulk->chunk *
                         (bulk->inner.count < bulk->columns ? tuned->joined : 1),
                 step = bulk->two           ? tuned->step_of_two
                        : bulk->lanes == 32 ? tuned->step
                                            : tuned->short_step,
                 whole = (double)box->shape->dim[box->shape->by_out[0]].size,
                 ends = ends_of(bulk, run, box->shares, whole);
    return tuned->least + tuned->read * read + tuned->lines * past_line(box->out_grain) / run +
           (tuned->block + tuned->row * bulk->rows + tuned->end * ends + step * steps +
            (bulk->vectors.count ? tuned->vector * bulk->vectors.count : tuned->load) * bulk->loads +
            tuned->task * (double)wl__divide_up(bulk->tasks, WL_PERMUTE_WORDS_THREADS / 32)) /
               tile;
}

/* For groups of columns that are moved by words: a tile is filled as that of bytes by words. */
static double cost_of_groups(const struct box *box, const struct wl_permute_bulk *bulk, double read) {
    const struct wl__tuned_words *fill = &box->tuned->words;
    const struct wl__tuned_column_groups *tuned = &box->tuned->groups;
    const unsigned unit = box->unit;
    const double tile = (double)bulk->span.count * unit * bulk->columns * bulk->runs,
                 run = (double)box->run_length * unit,
                 whole = (double)box->shape->dim[box->shape->by_out[0]].size * unit,
                 ends = ends_of(bulk, run, box->shares, whole);
    return tuned->least + fill->read * read + fill->lines * past_line(box->out_grain) / run +
           (fill->block + fill->row * bulk->rows + fill->end * ends +
            (bulk->vectors.count ? fill->vector * bulk->vectors.count : fill->load) * bulk->loads +
            wl__permute_groups_cost(tuned, bulk, unit, 1)) /
               tile;
}

/* Costs are extra reads from the L2; runs that begin within lines or end within sectors; short loads and
 * runs; many rows; few blocks, or blocks with little of their memory filled; small tiles. */
double wl__permute_bulk_cost(const struct box *box, const struct wl__permute_bulk_plan *plan) {
    const struct wl__tuned_bulk *tuned = box->tuned;
    const struct wl_permute_bulk *bulk = &plan->bulk;
    double load = bulk->load, run = (double)box->run_length * box->shape->width, data = box->shape->width;
    double whole = (double)box->shape->dim[box->shape->by_out[0]].size * box->shape->width;
    double row = bulk->joined_load ? sectors_too_many(grain_of(bulk->joined_load | box->in_grain))
                 : bulk->load < box->side_length * box->shape->width
                     ? sectors_too_many(grain_of(bulk->load | box->in_grain))
                     : sectors_too_many(box->in_grain);
    double read = box->traffic * (1 + SECTOR * row / load) - 1;
    if (plan->words)
        return cost_of_words(box, bulk, read);
    if (plan->groups)
        return cost_of_groups(box, bulk, read);
    if (box->narrow) {
        const struct runs runs = {run, whole, read, box->out_grain, box->shares};
        return wl__permute_bulk_cost_of_narrow(tuned, box->unit, plan, &runs) +
               (box->shape->width == 1 ? tuned->words.margin : 0);
    }
    double lines = (double)past_line(box->out_grain) / run;
    double parts = box->out_grain < SECTOR ? tuned->parts / (box->shares ? whole : run) : 0;
    double blocks = plan->blocks;
    for (unsigned d = 0; d < box->shape->rank; d++)
        data *= (double)box->extent[d];
    return tuned->least + tuned->read * read + tuned->lines * lines + parts + tuned->load / load +
           tuned->run_square / (run * run) + tuned->row * bulk->rows + tuned->block / blocks +
           (blocks * data < tuned->in_flight ? tuned->idle : 0) + tuned->tile / data;
}

/* What banks add to the cost. */
double wl__permute_bulk_cost_of_banks(const struct box *box, const struct wl__permute_bulk_plan *plan) {
    if (!box->narrow) {
        double waves = wavefronts(&plan->bulk, box->shape->width);
        return waves > 3 ? box->tuned->wave * (waves - 3) : 0;
    }
    if (plan->words) {
        const struct wl_permute_bulk *bulk = &plan->bulk;
        const double words = (double)bulk->tasks * bulk->chunk * (1 + bulk->two),
                     tile = (double)bulk->span.count * bulk->columns * bulk->runs;
        return box->tuned->words.wave * (words_wavefronts(bulk) - 1) * words / tile;
    }
    if (plan->groups) {
        const struct wl_permute_bulk *bulk = &plan->bulk;
        const double tile = (double)bulk->span.count * box->unit * bulk->columns * bulk->runs,
                     waves = wl__permute_groups_wavefronts(bulk, box->unit);
        return (wl__permute_groups_cost(&box->tuned->groups, bulk, box->unit, waves) -
                wl__permute_groups_cost(&box->tuned->groups, bulk, box->unit, 1)) /
               tile;
    }
    if (plan->bulk.element) {
        const struct wl_permute_bulk *bulk = &plan->bulk;
        const double tile = (double)bulk->total * box->unit * bulk->ends * bulk->runs;
        return wl__permute_units_cost_of_banks(&box->tuned->units, bulk, units_wavefronts(bulk)) / tile;
    }
    return box->tuned->narrow.wave / box->unit * (narrow_wavefronts(&plan->bulk, box->unit) - 1);
}
