#include "lib/transpose/panels.h"
#include "lib/launch.h"

#define THREADS 256
#define LINE    128
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

/* All of a block's shared memory if two should fit a multiprocessor, except what lies next to a panel. */
static uint32_t most(const wl_context *context) {
    return wl__shared_for(context, 2, BESIDE) - BESIDE;
}

static bool is_small(const wl_transpose_layout *l) {
    return l->rows >= 2 && l->cols >= 2 && l->rows <= ROWS_LIMIT;
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
        together = matrix < tuned->together ? (uint32_t)(tuned->together / matrix) : 1;
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
    return true;
}

bool wl__panels_columns(const wl_context *context, unsigned width, const wl_transpose_layout *l,
                        struct wl__panels *out) {
    if (!wl__has_bulk(context) || !is_small(l))
        return false;
    const struct wl__tuned_transpose *tuned = &context->tuned->transpose;
    const uint32_t edges = 2 * (16 - width), budget = tuned->panel_budget[width >= 4];
    uint32_t pitch = width * l->from_ld % LINE;
    while (pitch < LINE / 2 + edges)
        pitch += LINE;
    while (pitch < width * l->cols + edges && l->rows * (pitch + LINE) <= budget &&
           pitch + LINE <= tuned->panel_row)
        pitch += LINE;
    if (l->rows * pitch > most(context))
        return false;
    const uint64_t fit = (pitch - edges) / width, panels = (l->cols + fit - 1) / fit;
    const uint32_t cols = (uint32_t)((l->cols + panels - 1) / panels);
    *out = (struct wl__panels){
        .gaps = l->to_ld > l->rows || WL_MASKED(kernels[0][0][__builtin_ctz(width)]),
        .cols = cols,
        .together = 1,
        .pitch = pitch,
        .bytes = (uint32_t)(width * l->rows * cols),
        .shared = (uint32_t)l->rows * pitch + BESIDE,
    };
    return true;
}

/* Most lanes of a warp that want the same bank of shared memory, if the first lanes of neighbouring groups
 * are `apart` vectors of the output apart, at vector `first` of the panel. */
static uint32_t conflicts_at(unsigned width, uint32_t rows, const struct wl__panels *p, uint32_t apart,
                             uint32_t first) {
    const uint32_t side = side_of(width), each = 16 / width, elements = rows * p->cols;
    uint8_t lanes[32] = {0};
    uint8_t most = 0;
    for (uint32_t i = first; i < first + 32 / side * apart; i += apart) {
        const uint32_t e = i * each, rest = e % elements, c = rest / rows, r = rest % rows;
        uint32_t at = e / elements * p->stride + r * p->pitch + c * width;
        for (uint32_t k = 0; k < side; k++, at += each * p->pitch)
            if (++lanes[at / 4 % 32] > most)
                most = lanes[at / 4 % 32];
    }
    return most;
}

/* The same for 1- and 2-byte elements if all lanes are consecutive and every eight of them begin with another
 * word (WL_TURNED in transpose_panels.cu). */
static uint32_t conflicts_turned(unsigned width, uint32_t rows, const struct wl__panels *p, uint32_t first) {
    const uint32_t each = 16 / width, elements = rows * p->cols;
    uint8_t lanes[32] = {0};
    uint8_t most = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t e = (first + lane) * each + lane / 8 * (each / 4), rest = e % elements;
        const uint32_t at = e / elements * p->stride + rest % rows * p->pitch + rest / rows * width;
        if (++lanes[at / 4 % 32] > most)
            most = lanes[at / 4 % 32];
    }
    return most;
}

/* Passes over shared memory that rotated lanes must save in four samples, as they take more instructions:
 * where they save one of two or three, they are slower. */
#define TURNED_GAIN 8

/* The distance in vectors: a share of the panel, or up to a tenth more if conflicts are fewer then.
 * Gathering bytes takes most accesses, and is worth a longer search; 0 if lanes should be rotated. */
