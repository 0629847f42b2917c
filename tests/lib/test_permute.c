/* wl_permute against plain C: every width, addresses shifted by elements, awkward shapes, outputs poisoned
 * and guarded.  On the simulator, or the device that WIDELOAD_DEVICE names. */
#include "permuted.h"

/* ---------------------------------------------------------------- tests */

static const struct problem problems[] = {
    {0, {0}, {0}, ": copy:"},
    {1, {1}, {0}, ": copy:"},
    {1, {1000}, {0}, ": copy:"},
    {3, {7, 1, 11}, {1, 0, 2}, ": copy:"},
    {8, {1, 1, 1, 1, 1, 1, 1, 1}, {7, 6, 5, 4, 3, 2, 1, 0}, ": copy:"},
    {2, {67, 129}, {1, 0}, ": transpose:"},
    {3, {3, 35, 66}, {0, 2, 1}, ": transpose:"},
    {5, {5, 9, 1, 11, 3}, {3, 4, 2, 0, 1}, ": transpose:"},
    {3, {40, 3, 70}, {2, 1, 0}, tiles},
    {3, {64, 2, 128}, {2, 1, 0}, tiles},
    {3, {127, 2, 131}, {2, 1, 0}, tiles},
    {4, {61, 5, 3, 67}, {3, 2, 1, 0}, tiles},
    {4, {13, 17, 19, 5}, {2, 1, 3, 0}, tiles},
    {4, {5, 3, 50, 7}, {1, 3, 0, 2}, tiles},
    {6, {3, 5, 2, 7, 4, 9}, {5, 4, 3, 2, 1, 0}, tiles},
    {8, {2, 3, 2, 3, 2, 3, 2, 3}, {7, 6, 5, 4, 3, 2, 1, 0}, tiles},
    {8, {3, 2, 1, 4, 5, 1, 3, 2}, {4, 7, 0, 3, 1, 6, 2, 5}, tiles},
    /* Several large tiles, which overlap; runs that continue along the rows. */
    {3, {301, 3, 203}, {2, 1, 0}, tiles},
    {4, {53, 3, 5, 155}, {2, 1, 3, 0}, tiles},
    {4, {37, 4, 3, 301}, {1, 3, 0, 2}, tiles},
    /* Runs through several dimensions of the output: odd and even, with rows contiguous and far apart. */
    {3, {101, 13, 103}, {2, 1, 0}, tiles},
    {4, {24, 28, 5, 40}, {3, 2, 1, 0}, tiles},
    {4, {9, 21, 35, 33}, {3, 1, 0, 2}, tiles},
    {4, {11, 5, 96, 80}, {3, 1, 0, 2}, tiles},
    /* Rows at 16 bytes in both arrays: tiles that overlap; rows that continue through several dimensions. */
    {3, {112, 3, 208}, {2, 1, 0}, tiles},
    {4, {96, 3, 5, 144}, {3, 0, 2, 1}, tiles},
    {5, {48, 3, 4, 20, 28}, {2, 4, 1, 3, 0}, tiles},
    /* Runs that continue along the rows, for one column and many; contiguous rows of dimensions that move. */
    {4, {21, 3, 5, 61}, {2, 1, 3, 0}, tiles},
    {4, {5, 3, 7, 203}, {2, 1, 3, 0}, NULL},
    {4, {5, 3, 7, 61}, {2, 1, 3, 0}, tiles},
    {5, {11, 7, 9, 15, 13}, {4, 1, 2, 0, 3}, tiles},
    {5, {17, 5, 6, 13, 15}, {2, 4, 1, 3, 0}, tiles},
    /* Short contiguous rows. */
    {3, {3, 448, 96}, {0, 2, 1}, NULL},
    {3, {2, 264, 24}, {0, 2, 1}, NULL},
    /* The last dimension stays last, and is long, short or neither. */
    {3, {6, 7, 1024}, {1, 0, 2}, NULL},
    {3, {6, 7, 999}, {1, 0, 2}, NULL},
    {4, {2, 9, 3, 37}, {0, 2, 1, 3}, NULL},
    {3, {31, 33, 3}, {1, 0, 2}, NULL},
    {3, {31, 33, 4}, {1, 0, 2}, NULL},
    {5, {5, 2, 9, 3, 2}, {2, 1, 0, 3, 4}, NULL},
    {4, {2, 61, 53, 3}, {0, 2, 1, 3}, NULL},
    {4, {45, 3, 53, 7}, {2, 1, 0, 3}, NULL},
    {4, {3, 4, 301, 37}, {2, 1, 0, 3}, NULL},
    {4, {31, 4, 67, 19}, {2, 1, 0, 3}, NULL},
    /* Small matrices that are transposed and move: one by one, and neighbours. */
    {4, {5, 7, 9, 13}, {1, 0, 3, 2}, NULL},
    {4, {61, 3, 33, 31}, {1, 0, 3, 2}, NULL},
    {5, {3, 5, 4, 7, 6}, {1, 0, 2, 4, 3}, NULL},
    {5, {2, 3, 1000, 3, 5}, {1, 0, 2, 4, 3}, NULL},
    {6, {3, 2, 11, 2, 5, 7}, {2, 1, 3, 0, 5, 4}, NULL},
    /* Patches of images. */
    {6, {2, 3, 2, 16, 3, 16}, {0, 2, 4, 3, 5, 1}, NULL},
};
enum { PROBLEMS = sizeof(problems) / sizeof(problems[0]) };

