/* A tile that bulk copies fill: what is contiguous in it, and its layout in shared memory. */
#include "lib/permute/permute_bulk_box.h"

#define MEMORY        WL_PERMUTE_BULK_MEMORY
#define ROWS          WL_PERMUTE_BULK_ROWS
#define BARRIER       8 /* bytes */
#define WORDS_THREADS WL_PERMUTE_WORDS_THREADS
#define APART         140 /* rows of wide elements, each a load, up to which warps share them */
#define BULK          512 /* bytes of a load from which on bulk copies take fewer instructions than lanes */

/* ---------------------------------------------------------------- a tile's shape */

/* Marks an array's first dimensions that are contiguous within a tile; returns the product of their extents.
 * Stops at a dimension in `not`. */
static uint64_t side_by_side(const struct box *box, bool by_out, bool *marks, const bool * not ) {
    const struct wl__permute_shape *shape = box->shape;
    uint64_t length = 1, whole = 1;
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = wl__permute_dim(shape, by_out, i);
        if ((not &&not [d]) || (i > 0 && box->extent[d] == 1) || (!by_out && shape->dim[d].in != whole))
            break;
        whole *= shape->dim[d].size;
        marks[d] = true;
        length *= box->extent[d];
        if (box->extent[d] < shape->dim[d].size)
            break;
    }
    return length;
}

/* The common grain of all steps in an array, except along the dimensions in `along`. */
static uint64_t places(const struct box *box, bool by_out, const bool *along, uint64_t bits) {
    const struct wl__permute_shape *shape = box->shape;
    for (unsigned d = 0; d < shape->rank; d++) {
        uint64_t stride = (by_out ? shape->dim[d].out : shape->dim[d].in) * shape->width;
        if (!along[d] && box->extent[d] > 1)
            bits |= stride;
        if (box->extent[d] < shape->dim[d].size)
            bits |= stride * box->step[d] | stride * (shape->dim[d].size - box->extent[d]);
    }
    if (!by_out && box->joined->count > 1)
        for (unsigned i = 0; i < box->joined->count; i++)
            bits |= box->joined->part[i].in * shape->width;
    return grain_of(bits);
}

void wl__permute_bulk_look(struct box *box, uint64_t to, uint64_t from) {
    const struct wl__permute_shape *shape = box->shape;
    unsigned width = shape->width, last = shape->by_out[0], turns = 0, share = shared_of(width, box->unit);
    bool in_run[WL_RANK_MAX] = {false}, first[WL_RANK_MAX] = {true};
    for (unsigned d = 0; d < shape->rank; d++) {
        box->turn[d] = box->row[d] = box->side[d] = false;
        box->step[d] = box->extent[d];
    }
    box->turns = side_by_side(box, true, box->turn, first);
    box->row_length = side_by_side(box, false, box->row, box->turn);
    box->side_length = side_by_side(box, false, box->side, NULL);
    box->joined_load = box->joined->count > 1 && box->side_length == box->row_length &&
                               box->extent[0] == shape->dim[0].size &&
                               box->joined->part[0].in == shape->dim[0].size
                           ? box->row_length
                           : 0;
    bool whole = true;
    for (unsigned d = 0; d < shape->rank; d++)
        if (box->turn[d]) {
            turns++;
            whole = whole && box->extent[d] == shape->dim[d].size;
        }
    box->wraps = whole && turns < shape->rank && shape->by_out[turns] == 0 && box->extent[0] > 1 &&
                 box->turns >= WL_PERMUTE_ACCESS / width;
    box->run_length = box->turns * (box->wraps ? box->extent[0] : 1);
    for (unsigned d = 0; d < shape->rank; d++)
        in_run[d] = box->turn[d] || (box->wraps && d == 0);
    box->out_grain = places(box, true, in_run, to | box->run_length * width);
    box->shares = box->out_grain < SECTOR && turns == 1 && !box->wraps &&
                  box->extent[last] < shape->dim[last].size && box->extent[last] > 2 * (share + 1);
    if (box->shares) {
        box->step[last] -= share;
        box->out_grain = box->unit;
    }
    box->in_grain = places(box, false, box->side, from | box->side_length * width);
    box->traffic = 1;
    for (unsigned d = 0; d < shape->rank; d++) {
        uint64_t size = shape->dim[d].size, extent = box->extent[d];
        uint64_t tiles = size <= extent ? 1 : wl__divide_up(size - extent, box->step[d]) + 1;
        if (box->joined->count > 1 && d == last)
            tiles = wl__permute_joined_tiles(box->order, tiles);
        box->traffic *= (double)(tiles * extent) / (double)size;
    }
}

