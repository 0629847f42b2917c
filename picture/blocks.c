/* Global and local memory: the sectors or lines that the lanes touch, in order of address.
 *
 * The blocks drawn are those counted.  Groups of lanes that share no transaction have their blocks beside
 * each other. Atomics that wait for others of the same word have their sector drawn once more, below. */
#include "picture/figures.h"
#include "picture/layout.h"

enum {
    MOST_BLOCKS = 128,
    ROW = 32,
    TOP = 7200,
    HEIGHT = 2400,
    TURN_HEIGHT = 800,
    TURN_PITCH = 1000,
    LABELS = 1400
};

struct block {
    uint64_t address, fresh[2], again[2]; /* bits: bytes that lanes use, and that an earlier block had too */
    uint8_t group, turn;
    int x, y;
};

struct piece { /* of a lane, in one block */
    uint64_t address;
    uint8_t lane, block, bytes;
};

struct scene {
    unsigned unit, block_count, piece_count, column_count;
    struct block block[MOST_BLOCKS]; /* in the order in which lanes name them */
    uint8_t order[MOST_BLOCKS];      /* by group, address, turn */
    struct piece piece[MOST_BLOCKS];
    uint64_t origin; /* the least address */
    int byte_width, bottom;
};

static unsigned find_block(struct scene *scene, uint64_t address, unsigned group, unsigned turn) {
    for (unsigned i = 0; i < scene->block_count; i++) {
        const struct block *b = &scene->block[i];
        if (b->address == address && b->group == group && b->turn == turn)
            return i;
    }
    scene->block[scene->block_count] =
        (struct block){.address = address, .group = (uint8_t)group, .turn = (uint8_t)turn};
    return scene->block_count++;
}

static void add_piece(struct scene *scene, unsigned lane, uint64_t address, unsigned bytes, unsigned group,
                      unsigned turn) {
    const uint64_t base = address - address % scene->unit;
    const unsigned block = find_block(scene, base, group, turn), offset = (unsigned)(address - base);
    bool again = false;
    for (unsigned i = 0; i < scene->piece_count; i++)
        again |= scene->piece[i].address == address && scene->piece[i].block != block;
    struct block *b = &scene->block[block];
    const uint64_t bits = ((1ull << bytes) - 1) << offset % 64;
    if (again && !(b->fresh[offset / 64] & bits))
        b->again[offset / 64] |= bits;
    else
        b->fresh[offset / 64] |= bits;
    scene->piece[scene->piece_count++] =
        (struct piece){address, (uint8_t)lane, (uint8_t)block, (uint8_t)bytes};
}

/* Local memory: word w of lane i lies at 128 * w + 4 * i, as in sim/count/local.c. */
static void add_local(struct scene *scene, unsigned lane, uint64_t offset, unsigned width) {
    for (unsigned done = 0; done < width; done += 4)
        add_piece(scene, lane, (offset + done) / 4 * 128 + 4ull * lane + offset % 4, width < 4 ? width : 4, 0,
                  0);
}

static void add_lanes(struct scene *scene, const struct picture_request *request) {
    const struct count_access *access = &request->access;
    const struct count_split split = picture__split(request);
    scene->unit = split.block;
    scene->block_count = scene->piece_count = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t address = access->address[lane];
        unsigned turn = 0;
        if (request->space == PICTURE_LOCAL) {
            add_local(scene, lane, address, access->width);
            continue;
        }
        for (unsigned i = 0; i < scene->piece_count && picture__is_atomic(access); i++)
            turn += scene->piece[i].address == address;
        add_piece(scene, lane, address, access->width, lane / split.lanes, turn);
    }
}

static bool before(const struct block *a, const struct block *b) {
    if (a->group != b->group)
        return a->group < b->group;
    return a->address != b->address ? a->address < b->address : a->turn < b->turn;
}

static void sort_blocks(struct scene *scene) {
    for (unsigned i = 0; i < scene->block_count; i++) {
        unsigned at = i;
        for (; at && before(&scene->block[i], &scene->block[scene->order[at - 1]]); at--)
            scene->order[at] = scene->order[at - 1];
        scene->order[at] = (uint8_t)i;
    }
    scene->origin = UINT64_MAX;
    for (unsigned i = 0; i < scene->block_count; i++)
        if (scene->block[i].address < scene->origin)
            scene->origin = scene->block[i].address;
}