static void every_width(void **state) {
    (void)state;
    for (unsigned i = 0; i < PROBLEMS; i++)
        for (unsigned width = 1; width <= 16; width *= 2)
            permute(&problems[i], width, 0, 0);
}

/* Matrices that are no whole accesses, where bulk copies are; others are for tiles. */
static void matrices_move(void **state) {
    (void)state;
    skip_without_bulk();
    static const struct problem all[] = {
        {4, {9, 7, 20, 29}, {1, 0, 3, 2}, ": matrices:"},
        {5, {3, 5, 4, 7, 3}, {1, 0, 2, 4, 3}, ": matrices:"},
        {4, {9, 7, 16, 32}, {1, 0, 3, 2}, tiles}, /* whole rows of bytes */
        {4, {9, 7, 14, 22}, {1, 0, 3, 2}, ": matrices:"},
        {4, {175, 350, 3, 3}, {1, 0, 3, 2}, ": matrices:"}, /* hundreds of them make up a block */
        {4, {9, 7, 20, 28}, {1, 0, 3, 2}, ": matrices:"},   /* whole vectors, but no row is */
        {4, {27, 1452, 3, 5}, {1, 0, 3, 2}, ": bulk:"},     /* so small that they go as records */
        {4, {64, 400, 7, 9}, {1, 0, 3, 2}, ": bulk:"},      /* and small enough, as records are cheap */
        {4, {96, 20, 49, 37}, {1, 0, 3, 2}, ": matrices:"}, /* records would be cheap, but it is large */
        {4, {9, 7, 32, 16}, {1, 0, 3, 2}, ": matrices:"},   /* whole rows, but large for pairs */
        {4, {9, 7, 16, 16}, {1, 0, 3, 2}, tiles},
        {4, {9, 7, 48, 13}, {1, 0, 3, 2}, ": matrices:"}, /* of bytes, that no asynchronous loads take */
        {4, {207, 50, 13, 20}, {1, 0, 3, 2}, ": bulk:"},  /* larger, but records are cheap */
        {4, {96, 20, 20, 27}, {1, 0, 3, 2}, ": matrices:"},
        {4, {9, 7, 8, 32}, {1, 0, 3, 2}, ": matrices:"}, /* whole rows, but large for words */
        {4, {9, 7, 8, 28}, {1, 0, 3, 2}, tiles},
    };
    permute(&all[0], 1, 0, 0);
    permute(&all[0], 2, 0, 0);
    permute(&all[1], 4, 0, 0);
    permute(&all[1], 8, 0, 0);
    permute(&all[2], 1, 0, 0);
    permute(&all[3], 4, 0, 0);
    permute(&all[4], 4, 2, 0);
    permute(&all[5], 1, 0, 0);
    permute(&all[8], 1, 0, 0);
    permute(&all[11], 1, 0, 0);
    permute(&all[12], 1, 0, 0);
    permute(&all[13], 1, 0, 0);
    permute(&all[14], 4, 0, 0);
    permute(&all[15], 4, 0, 0);
    for (unsigned i = 6; i < 11; i++)
        if (i != 8)
            permute(&all[i], 2, 0, 0);
    /* Once more from a plan that is kept, at other addresses. */
    permute(&all[0], 1, 0, 0);
    permute(&all[0], 1, 64, 32);
}

