#include "lib/transpose/panels.h"
#include "lib/launch.h"
#include "lib/transpose/groups.h"
#include "lib/transpose/problem.h"

#define THREADS       256
#define GROUP_THREADS 128
#define BESIDE                                                                                               \
    (2 * LINE + 16) /* bytes: the barrier's line, and what a panel lies off a line and a vector              \
                     */
#define GAP 32      /* bulk loads also load gaps of fewer bytes between rows or matrices */
/* Maximum rows: up to here one multiplication divides numbers of elements exactly. */
#define ROWS_LIMIT 16384

/* By bulk, gaps, and width.  16-byte elements have no kernel without gaps: the one with gaps is as fast. */
static const wl__kernel kernels[2][2][5] = {
    {{WL_KERNEL_transpose_panels1, WL_KERNEL_transpose_panels2, WL_KERNEL_transpose_panels4,
      WL_KERNEL_transpose_panels8, WL_KERNEL_transpose_panels16},
     {WL_KERNEL_transpose_panels_apart1, WL_KERNEL_transpose_panels_apart2, WL_KERNEL_transpose_panels_apart4,
      WL_KERNEL_transpose_panels_apart8, WL_KERNEL_transpose_panels_apart16}},
    {{WL_KERNEL_transpose_matrices1, WL_KERNEL_transpose_matrices2, WL_KERNEL_transpose_matrices4,
      WL_KERNEL_transpose_matrices8},
     {WL_KERNEL_transpose_matrices_apart1, WL_KERNEL_transpose_matrices_apart2,
      WL_KERNEL_transpose_matrices_apart4, WL_KERNEL_transpose_matrices_apart8,
      WL_KERNEL_transpose_matrices_apart16}},
};

/* Lanes that are consecutive in the output, as in the kernel. */
static uint32_t side_of(unsigned width) {
    return width == 1 ? 2 : 4;
}

/* Whether matrices that are contiguous in the output move by words, in transpose_group_panels.cu.  What
 * continues a column's last word must be in the next column.  Bytes of rows an odd number apart lie in
 * different banks, and are gathered as fast. */
static bool by_groups(unsigned width, uint64_t rows, uint64_t from_ld, bool gaps) {
    return width == 1 && !gaps && rows >= 8 && from_ld % 2 == 0;
}

static wl__kernel groups_of(const struct wl__panels *p) {
    return p->bulk   ? WL_KERNEL_transpose_group_matrices
           : p->tall ? WL_KERNEL_transpose_group_tall
                     : WL_KERNEL_transpose_group_panels;
}

/* All of a block's shared memory if two should fit a multiprocessor, except what lies next to a panel. */
static uint32_t most(const wl_context *context) {
    return wl__shared_for(context, 2, BESIDE) - BESIDE;
}

/* Adds an image of the output for transpose_group_panels.cu, if two blocks fit. */
static void add_image(const wl_context *context, struct wl__panels *p) {
    const uint32_t image = (p->shared + VECTOR - 1) / VECTOR * VECTOR, shared = image + p->bytes + 2 * VECTOR;
    if (WL_MASKED(groups_of(p)) || shared > wl__shared_for(context, 2, 0))
        return;
    p->image = image;
    p->shared = shared;
}

/* Adds places of short columns of bytes, if two blocks still fit. */
static void add_places(const wl_context *context, unsigned width, const wl_transpose_layout *l,
                       struct wl__panels *p) {
    const uint32_t places = (p->shared + VECTOR - 1) / VECTOR * VECTOR;
    if (width > 1 || p->gaps || p->image || l->rows >= WL_PLACES_ROWS ||
        l->rows * p->cols < WL_PLACES_LEAST || l->rows * p->pitch > WL_PLACES_MOST ||
        places + WL_PLACES > wl__shared_for(context, 2, 0))
        return;
    p->places = places;
    p->shared = places + WL_PLACES;
}

static bool is_small(const wl_transpose_layout *l) {
    return l->rows >= 2 && l->cols >= 2 && l->rows <= ROWS_LIMIT && l->cols <= UINT32_MAX;
}