/* ---------------------------------------------------------------- its place in shared memory */

/* The outermost dimension in which the rows are contiguous. */
static unsigned outermost(const struct box *box) {
    unsigned d = box->shape->rank - 1;
    while (d > 0 && !box->side[d])
        d--;
    return d;
}

void wl__permute_bulk_add_row(struct wl_permute_bulk *bulk, uint64_t count, bool inner, uint64_t in,
                              uint64_t *loads) {
    bulk->rows *= (uint32_t)count;
    if (!inner)
        *loads *= count;
    if (count > 1)
        bulk->row[bulk->row_parts++] =
            (struct wl_permute_row){wl__permute_divisor(count), inner ? (uint32_t)in : 0, in};
}

static void add_row(struct wl_permute_bulk *bulk, const struct box *box, const struct layout *layout,
                    unsigned d, uint64_t *loads) {
    const struct wl__permute_shape *shape = box->shape;
    uint64_t in = shape->dim[d].in * shape->width, extent = box->extent[d];
    unsigned vector = WL_PERMUTE_ACCESS / box->unit;
    bool inner = layout->merged && box->side[d];
    if (layout->cut && inner && d == outermost(box)) {
        wl__permute_bulk_add_row(bulk, vector, true, in, loads);
        wl__permute_bulk_add_row(bulk, extent / vector, false, vector * in, loads);
    } else {
        wl__permute_bulk_add_row(bulk, extent, inner, in, loads);
    }
}

static void join_rows(struct wl_permute_bulk *bulk, const struct box *box, uint64_t *loads) {
    unsigned width = box->shape->width;
    for (unsigned i = 0; i < box->joined->count; i++)
        bulk->joined[bulk->joined_parts++] = (struct wl_permute_joined){
            wl__permute_divisor(box->joined->part[i].size), box->joined->part[i].in * width};
    bulk->rows *= (uint32_t)box->turns;
    bulk->joined_rows = box->shares ? (uint32_t)box->shape->dim[box->shape->rank - 1].size : 0;
    *loads *= box->turns;
}

/* Whether contiguous rows can be loaded an access at a time. */
static bool can_cut(const struct box *box) {
    unsigned outer = outermost(box), vector = WL_PERMUTE_ACCESS / box->unit;
    return box->joined->count == 1 && box->unit == box->shape->width && outer > 0 && !box->row[outer] &&
           box->extent[outer] % vector == 0 && box->extent[outer] > vector;
}

void wl__permute_bulk_add_run(struct wl_permute_bulk *bulk, uint64_t count, uint64_t along, uint64_t rows,
                              uint64_t out) {
    bulk->runs *= (uint32_t)count;
    bulk->run[bulk->run_parts++] =
        (struct wl_permute_run){wl__permute_divisor(count), (uint32_t)along, (uint32_t)rows, out};
}

static unsigned round_up(uint64_t n, unsigned to) {
    return (unsigned)((n + to - 1) / to * to);
}

/* Packs loads that keep their place in a line: the pitch leads to the next load's place too. */
static void keep_places(struct wl_permute_bulk *bulk, unsigned unit) {
    unsigned i = 0, line = WL_PERMUTE_LINE;
    while (i < bulk->row_parts && bulk->row[i].inner)
        i++;
    if (bulk->phase < line || (!bulk->joined_parts && i == bulk->row_parts))
        return;
    uint64_t step = bulk->joined_parts ? bulk->joined[0].in : bulk->row[i].in;
    uint32_t least = bulk->load + 2 * (WL_PERMUTE_ACCESS - unit);
    uint32_t pitch = least + (uint32_t)(step - least) % line;
    if (pitch < bulk->pitch) {
        bulk->pitch = pitch;
        bulk->turn_pad = line + 2 * WL_PERMUTE_ACCESS;
    }
}