/* Where bulk copies' tiles are estimated to be dear, or others to be dearer, with compute capability 9.0. */
static void dear_tiles_are_left_to_others(void **state) {
    (void)state;
    skip_without_bulk();
    /* Pairs of short rows: tiles through registers if the output's rows are long, or where look-ups are dear.
     */
    permute(&(struct problem){4, {4, 18749, 8, 3}, {3, 2, 0, 1}, ": tiles:"}, 2, 0, 0);
    permute(&(struct problem){5, {8, 47, 101, 5, 5}, {1, 4, 3, 0, 2}, ": bulk:"}, 2, 0, 0);
    permute(&(struct problem){6, {20, 4, 4, 197, 7, 5}, {2, 0, 1, 5, 4, 3}, ": tiles:"}, 2, 0, 0);
    /* Records of several hundred bytes, of which a tile has some. */
    permute(&(struct problem){6, {4, 6, 5, 5, 16, 335}, {2, 3, 4, 1, 5, 0}, ": bulk:"}, 2, 0, 0);
    permute(&(struct problem){6, {29, 7, 4, 13, 7, 4}, {1, 0, 4, 2, 5, 3}, ": bulk:"}, 2, 0, 0);
    permute(&(struct problem){3, {6, 3389, 6}, {2, 1, 0}, ": bulk:"}, 2, 0, 0);
    permute(&(struct problem){4, {512, 30, 19, 14}, {2, 1, 3, 0}, ": bulk:"}, 2, 0, 0);
    /* Bytes whose tiles have many bank conflicts. */
    permute(&(struct problem){5, {8, 3, 9, 408, 96}, {3, 1, 0, 4, 2}, ": bulk:"}, 1, 0, 0);
    /* Pairs whose rows begin anywhere in the input, and at vectors in the output. */
    permute(&(struct problem){4, {11, 32, 16, 412}, {3, 2, 0, 1}, ": async:"}, 2, 0, 0);
    /* Bytes that asynchronous tiles would store by halves of sectors, and by whole ones. */
    permute(&(struct problem){5, {3, 40, 16, 5, 32}, {3, 0, 1, 4, 2}, ": tiles:"}, 1, 0, 0);
    permute(&(struct problem){5, {3, 40, 16, 5, 16}, {3, 0, 1, 4, 2}, ": tiles:"}, 1, 0, 0);
    permute(&(struct problem){5, {3, 40, 32, 5, 32}, {3, 0, 1, 4, 2}, ": async:"}, 1, 0, 0);
    permute(&(struct problem){5, {3, 40, 16, 5, 12}, {3, 0, 1, 4, 2}, ": async:"}, 1, 0, 0);
}

/* Small tiles, and rows whose neighbours in the input lie far apart in the output. */
static void small_tiles_are_left_to_others(void **state) {
    (void)state;
    const bool has_bulk = wl__has_bulk(context);
    const struct wl__tuned *without = context->tuned;
    struct wl__tuned tuned = *without;
    tuned.permute.small_tile = 6912;
    tuned.permute.rows_tile = 12 << 10;
    tuned.permute.torn_apart = 28000;
    tuned.permute.split_apart = 80000;
    tuned.permute.strips.small_array[3] = 8 * 7 * 8 * 501;
    context->tuned = &tuned;
    permute(&(struct problem){4, {9, 3, 39, 3}, {0, 3, 2, 1}, ": small:"}, 8, 0, 0);
    permute(&(struct problem){5, {3, 5, 2, 128, 3}, {2, 1, 0, 4, 3}, ": small:"}, 16, 0, 0);
    permute(&(struct problem){4, {9, 7, 3, 10}, {0, 2, 1, 3}, ": rows:"}, 8, 0, 0);
    permute(&(struct problem){5, {6, 8, 7, 5, 6}, {1, 0, 2, 4, 3}, has_bulk ? ": matrices:" : ": small:"}, 8,
            0, 0);
    permute(&(struct problem){3, {500, 8, 7}, {1, 0, 2}, ": small:"}, 8, 0, 0);
    permute(&(struct problem){3, {499, 8, 7}, {1, 0, 2}, ": rows:"}, 8, 0, 0);
    if (has_bulk) {
        /* Rows of 8-byte words go by strips in large arrays; rows of vectors that end within 64 bytes by
         * tiles. */
        permute(&(struct problem){3, {502, 8, 7}, {1, 0, 2}, ": strips:"}, 8, 0, 0);
        permute(&(struct problem){3, {500, 8, 10}, {1, 0, 2}, ": tiles:"}, 16, 0, 0);
    }
    permute(&(struct problem){3, {499, 8, 10}, {1, 0, 2}, ": rows:"}, 16, 0, 0);
    permute(&(struct problem){3, {500, 8, 12}, {1, 0, 2}, ": rows:"}, 16, 0, 0);
    permute(&(struct problem){3, {500, 8, 34}, {1, 0, 2}, ": rows:"}, 16, 0, 0);
    context->tuned = without;
}