static uint32_t apart_of(unsigned width, uint32_t rows, const struct wl__panels *p) {
    const uint32_t side = side_of(width), tries = width == 1 ? 16 : 8, places = width == 1 ? 2 : 1;
    const uint32_t vectors =
        p->gaps ? p->together * p->cols * (rows / (16 / width)) : (p->bytes + 16 * side - width + 15) / 16;
    const uint32_t least = (vectors + 31) / 32 * side;
    uint32_t best = least, fewest = UINT32_MAX;
    for (uint32_t i = 0, apart = least; i < tries && apart <= least + least / 10 + side; i++, apart += side) {
        uint32_t conflicts = 0;
        for (uint32_t place = 0; place < places; place++)
            conflicts += conflicts_at(width, rows, p, apart, place * (apart / 2 / side * side));
        if (conflicts < fewest)
            fewest = conflicts, best = apart;
        if (conflicts == places)
            break;
    }
    if (width > 2 || !p->bulk || p->gaps || rows < 16 / width)
        return best ? best : side;
    uint32_t turned = 0;
    for (uint32_t place = 0; place < 4; place++)
        turned += conflicts_turned(width, rows, p, vectors / 128 * 32 * place);
    return turned + TURNED_GAIN <= 4 / places * fewest ? 0 : best;
}

/* The same, cached: programs transpose one shape many times, and a search takes as long as a launch. */
static uint32_t apart_again(unsigned width, uint32_t rows, const struct wl__panels *p) {
    static _Thread_local struct {
        unsigned width;
        uint32_t rows, apart;
        struct wl__panels panels;
    } last;
    const struct wl__panels *l = &last.panels;
    if (last.width != width || last.rows != rows || l->gaps != p->gaps || l->cols != p->cols ||
        l->together != p->together || l->pitch != p->pitch || l->stride != p->stride) {
        last.width = width, last.rows = rows, last.panels = *p;
        last.apart = apart_of(width, rows, p);
    }
    return last.apart;
}

wl_error wl__panels_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *l, const struct wl__panels *p, wl_stream stream) {
    const uint32_t panels = (uint32_t)((l->cols + p->cols - 1) / p->cols), rows = (uint32_t)l->rows;
    const uint32_t windows = (width * p->cols + 16 - width + 15) / 16; /* vectors, at most */
    uint32_t row_vectors = 1;
    while (row_vectors < windows)
        row_vectors *= 2;
    const struct wl__tuned_transpose *tuned = &context->tuned->transpose;
    const uint32_t blocks =
        wl__blocks_in_flight(tuned->in_flight, p->bytes) + tuned->panel_more[p->bulk][width >= 4];
    /* The parts of an output row that have a lane. */
    const uint32_t each = 16 / width, stores = rows / each;
    const uint32_t units = p->gaps && rows >= 2 * each ? stores : rows;
    struct wl_transpose_panels launch = {
        .batch = l->batch,
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
        .row_vectors = row_vectors,
        .row_stores = stores,
        .apart = apart_again(width, p->gaps && rows >= each ? stores * each : rows, p),
        .by_matrix = p->together > 1 ? UINT32_MAX / (p->gaps ? p->cols : rows * p->cols) + 1 : 0,
        .by_rows = UINT32_MAX / units + 1,
    };
    const wl__kernel turned = width == 1 ? WL_KERNEL_transpose_turned1 : WL_KERNEL_transpose_turned2;
    if (!launch.apart && WL_MASKED(turned))
        launch.apart = ((p->bytes + 16 * side_of(width) - width + 15) / 16 + 31) / 32 * side_of(width);
    const wl__kernel kernel = launch.apart ? kernels[p->bulk][p->gaps][__builtin_ctz(width)] : turned;
    const uint32_t shared = wl__shared_for(context, blocks, p->shared);
    const uint64_t limit = (uint64_t)(WL_GRID_X_LIMIT / panels) * p->together;
    void *arguments[] = {&launch};
    wl_error error = WL_ERROR_OK;
    for (uint64_t first = 0; !error && first < l->batch; first += limit) {
        launch.batch = l->batch - first < limit ? l->batch - first : limit;
        launch.from = from + first * launch.from_stride;
        launch.to = to + first * launch.to_stride;
        launch.end = launch.from + (launch.batch - 1) * launch.from_stride + (rows - 1) * launch.from_pitch +
                     width * l->cols;
        const uint32_t grid = (uint32_t)((launch.batch + p->together - 1) / p->together) * panels;
        error = wl__launch_shared(context, kernel, grid, 1, (struct wl__block){THREADS, 1}, shared, arguments,
                                  stream);
    }
    return error;
}