/* How often the first digit of a load's number wraps in a tile. */
static uint64_t turns_of(const struct wl_permute_bulk *bulk) {
    uint64_t turns = bulk->turns;
    bool first = bulk->joined_parts == 0;
    for (uint32_t i = 0; i < bulk->row_parts; i++)
        if (!bulk->row[i].inner) {
            turns *= first ? 1 : bulk->row[i].by.count;
            first = false;
        }
    return turns;
}

/* Whether all loads begin and end at whole vectors. */
static bool is_even(const struct box *box) {
    return box->in_grain % WL_PERMUTE_ACCESS == 0;
}

/* Numbers rows by digits for `threads` that take them in turn.  Digits whose places continue are one. */
static void number_rows(struct wl_permute_bulk *bulk, uint32_t threads) {
    struct wl_permute_step *digit = bulk->digit;
    uint32_t count[WL_PERMUTE_RANK + 1], n = 0, loads = 1;
    for (uint32_t i = 0; i <= bulk->row_parts; i++) {
        const bool joined = i == 0;
        if (joined && !bulk->joined_parts)
            continue;
        const uint32_t here = joined ? bulk->turn.count : bulk->row[i - 1].by.count,
                       inner = joined ? 0 : bulk->row[i - 1].inner, place = inner ? inner : loads << 16;
        loads *= inner ? 1 : here;
        if (n > 0 && digit[n - 1].place * count[n - 1] == place) {
            count[n - 1] *= here;
        } else if (here > 1) {
            digit[n].place = place;
            count[n++] = here;
        }
    }
    bulk->digits = n;
    bulk->turn_step = threads % bulk->turn.count;
    bulk->turn_steps = threads / bulk->turn.count;
    for (uint32_t i = 0; i < n; i++) {
        digit[i].by = wl__permute_divisor(count[i]);
        digit[i].step = i + 1 < n ? threads % count[i] : threads;
        digit[i].carry = (i + 1 < n ? digit[i + 1].place : 0) - count[i] * digit[i].place;
        threads /= count[i];
    }
}

/* Puts the table of loads at a place, if there is one.  Returns where it ends.  Long loads of narrow elements
 * are few: each is found by the first of its rows, without another pass over them, unless it has so many rows
 * that their places are what takes time. */
static unsigned lay_out_loads(struct wl_permute_bulk *bulk, unsigned at, uint64_t loads, bool even,
                              bool words, unsigned threads) {
    bulk->loads = (uint32_t)loads;
    bulk->vectors = (struct wl_permute_divisor){0};
    if (!bulk->joined_load && bulk->load < BULK) {
        const unsigned apart = even && bulk->load % WL_PERMUTE_ACCESS == 0 ? 0 : 2 * (WL_PERMUTE_ACCESS - 1);
        bulk->vectors = wl__permute_divisor((bulk->load + apart) / WL_PERMUTE_ACCESS);
    }
    bulk->load_table = 0;
    if (bulk->joined_load || (!words && !bulk->vectors.count && bulk->rows < 8 * bulk->loads))
        return at;
    bulk->load_table = round_up(at, 16);
    number_rows(bulk, threads);
    return bulk->load_table + 16 * bulk->loads;
}

void wl__permute_bulk_share_ends(struct wl_permute_bulk *bulk, uint32_t ends) {
    enum { WARPS = WORDS_THREADS / 32, MOST = 8 };
    const uint32_t each = (bulk->runs * ends + WARPS - 1) / WARPS;
    bulk->ends = ends;
    bulk->ends_each = each < MOST ? each : MOST;
    bulk->end_parts = wl__permute_divisor(wl__divide_up(ends, bulk->ends_each));
}

void wl__permute_bulk_number_ends(struct wl_permute_bulk *bulk) {
    const uint32_t each = bulk->wraps ? bulk->inner.count : 1;
    wl__permute_bulk_share_ends(bulk, bulk->columns / each);
    bulk->total = bulk->turn.count * bulk->units * each;
}

bool wl__permute_bulk_begin_alike(const struct wl_permute_bulk *bulk, unsigned bytes) {
    uint64_t bits = bulk->column_out;
    for (uint32_t i = 0; i < bulk->run_parts; i++)
        bits |= bulk->run[i].out;
    return bits % bytes == 0;
}