/* Loads read whole vectors, but nothing past the array: its memory begins and ends with it. */
static void nothing_else_is_read(void **state) {
    (void)state;
    static const struct problem all[] = {{3, {1601, 83, 7}, {2, 1, 0}, NULL},
                                         {4, {53, 21, 13, 64}, {0, 3, 2, 1}, NULL},
                                         {3, {246, 3, 1281}, {2, 1, 0}, NULL}};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (unsigned width = 1; width <= 2; width++)
            for (unsigned shift = 0; shift < 16; shift += 5) {
                if (left_to_release())
                    continue;
                const struct problem *p = &all[i];
                uint64_t bytes = width;
                for (unsigned d = 0; d < p->rank; d++)
                    bytes *= p->sizes[d];
                wl_devptr to, from;
                assert_int_equal(wl_alloc(context, &to, bytes), WL_ERROR_OK);
                assert_int_equal(wl_alloc(context, &from, bytes + shift * width), WL_ERROR_OK);
                if (wl_permute(context, width, to, from + shift * width, p->rank, p->sizes, p->order, NULL) ||
                    wl_synchronize(context))
                    fail_msg("width %u, shift %u: %s", width, shift, wl_message());
                wl_free(context, to);
                wl_free(context, from);
            }
}

/* Every misalignment, in turn of the input, of the output, and of both. */
static void every_shift(void **state) {
    (void)state;
    for (unsigned i = 0; i < PROBLEMS; i++) {
        struct problem problem = problems[i];
        problem.strategy = NULL;
        for (unsigned width = 1; width <= 8; width *= 2)
            for (unsigned shift = 1; shift < 16 / width; shift++) {
                if (left_to_release() || left_to_newer())
                    continue;
                const unsigned all[][2] = {{shift, 0}, {0, shift}, {shift, 16 / width - shift}},
                               n = (i + shift) % 3;
                permute(&problem, width, all[n][0], all[n][1]);
            }
    }
}