static bool same_column(const struct block *a, const struct block *b) {
    return a->group == b->group && a->address == b->address;
}

static bool adjoins(const struct scene *scene, const struct block *a, const struct block *b) {
    return a->group == b->group && a->address + scene->unit == b->address;
}

/* The space between blocks that are next to each other in a row. */
static int gap(const struct scene *scene, const struct block *a, const struct block *b) {
    if (a->group != b->group)
        return 500;
    if (!adjoins(scene, a, b))
        return 300;
    return a->address / 128 == b->address / 128 ? 100 : 200;
}

/* Sets x relative to the row's beginning for this width of a byte, and returns the widest row's length. */
static int place(struct scene *scene, int byte_width) {
    const int width = byte_width * (int)scene->unit;
    int x = 0, widest = 0, y = TOP;
    unsigned column = 0, most_turns = 0;
    const struct block *last = NULL;
    for (unsigned i = 0; i < scene->block_count; i++) {
        struct block *b = &scene->block[scene->order[i]];
        if (last && !same_column(last, b)) {
            if (++column % ROW == 0) {
                x = 0;
                y += HEIGHT + LABELS + 600;
            } else {
                x += width + gap(scene, last, b);
            }
        }
        b->x = x;
        b->y = b->turn ? y + HEIGHT + (TURN_PITCH - TURN_HEIGHT) + (b->turn - 1) * TURN_PITCH : y;
        most_turns = b->turn > most_turns ? b->turn : most_turns;
        widest = x + width > widest ? x + width : widest;
        last = b;
    }
    scene->column_count = column + 1;
    scene->bottom = y + HEIGHT + (int)most_turns * TURN_PITCH + LABELS;
    return widest;
}

static void lay_out(struct scene *scene) {
    const int gaps = place(scene, 0);
    const unsigned columns = scene->column_count < ROW ? scene->column_count : ROW;
    int byte_width = (PICTURE_ACROSS - gaps) / (int)(columns * scene->unit);
    if (byte_width > PICTURE_ACROSS / 128)
        byte_width = PICTURE_ACROSS / 128; /* four sectors, or a line, are as wide as the lanes */
    const int widest = place(scene, byte_width), left = PICTURE_LEFT + (PICTURE_ACROSS - widest) / 2;
    for (unsigned i = 0; i < scene->block_count; i++)
        scene->block[i].x += left;
    scene->byte_width = byte_width;
}

static int height_of(const struct block *block) {
    return block->turn ? TURN_HEIGHT : HEIGHT;
}

/* Lanes that wait for their turn point to the same bytes as the first. */
static void put_lines(struct picture_text *text, const struct scene *scene) {
    picture__begin_path(text, scene->piece_count > 32 ? "l f" : "l");
    for (unsigned i = 0; i < scene->piece_count; i++) {
        const struct piece *p = &scene->piece[i];
        const struct block *b = &scene->block[p->block];
        const int middle = b->x + ((int)(p->address - b->address) * 2 + p->bytes) * scene->byte_width / 2;
        picture__put_line(text, picture__lane_middle(p->lane), PICTURE_LANES_END, middle,
                          b->turn ? TOP : b->y);
    }
    picture__end_path(text);
}

static void put_blocks(struct picture_text *text, const struct scene *scene) {
    picture__begin_path(text, "s");
    for (unsigned i = 0; i < scene->block_count; i++) {
        const struct block *b = &scene->block[scene->order[i]];
        picture__put_box(text, b->x, b->y, scene->byte_width * (int)scene->unit, height_of(b));
    }
    picture__end_path(text);
}

static bool has_byte(const uint64_t bits[2], unsigned byte) {
    return bits[byte / 64] >> byte % 64 & 1;
}