bool wl__panels_matrices(const wl_context *context, unsigned width, const wl_transpose_layout *l,
                         struct wl__panels *out) {
    if (!wl__has_bulk(context) || !is_small(l) || (l->from_ld - l->cols) * width >= GAP ||
        l->cols > most(context) / width)
        return false;
    const uint64_t span = width * ((l->rows - 1) * l->from_ld + l->cols), matrix = width * l->rows * l->cols;
    if (span > most(context))
        return false;
    const uint64_t stride = width * l->from_stride;
    const struct wl__tuned_transpose *tuned = &context->tuned->transpose;
    uint32_t together = 1;
    bool gaps = l->to_ld > l->rows;
    if ((gaps || l->to_stride == l->rows * l->cols ||
         (matrix < tuned->tiny_matrix && l->batch >= tuned->tiny_many)) &&
        stride - span < GAP) {
        gaps |= l->to_stride > l->rows * l->cols;
        /* A count with which blocks begin at sectors of both sides, if it is not too large. */
        uint32_t even = 1;
        while (!gaps && even < 32 && even * matrix % 32)
            even *= 2;
        const uint32_t bytes =
            by_groups(width, l->rows, l->from_ld, gaps) ? tuned->groups.matrices : tuned->together;
        together = matrix < bytes ? (uint32_t)(bytes / matrix) : 1;
        if (together >= even)
            together -= together % even;
        else if (even * stride <= 2 * tuned->together)
            together = even;
        if (together > l->batch)
            together = (uint32_t)l->batch;
    }
    *out = (struct wl__panels){
        .gaps = gaps || width == 16 || WL_MASKED(kernels[1][0][__builtin_ctz(width)]),
        .bulk = true,
        .cols = (uint32_t)l->cols,
        .together = together,
        .pitch = (uint32_t)(width * l->from_ld),
        .stride = together > 1 ? (uint32_t)stride : 0,
        .bytes = (uint32_t)(together * matrix),
        .shared = (uint32_t)((together - 1) * stride + span) + BESIDE,
    };
    if (by_groups(width, l->rows, l->from_ld, out->gaps))
        add_image(context, out);
    add_places(context, width, l, out);
    return true;
}

/* Panels of bytes, up to `budget` of them, that transpose_group_panels.cu moves by words.  Rows have `least`
 * bytes or more, and lie in shared memory as in global memory modulo `place` bytes. */
static bool group_columns(const wl_context *context, const wl_transpose_layout *l, uint32_t budget,
                          uint32_t least, uint32_t place, struct wl__panels *out) {
    const struct wl__tuned_groups *tuned = &context->tuned->transpose.groups;
    const uint32_t rows = (uint32_t)l->rows, edges = 2 * (VECTOR - 1), rest = l->from_ld % place;
    uint64_t widest = budget / rows + edges;
    if (widest > context->tuned->transpose.panel_row)
        widest = context->tuned->transpose.panel_row;
    if (widest > l->cols + edges + LINE)
        widest = l->cols + edges + LINE;
    const uint32_t pitch = widest < rest ? 0 : rest + (uint32_t)(widest - rest) / place * place;
    if (pitch < edges + least)
        return false;
    const uint64_t fit = (pitch - edges) / 4 * 4, panels = (l->cols + fit - 1) / fit;
    *out = (struct wl__panels){
        .cols = (uint32_t)((l->cols + 4 * panels - 1) / (4 * panels) * 4),
        .together = 1,
        .pitch = pitch,
        .shared = rows * pitch + BESIDE,
        .tall = budget > tuned->low,
    };
    out->bytes = rows * out->cols;
    add_image(context, out);
    return out->image != 0;
}

/* Panels whose rows have `least` bytes or more, of the fewest bytes that suffice. */
static bool any_group_columns(const wl_context *context, const wl_transpose_layout *l, uint32_t least,
                              bool large, struct wl__panels *out) {
    const struct wl__tuned_groups *tuned = &context->tuned->transpose.groups;
    return group_columns(context, l, tuned->low, least, LINE, out) ||
           group_columns(context, l, tuned->tall, least, LINE, out) ||
           (large && group_columns(context, l, tuned->large_tall, least, LINE, out));
}