static void rows_are_rows(void **state) {
    (void)state;
    permute(&(struct problem){3, {6, 7, 1024}, {1, 0, 2}, ": rows:"}, 4, 0, 0);
    permute(&(struct problem){3, {6, 7, 1024}, {1, 0, 2}, ": rows:"}, 4, 2, 2);
    permute(&(struct problem){3, {6, 7, 1024}, {1, 0, 2}, ": rows:"}, 4, 1, 0);
    permute(&(struct problem){5, {5, 3, 4, 7, 37}, {3, 1, 2, 0, 4}, ": rows:"}, 1, 3, 2);
    permute(&(struct problem){5, {5, 3, 4, 7, 37}, {3, 1, 2, 0, 4}, ": rows:"}, 2, 0, 1);
    permute(&(struct problem){4, {7, 9, 3, 275}, {1, 0, 2, 3}, ": rows:"}, 1, 0, 0);
    permute(&(struct problem){4, {2, 9, 3, 128}, {0, 2, 1, 3}, ": rows:"}, 2, 0, 0);
    permute(&(struct problem){8, {2, 3, 2, 3, 2, 3, 2, 41}, {6, 5, 4, 3, 2, 1, 0, 7}, ": rows:"}, 1, 1, 1);
    /* Of 8-byte words from 40 bytes on, but for large arrays; and shorter ones where tiles of rows are
     * estimated to be dear. */
    const struct wl__tuned *without = context->tuned;
    struct wl__tuned tuned = *without;
    tuned.permute.strips.small_array[3] = 70 * 80 * 40;
    context->tuned = &tuned;
    permute(&(struct problem){3, {70, 80, 40}, {1, 0, 2}, ": rows:"}, 1, 0, 0);
    context->tuned = without;
    permute(&(struct problem){4, {4, 4, 4000, 17}, {0, 2, 1, 3}, ": rows:"}, 1, 0, 0);
    permute(&(struct problem){4, {30, 137, 5, 9}, {0, 2, 1, 3}, ": rows:"}, 2, 0, 0);
    /* Once more from the choice that is kept, at other addresses. */
    permute(&(struct problem){4, {30, 137, 5, 9}, {0, 2, 1, 3}, ": rows:"}, 2, 64, 128);
    /* A row is one element. */
    permute(&(struct problem){3, {31, 33, 4}, {1, 0, 2}, ": transpose:"}, 4, 0, 0);
    permute(&(struct problem){4, {31, 33, 5, 4}, {2, 1, 0, 3}, tiles}, 4, 0, 0);
}

/* Tiles of short rows that begin anywhere: several tiles in both directions, whole dimensions in one tile,
 * several dimensions around them, rows that end at every place in a vector, and arrays that begin at every
 * place. */