/* The bytes that lanes use: a box for each run of them. */
static void put_bytes(struct picture_text *text, const struct scene *scene, bool again) {
    bool begun = false;
    for (unsigned i = 0; i < scene->block_count; i++) {
        const struct block *b = &scene->block[scene->order[i]];
        const uint64_t *bits = again ? b->again : b->fresh;
        for (unsigned byte = 0; byte < scene->unit; byte++) {
            const unsigned first = byte;
            while (byte < scene->unit && has_byte(bits, byte))
                byte++;
            if (byte == first)
                continue;
            if (!begun)
                picture__begin_path(text, again ? "u a" : "u");
            begun = true;
            picture__put_box(text, b->x + (int)first * scene->byte_width, b->y,
                             (int)(byte - first) * scene->byte_width, height_of(b));
        }
    }
    if (begun)
        picture__end_path(text);
}

/* A stroke between blocks that are not neighbours in memory. */
static void put_breaks(struct picture_text *text, const struct scene *scene) {
    bool begun = false;
    for (unsigned i = 1; i < scene->block_count; i++) {
        const struct block *a = &scene->block[scene->order[i - 1]], *b = &scene->block[scene->order[i]];
        if (same_column(a, b) || a->group != b->group || adjoins(scene, a, b) || b->x < a->x)
            continue;
        if (!begun)
            picture__begin_path(text, "b");
        begun = true;
        const int middle = b->x - 150;
        picture__put_line(text, middle - 100, b->y + HEIGHT + 200, middle + 100, b->y + HEIGHT - 500);
    }
    if (begun)
        picture__end_path(text);
}

static unsigned digits_of(uint64_t number) {
    unsigned digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

static int label_length(uint64_t distance) {
    return PICTURE_DIGIT * (int)(1 + digits_of(distance));
}

static void put_label(struct picture_text *text, const char *anchor, int x, int baseline, uint64_t distance) {
    picture__begin_line(text, anchor, x, baseline);
    picture__put(text, distance ? "+" : "");
    picture__put_number(text, distance);
    picture__end_line(text);
}

/* Distances in bytes from the first block, below the blocks that begin a run, as far as there is room: the
 * row's first and last have precedence.  [first, end) are places in `order`, of one row. */
static void put_labels(struct picture_text *text, const struct scene *scene, unsigned first, unsigned end,
                       int baseline) {
    const struct block *last = &scene->block[scene->order[end - 1]], *before = NULL;
    const bool far = !same_column(&scene->block[scene->order[first]], last);
    const int last_end = last->x + scene->byte_width * (int)scene->unit;
    const int reserved =
        far ? last_end - label_length(last->address - scene->origin) : PICTURE_LEFT + PICTURE_ACROSS;
    int from = 0;
    for (unsigned i = first; i < end; i++) {
        const struct block *b = &scene->block[scene->order[i]];
        const uint64_t distance = b->address - scene->origin;
        const bool begins = !before || !(same_column(before, b) || adjoins(scene, before, b));
        const int b_end = b->x + label_length(distance);
        before = b;
        if (!begins || b->x < from || (far && (same_column(b, last) || b_end + PICTURE_DIGIT > reserved)))
            continue;
        put_label(text, "start", b->x, baseline, distance);
        from = b_end + PICTURE_DIGIT;
    }
    if (far && reserved >= from)
        put_label(text, "end", last_end, baseline, last->address - scene->origin);
}

static void put_all_labels(struct picture_text *text, const struct scene *scene) {
    for (unsigned i = 0, first = 0; i < scene->block_count; i++) {
        const struct block *b = &scene->block[scene->order[i]];
        const struct block *next = i + 1 < scene->block_count ? &scene->block[scene->order[i + 1]] : NULL;
        if (next && next->x >= b->x)
            continue;
        const bool ends = !next;
        put_labels(text, scene, first, i + 1, (ends ? scene->bottom - LABELS : b->y + HEIGHT) + 1100);
        first = i + 1;
    }
}

int picture__put_blocks(struct picture_text *text, const struct picture_request *request) {
    struct scene scene;
    add_lanes(&scene, request);
    sort_blocks(&scene);
    lay_out(&scene);
    if (text) {
        put_lines(text, &scene);
        put_blocks(text, &scene);
        put_bytes(text, &scene, true);
        put_bytes(text, &scene, false);
        put_breaks(text, &scene);
        put_all_labels(text, &scene);
    }
    return scene.bottom;
}