/* Where a narrow tile's memory ends whose tables end at a place: behind the barrier and the tile's place. */
static unsigned end_of(unsigned at) {
    return round_up(at, BARRIER) + BARRIER + (unsigned)sizeof(struct wl_permute_place);
}

/* Puts the tables of narrow elements behind a tile of so many bytes, and the warps' stages.  Returns where
 * they end. */
static unsigned lay_out_tables(struct wl__permute_bulk_plan *plan, const struct wl__tuned_bulk *tuned,
                               unsigned unit, uint64_t loads, bool even, uint64_t bytes) {
    struct wl_permute_bulk *bulk = &plan->bulk;
    const unsigned begin = bulk->row_table;
    if (!bulk->element) {
        const unsigned tables = begin + wl__permute_look_ups_tables(bulk, unit);
        /* Loads' table, if there is one, is 16 bytes each, at a multiple of these. */
        plan->blocks = wl__permute_look_ups_blocks(tuned, end_of(tables + 16 * (1 + (unsigned)loads)), bytes);
        plan->threads = WL_PERMUTE_BLOCKS * WL_PERMUTE_NARROW_THREADS / plan->blocks;
        wl__permute_look_ups_number(bulk, unit, plan->threads, WL_PERMUTE_LANES);
        return lay_out_loads(bulk, tables, loads, even, false, plan->threads);
    }
    plan->blocks = WL_PERMUTE_BLOCKS;
    plan->threads = WL_PERMUTE_UNITS_THREADS;
    const unsigned tables = wl__permute_units_number(bulk, &tuned->units, unit),
                   at = lay_out_loads(bulk, begin + tables, loads, even, false, plan->threads);
    /* Groups read past the end of a row, a sector's elements or columns that are not there: of the last row
     * not what other warps write. */
    const unsigned past = bulk->run_table + bulk->column_in + 4 * bulk->next_in + SECTOR;
    bulk->stage = round_up(at > past ? at : past, WL_PERMUTE_ACCESS);
    return bulk->stage + WL_PERMUTE_UNITS_THREADS / 32 * WL_PERMUTE_UNITS_STAGE(bulk->element);
}

/* For the kernel of narrow elements, whose columns are elements of a row.  Returns where its memory ends, 0
 * if no other dimension is better for columns. */
static unsigned lay_out_narrow(struct wl__permute_bulk_plan *plan, const struct box *box, uint64_t loads) {
    struct wl_permute_bulk *bulk = &plan->bulk;
    const unsigned unit = box->unit;
    uint64_t step = (bulk->joined_parts ? bulk->joined[0].in : bulk->row_parts ? bulk->row[0].in : 0) / unit;
    bulk->units = box->shape->width / unit;
    bulk->wraps = box->wraps;
    bulk->columns = (uint32_t)box->extent[0];
    bulk->column_in = box->shape->width;
    bulk->column_out = box->shape->dim[0].out * box->shape->width;
    /* Banks change where a joined dimension ends: rotating gained nothing there. */
    bool regular = bulk->units == 1 && (bulk->joined_parts == 0 || bulk->phase < WL_PERMUTE_LINE);
    bulk->odd = regular && step % 2 ? step % 4 : 0;
    bulk->element = box->element;
    if (box->taken == WL_TAKEN_ALONG_OTHERS && !wl__permute_look_ups_turn(bulk, unit))
        return 0;
    return lay_out_tables(plan, box->tuned, unit, loads, is_even(box), wl__permute_bytes(box->shape));
}

/* Puts the barrier at the end of a block's memory, and behind it the tile's place. */
static void end_plan(struct wl__permute_bulk_plan *plan, unsigned at) {
    plan->bulk.barrier = round_up(at, BARRIER);
    plan->memory = end_of(at);
}