static void short_rows_stay_together(void **state) {
    (void)state;
    static const struct problem cases[] = {
        {3, {101, 113, 37}, {1, 0, 2}, NULL},      {3, {211, 167, 19}, {1, 0, 2}, NULL},
        {4, {35, 3, 24, 131}, {2, 1, 0, 3}, NULL}, {5, {29, 2, 3, 26, 67}, {3, 1, 2, 0, 4}, NULL},
        {3, {39, 5, 517}, {1, 0, 2}, NULL},        {4, {2, 9, 123, 61}, {0, 2, 1, 3}, NULL},
        {4, {2, 123, 8, 61}, {0, 2, 1, 3}, NULL},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (unsigned shift = 0; shift < 16; shift++)
            permute(&cases[i], shift % 8 == 7 ? 2 : 1, shift, (3 * shift + i) % 16);
}

/* A plan is reused between calls, but not for another shape or other offsets within 16 bytes. */
static void calls_do_not_disturb_each_other(void **state) {
    (void)state;
    static const struct problem one = {3, {40, 3, 72}, {2, 1, 0}, NULL},
                                other = {3, {40, 3, 71}, {2, 1, 0}, NULL},
                                turned = {3, {40, 3, 72}, {1, 2, 0}, NULL};
    for (unsigned i = 0; i < 2; i++) {
        permute(&one, 4, 0, 0);
        permute(&one, 4, 4, 8);
        permute(&one, 4, 1, 0);
        permute(&one, 4, 0, 1);
        permute(&other, 4, 0, 1);
        permute(&one, 2, 0, 0);
        permute(&turned, 2, 0, 0);
        permute(&one, 4, 0, 0);
    }
}

/* Transposes of a batch that moves, with compute capability 9.0: the kernels that serve them, each at the
 * least of what they ask for. */
static void batches_are_transposed(void **state) {
    (void)state;
    skip_without_bulk();
    static const char batch[] = ": transpose: the last dimensions of both arrays";
    static const struct {
        struct problem problem;
        unsigned width, shift; /* that keeps the choice, or 0 */
    } all[] = {
        /* Tiles of whole vectors. */
        {{3, {64, 3, 96}, {2, 1, 0}, batch}, 16, 2},
        {{3, {64, 3, 96}, {2, 1, 0}, batch}, 8, 0},
        {{4, {2, 3, 64, 128}, {1, 3, 0, 2}, batch}, 4, 0},
        {{6, {2, 64, 3, 2, 3, 128}, {3, 5, 0, 4, 2, 1}, batch}, 2, 0},
        {{4, {128, 2, 3, 256}, {3, 2, 1, 0}, batch}, 1, 0},
        {{8, {2, 2, 3, 2, 3, 2, 32, 32}, {5, 3, 7, 1, 4, 0, 2, 6}, batch}, 8, 0},
        /* Others, and windows. */
        {{3, {121, 2, 125}, {2, 1, 0}, batch}, 4, 1},
        {{4, {93, 3, 2, 252}, {3, 2, 1, 0}, batch}, 8, 1},
        {{3, {512, 3, 240}, {2, 1, 0}, batch}, 1, 0},
        {{3, {4001, 2, 201}, {2, 1, 0}, batch}, 1, 5},
        /* Windows whose rows begin at sectors in all matrices, and in every other one. */
        {{3, {1056, 4, 301}, {2, 1, 0}, batch}, 1, 16},
        {{3, {1032, 4, 301}, {2, 1, 0}, batch}, 1, 16},
        {{3, {1056, 2, 301}, {2, 1, 0}, batch}, 2, 8},
        {{3, {1032, 2, 301}, {2, 1, 0}, batch}, 2, 8},
        {{4, {1032, 4, 3, 301}, {3, 2, 1, 0}, batch}, 1, 16},
        {{4, {1032, 3, 4, 301}, {3, 2, 1, 0}, batch}, 1, 16},
        /* Rows that begin at vectors in every other matrix. */
        {{4, {2, 93, 2, 253}, {0, 3, 2, 1}, batch}, 8, 0},
        /* Panels, tall ones, and matrices, of bytes. */
        {{4, {29, 4, 5, 900}, {2, 1, 3, 0}, batch}, 1, 3},
        {{4, {8, 3, 2, 1601}, {2, 1, 3, 0}, batch}, 1, 3},
        {{4, {16, 3, 2, 2048}, {2, 1, 3, 0}, batch}, 1, 16},
        {{4, {3, 120, 5, 118}, {2, 0, 3, 1}, batch}, 1, 7},
        {{5, {2, 3, 5, 59, 128}, {1, 2, 0, 4, 3}, batch}, 1, 1},
        /* Structures and streams. */
        {{4, {3, 2, 9001, 3}, {3, 1, 0, 2}, batch}, 1, 3},
        {{4, {3, 2, 5829, 3}, {3, 1, 0, 2}, batch}, 2, 1},
        {{5, {2, 3, 2, 1457, 5}, {2, 4, 1, 0, 3}, batch}, 4, 1},
        {{4, {5, 3, 220, 7}, {1, 3, 0, 2}, batch}, 16, 0},
        {{4, {12, 8, 256, 32}, {3, 1, 0, 2}, batch}, 4, 0},
        {{4, {3, 2, 8192, 17}, {3, 1, 0, 2}, batch}, 1, 0},
        {{4, {4, 3, 2, 8209}, {2, 1, 3, 0}, batch}, 1, 5},
        {{4, {6, 3, 2, 4101}, {2, 1, 3, 0}, batch}, 2, 1},
        {{5, {2, 4, 3, 2, 2763}, {3, 0, 2, 4, 1}, batch}, 4, 1},
        {{4, {4, 3, 2, 1032}, {2, 1, 3, 0}, batch}, 8, 0},
        /* Tall panels of many rows that are whole vectors are left to bulk's tiles. */
        {{4, {3, 176, 5, 118}, {2, 0, 3, 1}, bulk}, 1, 0},
        {{4, {3, 162, 5, 118}, {2, 0, 3, 1}, batch}, 1, 0},
        /* Panels that do not go by words take no digits: others serve. */
        {{4, {2, 3, 15, 3801}, {1, 0, 3, 2}, NULL}, 2, 0},
        {{4, {3, 5, 59, 129}, {1, 0, 3, 2}, NULL}, 1, 0},
    };
    const struct wl__tuned *without = context->tuned;
    context->tuned = with_batches;
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        permute(&all[i].problem, all[i].width, 0, 0);
        if (all[i].shift) {
            permute(&all[i].problem, all[i].width, all[i].shift, 0);
            permute(&all[i].problem, all[i].width, 0, all[i].shift);
        }
        /* As its plan is kept, and at any place. */
        permute(&all[i].problem, all[i].width, 128 / all[i].width, 256 / all[i].width);
        struct problem moved = all[i].problem;
        moved.strategy = NULL;
        permute(&moved, all[i].width, 3, 5);
    }
    context->tuned = without;
}