bool wl__panels_columns(const wl_context *context, unsigned width, const wl_transpose_layout *l,
                        struct wl__panels *out) {
    if (!wl__has_bulk(context) || !is_small(l))
        return false;
    const struct wl__tuned_transpose *tuned = &context->tuned->transpose;
    const bool gaps = l->to_ld > l->rows || WL_MASKED(kernels[0][0][__builtin_ctz(width)]);
    const struct wl__tuned_groups *groups = &tuned->groups;
    /* At their places in a sector only, rows are still up to 1.2 times as fast as single bytes, unless there
     * are many. */
    const bool large = width * l->rows * l->cols * l->batch >= groups->large;
    if (width == 1 && !gaps && l->rows >= 8 &&
        ((large && any_group_columns(context, l, groups->long_row, large, out)) ||
         any_group_columns(context, l, groups->row, large, out) ||
         (l->rows <= groups->sector_rows &&
          group_columns(context, l, large ? groups->large_tall : groups->tall, groups->row, SECTOR, out))))
        return true;
    const uint32_t edges = 2 * (VECTOR - width), rows = (uint32_t)l->rows;
    const uint32_t room = most(context);
    uint32_t pitch = width * l->from_ld % LINE;
    while (pitch < LINE / 2 + edges)
        pitch += LINE;
    while (pitch < width * l->cols + edges && pitch + LINE <= tuned->panel_row &&
           l->rows * (pitch + LINE) <= room &&
           l->rows * (pitch + LINE) <=
               tuned->panel_budget[width >= 4 || (large && pitch < groups->long_row + edges)])
        pitch += LINE;
    if (l->rows * pitch > room)
        return false;
    const uint64_t fit = (pitch - edges) / width, panels = (l->cols + fit - 1) / fit;
    const uint32_t cols = (uint32_t)((l->cols + panels - 1) / panels);
    *out = (struct wl__panels){
        .gaps = gaps,
        .cols = cols,
        .together = 1,
        .pitch = pitch,
        .bytes = (uint32_t)(width * l->rows * cols),
        .shared = rows * pitch + BESIDE,
    };
    add_places(context, width, l, out);
    return true;
}

/* Where element e of the output lies in the panel. */
static uint32_t place_of(unsigned width, uint32_t rows, const struct wl__panels *p, uint32_t e) {
    const uint32_t elements = rows * p->cols, rest = e % elements;
    return e / elements * p->stride + rest % rows * p->pitch + rest / rows * width;
}

/* Lanes of a warp that want each bank of shared memory, and the most of them. */
struct banks {
    uint8_t lanes[32], most;
};

static void add_lane(struct banks *banks, uint32_t at) {
    const uint8_t now = ++banks->lanes[at / 4 % 32];
    if (now > banks->most)
        banks->most = now;
}

/* Most lanes of a warp that want the same bank of shared memory, if the first lanes of neighbouring groups
 * are `apart` vectors of the output apart, at vector `first` of the panel. */
static uint32_t conflicts_at(unsigned width, uint32_t rows, const struct wl__panels *p, uint32_t apart,
                             uint32_t first) {
    const uint32_t side = side_of(width), each = 16 / width;
    struct banks banks = {.most = 0};
    for (uint32_t i = first; i < first + 32 / side * apart; i += apart) {
        uint32_t at = place_of(width, rows, p, i * each);
        for (uint32_t k = 0; k < side; k++, at += each * p->pitch)
            add_lane(&banks, at);
    }
    return banks.most;
}

/* The same for bytes in columns of fewer than a vector has, at element k of the lanes' vectors: each lane's
 * column ends at another one. */
