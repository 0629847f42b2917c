/* Shared memory: 32 banks as columns, wavefronts as rows.  A cell has the number of the lane it serves. */
#include "picture/figures.h"
#include "picture/layout.h"

enum { BANKS_BASELINE = 7000, TOP = 7400, PITCH = 1200, HEIGHT = 1100, MOST_ROWS = 32 };

struct grid {
    const struct count_access *access;
    unsigned span;         /* banks of a lane's word: 1, 2 or 4 */
    unsigned rows, hidden; /* wavefronts that are drawn, and that are not */
    bool shares;           /* a cell serves several lanes */
    uint8_t wavefront[32];
};

static unsigned bank_of(const struct grid *grid, unsigned lane) {
    return (unsigned)(grid->access->address[lane] / 4) % 32;
}

/* The lanes that a cell serves, if `lane` is the first of them; 0 if it is not. */
static uint32_t served(const struct grid *grid, unsigned lane) {
    uint32_t lanes = 0;
    for (uint32_t left = grid->access->mask; left; left &= left - 1) {
        const unsigned other = (unsigned)__builtin_ctz(left);
        if (grid->wavefront[other] != grid->wavefront[lane] || bank_of(grid, other) != bank_of(grid, lane))
            continue;
        if (other < lane)
            return 0;
        lanes |= 1u << other;
    }
    return lanes;
}

static struct grid make_grid(const struct picture_request *request) {
    const unsigned all = count_shared(request->rules, &request->access).transactions;
    struct grid grid = {.access = &request->access,
                        .span = request->access.width < 4 ? 1 : request->access.width / 4,
                        .rows = all < MOST_ROWS ? all : MOST_ROWS};
    grid.hidden = all - grid.rows;
    count_shared_wavefronts(request->rules, &request->access, grid.wavefront);
    for (uint32_t left = request->access.mask; left; left &= left - 1) {
        const uint32_t lanes = served(&grid, (unsigned)__builtin_ctz(left));
        grid.shares |= (lanes & (lanes - 1)) && grid.wavefront[__builtin_ctz(left)] < grid.rows;
    }
    return grid;
}

static int cell_left(const struct grid *grid, unsigned lane) {
    return PICTURE_LEFT + (int)bank_of(grid, lane) * PICTURE_PITCH;
}

static int cell_width(const struct grid *grid) {
    return (int)grid->span * PICTURE_PITCH - (PICTURE_PITCH - PICTURE_CELL);
}

enum cells { FIRST, AGAIN, SEVERAL };

/* The boxes of all wavefronts' cells: of a compare and swap's second wavefronts apart, and bars below those
 * that serve several lanes. */
static void put_cells(struct picture_text *text, const struct grid *grid, enum cells which) {
    static const char *const classes[] = {"u", "u a", "m"};
    const int x_width = cell_width(grid), bar = 140;
    bool begun = false;
    for (uint32_t left = grid->access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), row = grid->wavefront[lane] + (which == AGAIN);
        const uint32_t lanes = served(grid, lane);
        if (!lanes || row >= grid->rows || (which == SEVERAL && !(lanes & (lanes - 1))))
            continue;
        if (!begun)
            picture__begin_path(text, classes[which]);
        begun = true;
        const int y = TOP + (int)row * PITCH;
        if (which == SEVERAL)
            picture__put_box(text, cell_left(grid, lane), y + HEIGHT - bar, x_width, bar);
        else
            picture__put_box(text, cell_left(grid, lane), y, x_width, HEIGHT);
    }
    if (begun)
        picture__end_path(text);
}

static void put_cell_numbers(struct picture_text *text, const struct grid *grid, unsigned row) {
    bool begun = false;
    for (uint32_t left = grid->access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (grid->wavefront[lane] != row || !served(grid, lane))
            continue;
        if (!begun)
            picture__begin_numbers(text, "c", TOP + (int)row * PITCH + 890);
        begun = true;
        picture__put_place(text, lane, cell_left(grid, lane) + cell_width(grid) / 2);
    }
    if (!begun)
        return;
    picture__put(text, "\">");
    for (uint32_t left = grid->access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (grid->wavefront[lane] == row && served(grid, lane))
            picture__put_number(text, lane);
    }
    picture__end_line(text);
}

static void put_rows(struct picture_text *text, const struct grid *grid) {
    picture__begin_path(text, "w");
    for (unsigned row = 0; row < grid->rows; row++) {
        const int middle = TOP + (int)row * PITCH + HEIGHT / 2;
        picture__put_line(text, PICTURE_LEFT, middle, PICTURE_LEFT + PICTURE_ACROSS - 100, middle);
    }
    picture__end_path(text);
    put_cells(text, grid, FIRST);
    if (grid->access->compare)
        put_cells(text, grid, AGAIN);
    put_cells(text, grid, SEVERAL);
    for (unsigned row = 0; row < grid->rows; row++)
        put_cell_numbers(text, grid, row);
}

static void put_lines(struct picture_text *text, const struct grid *grid) {
    picture__begin_path(text, "l");
    for (uint32_t left = grid->access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        picture__put_line(text, picture__lane_middle(lane), PICTURE_LANES_END,
                          cell_left(grid, lane) + cell_width(grid) / 2, BANKS_BASELINE - 900);
    }
    picture__end_path(text);
}

/* A line of words below the rows; returns the y at which it ends. */
static int put_note(struct picture_text *text, int y, const char *before, unsigned number,
                    const char *after) {
    if (text) {
        picture__begin_line(text, "start", PICTURE_LEFT, y + 1000);
        picture__put(text, before);
        if (number)
            picture__put_number(text, number);
        picture__put(text, after);
        picture__end_line(text);
    }
    return y + 1200;
}

int picture__put_banks(struct picture_text *text, const struct picture_request *request) {
    const struct grid grid = make_grid(request);
    int y = TOP + (int)grid.rows * PITCH;
    if (text) {
        put_lines(text, &grid);
        picture__put_numbers(text, "o", UINT32_MAX, BANKS_BASELINE);
        put_rows(text, &grid);
    }
    if (grid.hidden)
        y = put_note(text, y, "and ", grid.hidden, grid.hidden == 1 ? " more wavefront" : " more wavefronts");
    if (request->access.compare)
        y = put_note(text, y, "pale: a compare and swap's second wavefront", 0, "");
    if (grid.shares)
        y = put_note(text, y, "underlined: the first of several lanes that share a word", 0, "");
    return y;
}