bool wl__permute_bulk_lay_out_narrow(const struct wl__tuned_bulk *tuned, struct wl__permute_bulk_plan *plan,
                                     unsigned unit, unsigned units, enum taken taken, unsigned element,
                                     uint64_t loads, uint64_t tile, uint64_t bytes) {
    struct wl_permute_bulk *bulk = &plan->bulk;
    bulk->units = units;
    bulk->odd = 0;
    bulk->apart = 1;
    bulk->run_table = round_up(tile, 16);
    bulk->row_table = bulk->run_table + 16 * bulk->runs;
    bulk->element = plan->element = element;
    plan->unit = unit;
    plan->narrow = true;
    if (taken == WL_TAKEN_ALONG_OTHERS && !wl__permute_look_ups_turn(bulk, unit))
        return false;
    end_plan(plan, lay_out_tables(plan, tuned, unit, loads, false, bytes));
    plan->words = plan->groups = false;
    plan->records = true;
    plan->cluster = 2;
    return plan->memory <= MEMORY;
}

/* Words that part the four columns of a group, so that their first sectors begin at different words modulo 4
 * as far as their distance allows it. */
static unsigned stage_pad(const struct wl_permute_bulk *bulk, unsigned pitch) {
    unsigned least = UINT32_MAX, best = 0;
    for (unsigned pad = 0; pad < 4; pad++) {
        unsigned sum = 0;
        for (uint32_t first = 0; first < 4; first++) {
            unsigned in_bank[4] = {0}, worst = 0;
            for (uint32_t j = 0; j < 4; j++) {
                const uint32_t to = (uint32_t)bulk->tiles.to + (4 * first + j) * (uint32_t)bulk->column_out;
                const unsigned bank = (j * (pitch + pad) + (0u - to) % SECTOR / 4) % 4, now = ++in_bank[bank];
                worst = now > worst ? now : worst;
            }
            sum += worst;
        }
        if (sum < least) {
            least = sum;
            best = pad;
        }
    }
    return best;
}

/* A step of a warp moves four columns.  Where an eighth and more of them would be missing, as rows' last
 * dimension has few, the next one's are columns too. */
static void join_columns(struct wl_permute_bulk *bulk) {
    if (8 * round_up(bulk->columns, 4) <= 9 * bulk->columns || bulk->run_parts == 0 ||
        bulk->run[0].along != bulk->columns)
        return;
    const struct wl_permute_run next = bulk->run[0];
    bulk->column_skip = next.out - bulk->columns * bulk->column_out;
    bulk->columns *= next.by.count;
    bulk->runs /= next.by.count;
    bulk->run_parts--;
    for (uint32_t i = 0; i < bulk->run_parts; i++)
        bulk->run[i] = bulk->run[i + 1];
}

/* Whether all rows, and the runs along them, begin at multiples of so many bytes of the tile, up to 16. */
static bool begin_at(const struct wl_permute_bulk *bulk, const struct box *box, unsigned bytes) {
    uint64_t bits = box->in_grain;
    for (uint32_t i = 0; i < bulk->row_parts; i++)
        bits |= bulk->row[i].in;
    for (uint32_t i = 0; i < bulk->run_parts; i++)
        bits |= bulk->run[i].along;
    return bits % bytes == 0;
}