static uint32_t conflicts_of_short(uint32_t rows, const struct wl__panels *p, uint32_t apart, uint32_t k) {
    const uint32_t side = side_of(1), first = apart / 2 / side * side;
    struct banks banks = {.most = 0};
    for (uint32_t lane = 0; lane < 32; lane++)
        add_lane(&banks, place_of(1, rows, p, (first + lane / side * apart + lane % side) * VECTOR + k));
    return banks.most;
}

/* The same for 1- and 2-byte elements if all lanes are consecutive and every eight of them begin with another
 * word (WL_TURNED in transpose_panels.cu). */
static uint32_t conflicts_turned(unsigned width, uint32_t rows, const struct wl__panels *p, uint32_t first) {
    const uint32_t each = 16 / width;
    struct banks banks = {.most = 0};
    for (uint32_t lane = 0; lane < 32; lane++)
        add_lane(&banks, place_of(width, rows, p, (first + lane) * each + lane / 8 * (each / 4)));
    return banks.most;
}

/* Passes over shared memory that rotated lanes must save in four samples, as they take more instructions:
 * where they save one of two or three, they are slower. */
#define TURNED_GAIN 8

/* The distance in vectors: a share of the panel, or up to a tenth more if conflicts are fewer then.
 * Gathering bytes takes most accesses, and is worth a longer search; 0 if lanes should be rotated. */
static uint32_t apart_of(unsigned width, uint32_t rows, const struct wl__panels *p) {
    const bool is_short = width == 1 && !p->gaps && rows < VECTOR;
    const uint32_t side = side_of(width), tries = width == 1 ? 16 : 8;
    const uint32_t samples = is_short ? 4 : width == 1 ? 2 : 1; /* that are summed up */
    const uint32_t vectors =
        p->gaps ? p->together * p->cols * (rows / (16 / width)) : (p->bytes + 16 * side - width + 15) / 16;
    const uint32_t least = (vectors + 31) / 32 * side;
    uint32_t best = least, fewest = UINT32_MAX;
    for (uint32_t n = 0, apart = least; n < tries && apart <= least + least / 10 + side; n++, apart += side) {
        uint32_t conflicts = 0;
        for (uint32_t i = 0; i < samples; i++)
            conflicts += is_short ? conflicts_of_short(rows, p, apart, i * (VECTOR / 3))
                                  : conflicts_at(width, rows, p, apart, i * (apart / 2 / side * side));
        if (conflicts < fewest)
            fewest = conflicts, best = apart;
        if (conflicts == samples)
            break;
    }
    if (width > 2 || !p->bulk || p->gaps || rows < 16 / width)
        return best ? best : side;
    uint32_t turned = 0;
    for (uint32_t place = 0; place < 4; place++)
        turned += conflicts_turned(width, rows, p, vectors / 128 * 32 * place);
    return turned + TURNED_GAIN <= 4 / samples * fewest ? 0 : best;
}

/* The same, cached: programs transpose one shape many times, and a search takes as long as a launch. */
static uint32_t apart_again(unsigned width, uint32_t rows, const struct wl__panels *p) {
    static _Thread_local struct {
        unsigned width;
        uint32_t rows, apart;
        struct wl__panels panels;
    } last;
    const struct wl__panels *l = &last.panels;
    if (last.width != width || last.rows != rows || l->bulk != p->bulk || l->gaps != p->gaps ||
        l->cols != p->cols || l->together != p->together || l->pitch != p->pitch || l->stride != p->stride) {
        last.width = width, last.rows = rows, last.panels = *p;
        last.apart = apart_of(width, rows, p);
    }
    return last.apart;
}

/* What transpose_group_panels.cu needs beside the panels. */
static void set_groups(uint32_t rows, const struct wl__panels *p, uint32_t threads,
                       struct wl_transpose_group_panels *launch) {
    const uint32_t of_matrix = (p->cols + 3) / 4;
    wl__groups_share(&(struct wl__groups){.threads = threads,
                                          .units = of_matrix * p->together,
                                          .of_matrix = of_matrix,
                                          .length = (rows + 3) / 4,
                                          .row = p->pitch,
                                          .matrix = p->stride,
                                          .column = rows,
                                          .matrix_cols = p->cols,
                                          .aligned = (p->pitch | p->stride) % 4 == 0,
                                          .even = rows % 4 == 0},
                     &launch->lanes);
    launch->image = p->image;
    launch->of_matrix = wl_divisor(of_matrix);
}