/* Fails unless `few` serves the shape, or does not. */
static void few_serves(bool serves, unsigned width, const struct problem *p, unsigned to_shift,
                       unsigned from_shift) {
    if (permute(p, width, to_shift, from_shift) && serves != !!strstr(wl_explain(), ": few:"))
        fail_msg("width %u: %s", width, wl_explain());
}

/* Up to 8 rows that become columns, and columns that become rows, of every number and width: streams of one
 * vector and more, which end within a warp, and several dimensions around them. */
static void few_rows_and_columns_move(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 8; width *= 2)
        for (uint64_t n = 2; n <= 9; n++) {
            const uint64_t each = 16 / width, most = width == 8 ? 6145 : 2049;
            const struct problem all[] = {
                {4, {n, 3, most / 9 + 1, 3 * each}, {2, 1, 3, 0}, NULL},
                {4, {3, most / 15 + 1, 5 * each, n}, {3, 1, 0, 2}, NULL},
                {4, {3, most / 21 + 1, n, 7 * each}, {1, 0, 3, 2}, NULL},
                {8, {3, 2, n, 2, most / 48 + 1, 2, 2, each}, {4, 6, 0, 3, 1, 5, 7, 2}, NULL},
                {8, {3, 2, 2, most / 96 + 1, 2, 2, 2 * each, n}, {4, 7, 2, 0, 5, 3, 1, 6}, NULL},
            };
            for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
                few_serves(n <= 8, width, &all[i], 0, 0);
        }
}

/* Where others are faster, or it cannot: vectors that begin elsewhere or that rows are not, few threads,
 * short columns. */
static void few_leaves_the_rest(void **state) {
    (void)state;
    few_serves(true, 2, &(struct problem){4, {4, 3, 43, 128}, {2, 1, 3, 0}, NULL}, 0, 0);
    few_serves(true, 2, &(struct problem){4, {4, 3, 43, 128}, {2, 1, 3, 0}, NULL}, 8, 0);
    few_serves(false, 2, &(struct problem){4, {4, 3, 43, 128}, {2, 1, 3, 0}, NULL}, 4, 0);
    few_serves(true, 2, &(struct problem){4, {4, 3, 43, 128}, {2, 1, 3, 0}, NULL}, 0, 8);
    few_serves(false, 2, &(struct problem){4, {4, 3, 43, 128}, {2, 1, 3, 0}, NULL}, 0, 4);
    few_serves(false, 2, &(struct problem){4, {4, 3, 43, 132}, {2, 1, 3, 0}, NULL}, 0, 0);
    few_serves(false, 2, &(struct problem){4, {4, 3, 42, 128}, {2, 1, 3, 0}, NULL}, 0, 0);
    few_serves(true, 8, &(struct problem){4, {4, 3, 512, 8}, {2, 1, 3, 0}, NULL}, 0, 0);
    few_serves(false, 8, &(struct problem){4, {4, 3, 511, 8}, {2, 1, 3, 0}, NULL}, 0, 0);
    few_serves(true, 4, &(struct problem){4, {3, 400, 8, 5}, {3, 1, 0, 2}, NULL}, 0, 0);
    few_serves(false, 4, &(struct problem){4, {3, 800, 4, 5}, {3, 1, 0, 2}, NULL}, 0, 0);
    few_serves(false, 16, &(struct problem){4, {4, 3, 512, 8}, {2, 1, 3, 0}, NULL}, 0, 0);
}

/* The word: a pattern of tests, all of which run without it. */
int main(int count, char **words) {
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width),
        cmocka_unit_test(matrices_move),
        cmocka_unit_test(dear_tiles_are_left_to_others),
        cmocka_unit_test(small_tiles_are_left_to_others),
        cmocka_unit_test(nothing_else_is_read),
        cmocka_unit_test(every_shift),
        cmocka_unit_test(rows_are_rows),
        cmocka_unit_test(short_rows_stay_together),
        cmocka_unit_test(calls_do_not_disturb_each_other),
        cmocka_unit_test(batches_are_transposed),
        cmocka_unit_test(few_rows_and_columns_move),
        cmocka_unit_test(few_leaves_the_rest),
    };
    return cmocka_run_group_tests(tests, open_tiles, close_device);
}