/* For the kernel that moves bytes by words.  Returns where its memory ends. */
static unsigned lay_out_words(struct wl_permute_bulk *bulk, const struct box *box, uint64_t loads) {
    const uint32_t warps = WORDS_THREADS / 32, span = bulk->turn.count;
    bulk->units = 1;
    /* Columns of whole sectors need nothing of the next ones. */
    bulk->wraps = box->wraps && (bulk->torn || span % SECTOR != 0);
    bulk->columns = (uint32_t)box->extent[0];
    bulk->column_in = 1;
    bulk->column_out = box->shape->dim[0].out;
    bulk->inner = wl__permute_divisor(bulk->columns);
    join_columns(bulk);
    wl__permute_bulk_number_ends(bulk);
    bulk->span = wl__permute_divisor(span);
    bulk->table_rows = round_up(span + (bulk->wraps ? SECTOR : 0), 4);
    bulk->table = 2 * bulk->table_rows;
    const uint32_t words = bulk->table_rows / 4;
    bulk->lanes = words <= 8 ? 8 : words <= 16 ? 16 : 32;
    bulk->two = words > 32;
    const uint32_t held = bulk->lanes << bulk->two;
    bulk->stage_pitch = held + 5 + stage_pad(bulk, held + 5);
    bulk->step = words <= held ? 4 * held : 4 * held - SECTOR;
    const uint32_t stretches = words <= held ? 1 : (uint32_t)wl__divide_up(span, bulk->step),
                   groups = (bulk->columns + 3) / 4, deep = 32 / bulk->lanes, runs = bulk->runs * stretches,
                   wanted = (warps * deep + runs - 1) / runs;
    bulk->paired = is_even(box) && begin_at(bulk, box, 8);
    bulk->chunk = round_up(wl__divide_up(groups, wanted), 1 + bulk->paired);
    const uint32_t chunks = (groups + bulk->chunk - 1) / bulk->chunk;
    bulk->chunks = wl__permute_divisor(chunks);
    bulk->stretches = wl__permute_divisor(stretches);
    bulk->parts = runs * chunks;
    bulk->tasks = (bulk->parts + deep - 1) / deep;
    /* Columns are put together where loads were noted. */
    const unsigned tables = bulk->row_table + bulk->rows / span * bulk->table,
                   end = lay_out_loads(bulk, tables, loads, is_even(box), true, WORDS_THREADS);
    bulk->stage = round_up(tables, WL_PERMUTE_ACCESS);
    const unsigned stages = bulk->stage + warps * WL_PERMUTE_STAGE;
    return end > stages ? end : stages;
}

/* For the kernel that moves groups of columns by words.  Returns where its memory ends; 0 where runs do not
 * begin alike. */
static unsigned lay_out_groups(struct wl_permute_bulk *bulk, const struct box *box, uint64_t loads) {
    const unsigned unit = box->unit;
    if (box->wraps || bulk->load < box->tuned->groups.load)
        return 0;
    bulk->units = 1;
    bulk->wraps = 0;
    bulk->columns = (uint32_t)box->extent[0];
    bulk->column_in = unit;
    bulk->column_out = box->shape->dim[0].out * unit;
    bulk->inner = wl__permute_divisor(bulk->columns);
    wl__permute_bulk_number_ends(bulk);
    bulk->even = begin_at(bulk, box, 4);
    const unsigned tables = wl__permute_groups_number(bulk, &box->tuned->groups, unit);
    return tables ? lay_out_loads(bulk, bulk->row_table + tables, loads, is_even(box), true, WORDS_THREADS)
                  : 0;
}

/* Whether a dimension's steps lead along a load, for all rows alike: they need no rows of their own. */
static bool is_along(const struct box *box, const struct layout *layout, unsigned d) {
    return box->narrow && layout->merged && !layout->cut && box->side[d];
}