wl_error wl__panels_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *l, const struct wl__digits *digits,
                              const struct wl__panels *p, wl_stream stream) {
    const uint32_t panels = (uint32_t)((l->cols + p->cols - 1) / p->cols), rows = (uint32_t)l->rows;
    const uint32_t windows = (width * p->cols + 16 - width + 15) / 16; /* vectors, at most */
    const struct wl__tuned_transpose *tuned = &context->tuned->transpose;
    const uint32_t blocks =
        wl__blocks_in_flight(tuned->in_flight, p->bytes) + tuned->panel_more[p->bulk][width >= 4];
    const uint32_t threads = p->image && !p->tall ? GROUP_THREADS : THREADS;
    /* The parts of an output row that have a lane. */
    const uint32_t each = 16 / width, stores = rows / each;
    const uint32_t units = p->gaps && rows >= 2 * each ? stores : rows;
    struct wl_transpose_group_panels all; /* other kernels take only the first member */
    struct wl_transpose_panels *const launch = &all.panels;
    *launch = (struct wl_transpose_panels){
        .from_pitch = width * l->from_ld,
        .from_stride = width * l->from_stride,
        .to_pitch = width * l->to_ld,
        .to_stride = width * l->to_stride,
        .rows = rows,
        .cols = (uint32_t)l->cols,
        .panel_cols = p->cols,
        .together = p->together,
        .by_panels = wl_divisor(panels),
        .pitch = p->pitch / width,
        .stride = p->stride / width,
        .by_vectors = wl_divisor(windows),
        .row_step = threads / windows,
        .row_stores = stores,
        .apart = p->image ? 0 : apart_again(width, p->gaps && rows >= each ? stores * each : rows, p),
        .places = p->places,
        .by_matrix = p->together > 1 ? UINT32_MAX / (p->gaps ? p->cols : rows * p->cols) + 1 : 0,
        .by_rows = UINT32_MAX / units + 1,
    };
    const wl__kernel turned = width == 1 ? WL_KERNEL_transpose_turned1 : WL_KERNEL_transpose_turned2;
    if (!p->image && !launch->apart && WL_MASKED(turned))
        launch->apart = ((p->bytes + 16 * side_of(width) - width + 15) / 16 + 31) / 32 * side_of(width);
    const wl__kernel kernel = p->image        ? groups_of(p)
                              : launch->apart ? kernels[p->bulk][p->gaps][__builtin_ctz(width)]
                                              : turned;
    if (p->image) {
        set_groups(rows, p, threads, &all);
        all.batch = wl__batch_of(width, digits);
    }
    const uint32_t shared = wl__shared_for(context, blocks, p->shared);
    const uint64_t limit = (uint64_t)(WL_GRID_X_LIMIT / panels) * p->together;
    void *arguments[] = {&all};
    wl_error error = WL_ERROR_OK;
    for (uint64_t first = 0; !error && first < l->batch; first += limit) {
        launch->matrices = l->batch - first < limit ? l->batch - first : limit;
        launch->from = from + first * launch->from_stride;
        launch->to = to + first * launch->to_stride;
        uint64_t last = launch->matrices - 1;
        launch->end = launch->from + (rows - 1) * launch->from_pitch + width * l->cols;
        for (unsigned i = 0; i < digits->count; i++) {
            launch->end += (digits->digit[i].size - 1) * digits->digit[i].from * width;
            last /= digits->digit[i].size;
        }
        launch->end += last * launch->from_stride;
        const uint32_t grid = (uint32_t)((launch->matrices + p->together - 1) / p->together) * panels;
        error = wl__launch_shared(context, kernel, grid, 1, (struct wl__block){threads, 1}, shared, arguments,
                                  stream);
    }
    return error;
}