bool wl__permute_bulk_lay_out(struct wl__permute_bulk_plan *plan, const struct box *box,
                              const struct layout *layout) {
    const struct wl__permute_shape *shape = box->shape;
    struct wl_permute_bulk *bulk = &plan->bulk;
    unsigned width = shape->width, vector = WL_PERMUTE_ACCESS / box->unit;
    bulk->element = 0;
    uint64_t loads = 1, along = width, rows = box->turns;
    if (layout->cut && !can_cut(box))
        return false;
    bulk->rows = bulk->runs = 1;
    bulk->row_parts = bulk->run_parts = bulk->joined_parts = bulk->joined_rows = 0;
    bulk->column_skip = 0;
    bulk->joined_load = layout->merged ? (uint32_t)(box->joined_load * width) : 0;
    if (box->joined->count > 1)
        join_rows(bulk, box, &loads);
    else
        for (unsigned i = 0; i < shape->rank; i++)
            if (box->turn[shape->by_out[i]])
                add_row(bulk, box, layout, shape->by_out[i], &loads);
    for (unsigned d = 0; d < shape->rank; d++)
        if (!box->turn[d] && !box->row[d] && !is_along(box, layout, d))
            add_row(bulk, box, layout, d, &loads);
    for (unsigned d = 0; d < shape->rank; d++)
        if (box->row[d]) {
            if (box->extent[d] > 1 && !(d == 0 && (box->wraps || box->narrow)))
                wl__permute_bulk_add_run(bulk, box->extent[d], along, 0, shape->dim[d].out * width);
            along *= box->extent[d];
        }
    for (unsigned d = 0; d < shape->rank; d++)
        if (!box->turn[d] && !box->row[d] && box->extent[d] > 1) {
            const bool further = is_along(box, layout, d);
            wl__permute_bulk_add_run(bulk, box->extent[d], further ? shape->dim[d].in * width : 0,
                                     further ? 0 : rows, shape->dim[d].out * width);
            rows *= further ? 1 : box->extent[d];
        }
    bulk->load = (uint32_t)((layout->merged ? box->side_length : box->row_length) * width);
    if (layout->cut)
        bulk->load = (uint32_t)(bulk->load / box->extent[outermost(box)] * vector);
    bulk->phase = layout->phase;
    bulk->swizzle = layout->swizzle;
    /* From the least place to the end of the widest window. */
    bulk->pitch = round_up(bulk->load + layout->phase - box->unit, layout->phase);
    bulk->turn_pad = 0;
    bulk->turns =
        bulk->joined_parts ? (uint32_t)wl__divide_up(box->turns - 1, box->joined->part[0].size) + 1 : 1;
    if (bulk->joined_load) {
        bulk->load = (uint32_t)(box->turns / bulk->turns * bulk->joined_load);
        bulk->pitch = bulk->joined_load;
        bulk->swizzle = 0;
        /* Narrow elements use whole lines where possible, so that banks follow each other. */
        bulk->turn_pad = box->narrow && layout->phase == WL_PERMUTE_ACCESS
                             ? WL_PERMUTE_LINE
                             : layout->phase + 2 * WL_PERMUTE_ACCESS;
    } else {
        keep_places(bulk, box->unit);
    }
    bulk->length = (uint32_t)box->run_length;
    bulk->turn = wl__permute_divisor(box->turns);
    unsigned vectors =
        (unsigned)wl__divide_up(bulk->length * width + past_line(box->out_grain), WL_PERMUTE_ACCESS);
    bulk->lanes = bulk->runs == 1 ? 32 : bulk->runs < 4 ? 16 : 8;
    while (bulk->lanes > 1 && bulk->lanes / 2 >= vectors)
        bulk->lanes /= 2;
    unsigned deep = 32 / bulk->lanes;
    bulk->along = wl__permute_divisor(wl__divide_up(vectors, bulk->lanes));
    bulk->cells = (uint32_t)wl__divide_up(bulk->runs, deep) * bulk->along.count;
    const bool words = box->narrow && box->taken == WL_TAKEN_BY_WORDS,
               groups = box->narrow && box->taken == WL_TAKEN_IN_GROUPS;
    if (words && box->wraps && box->turns <= box->tuned->words.short_run)
        return false;
    uint64_t at = loads * bulk->pitch + loads / apart_of(box->unit, box->element, words) * bulk->swizzle +
                  turns_of(bulk) * bulk->turn_pad + layout->phase + WL_PERMUTE_ACCESS;
    if (bulk->rows > ROWS || bulk->runs > ROWS || at > MEMORY)
        return false;
    bulk->run_table = round_up(at, 16);
    bulk->row_table = bulk->run_table + 16 * bulk->runs;
    bulk->torn = box->out_grain < SECTOR;
    plan->unit = box->unit;
    plan->narrow = box->narrow;
    bulk->apart = box->narrow || (!bulk->joined_load && loads == bulk->rows && bulk->rows <= APART);
    plan->blocks = WL_PERMUTE_BLOCKS;
    plan->threads = WORDS_THREADS;
    const unsigned end = words         ? lay_out_words(bulk, box, loads)
                         : groups      ? lay_out_groups(bulk, box, loads)
                         : box->narrow ? lay_out_narrow(plan, box, loads)
                                       : bulk->row_table + 4 * bulk->rows;
    end_plan(plan, end);
    plan->words = words;
    plan->groups = groups;
    plan->records = false;
    plan->element = box->element;
    if (!box->narrow) {
        plan->blocks = wl__permute_bulk_blocks(box->tuned, plan->memory);
        plan->threads = 2048 / plan->blocks;
    }
    /* Pairs of neighbours are faster. */
    plan->cluster = 2;
    return end > 0 && plan->memory <= MEMORY;
}
