/* Values fitted to measurements, one file per architecture: thresholds between movers, and how a kernel is
 * launched.  All of it is about speed: no value makes a result wrong.
 *
 * What kernels are compiled with (tiles, threads), and what machines are (lines of 128 bytes, sectors of 32),
 * is next to the kernels.  Values were measured on an H200 unless the comment says otherwise. */
#ifndef WIDELOAD_LIB_TUNED_H
#define WIDELOAD_LIB_TUNED_H

#include <stdint.h>

/* A threshold that nothing reaches. */
#define WL_NEVER UINT32_MAX

/* Bytes of a row from which on movers of rows are the fastest (docs/notes/copy.md). */
struct wl__tuned_rows {
    uint32_t slots_4, slots_2, slots_1; /* slots, for rows at multiples of 4, 2, 1 bytes */
    uint32_t slots_4_first;             /* slots, even where the output's rows follow each other */
    uint32_t dense;                     /* vectors of one row or two, where these do */
    uint32_t seams_4; /* the same with seams made apart, for multiples of 4 bytes; for others always */
};

/* Small arrays that are in the L2: nanoseconds of a call, in a graph of such calls.  A call's time is that of
 * its first bytes (the launch, the parameters, the loads and stores of one block), and more for more
 * elements. scripts/latency_fit.py fits these (docs/notes/small.md). */
struct wl__tuned_small {
    /* Elements from which on the small mover's boxes are twice as large, and its threads move twice as many.
     */
    uint32_t large;
    /* Of the small mover: for one element, and for each million; below `large`, and from there on. */
    uint32_t first[2], per_million[2];
    /* For the first bytes, of others: transposes by vectors, of a few streams or of tiles of 4- and 8-byte
     * elements; others of them; those by more streams, and by tiles of up to 4 bytes whose rows begin
     * anywhere; and permutations. */
    uint32_t vectors, tiles, torn, moved;
};

/* Transposes.  [5] is by width: 1, 2, 4, 8, 16 bytes; [3] by 1, 2, 4 bytes; [2] by 1 and 2 bytes, unless the
 * comment says otherwise.  docs/notes/transpose.md has the measurements. */
struct wl__tuned_transpose {
    /* Order of tiles.  Rows of the input that are multiples of channels_apart bytes apart (a power of two)
     * share few memory channels.  Two columns of tiles channels_step bytes apart, in turns, are up to 6 %
     * faster. */
    uint32_t channels_apart, channels_step;
    /* The L2 holds the lines of a column of tiles of so many rows.  cached_windows is for tiles that begin
     * early in a row of the output.  Taller matrices are cut into bands of rows, which is up to 34 % faster.
     */
    uint32_t cached_rows, cached_windows;
    /* Matrices of more than wide_cols columns have bands of about wide_band rows, others of narrow_band. */
    uint32_t wide_cols, wide_band, narrow_band;

    /* Bytes in flight on a multiprocessor while one block stores.  The number of blocks that this makes is 1
     * to 10 % faster than as many blocks as fit, or one less.  0: as many as fit. */
    uint32_t in_flight;
    /* Fewer tiles of 1-byte elements than few_tiles, 32 per multiprocessor, want few_more blocks more. */
    uint32_t few_tiles, few_more;
    /* Blocks more for the columns mover, whose lanes have more to do; and blocks that must fit for it to win.
     */
    uint32_t columns_more[3], columns_blocks[3];
    /* Bytes of a tile.  Pieces and columns of up to half of it are taken two at a time. */
    uint32_t small_tile;
    /* 1: for 4-byte and wider elements, asynchronous loads are 0.1 to 1.3 % faster than loads to registers.
     */
    uint32_t async_words;
    /* Columns of 4-byte elements up to which asynchronous loads are faster wherever rows begin: by 2 to 14 %.
     */
    uint32_t async_cols;
    /* Bytes of an array of 4-byte elements that is small: there they are 1.06 to 1.26 times as fast, if it is
     * in the L2. */
    uint32_t async_small;
    /* Rows of the output of narrow elements, beyond `least` and up to `most` bytes, whose tiles need no whole
     * sectors where the input's rows have `stream` bytes and more. */
    struct {
        uint32_t least, most, stream;
    } low;

    /* Minimum rows, columns and tiles of the slots mover, for 2 and 4 bytes; below them other movers win. */
    struct wl__tuned_slots {
        uint32_t rows, cols, tiles;
        uint32_t conflict_rows; /* rows from which on bank conflicts matter */
        uint32_t tall;          /* rows per column from which on it is 3 % slower */
        uint32_t windows;       /* so many rows, and half as many, fill windows, which are faster */
    } slots[2];
    /* Rows or columns, whichever are fewer, up to which the small mover beats tiles that begin anywhere, of
     * elements of 4 bytes and more: by 1.1 to 45 times, as those tiles would be nearly empty. */
    uint32_t thin;
    /* From so many rows, columns and tiles on, so many blocks per multiprocessor in clusters of so many are 1
     * % faster.  Smaller matrices want else_blocks, each by itself. */
    struct {
        uint32_t rows, cols, tiles, blocks, cluster, else_blocks;
    } slots_large;
    /* Clusters of bytes beat windows from so many bytes of a row of both sides on: 4095 x 4097; and in
     * matrices of `large` bytes and more that fill so many hundredths of the tiles. */
    struct wl__tuned_clusters {
        uint32_t row, large, full_rows, full_cols;
    } clusters;

    /* The pieces mover.  A request is one to shared memory, per 512 bytes. */
    struct {
        uint32_t blocks;           /* blocks that must fit a multiprocessor for it to win */
        uint32_t least, short_row; /* blocks of two strips that it needs for rows beyond so many columns */
        uint32_t few;              /* requests up to which it always wins */
        uint32_t some, large;      /* requests up to which it wins for matrices of more than `large` bytes */
        uint32_t most;             /* requests beyond which it never wins */
        uint32_t long_row;         /* bytes of a row from which on it only wins for `few` requests */
        uint32_t all_rows[4]; /* rows up to which a tile has all of them, and they may begin within sectors */
        uint32_t
            torn_rows; /* rows of 4-byte elements up to which it beats tiles, though they end in sectors */
        /* Bytes of a row up to which it beats windows and tiles if the output's rows begin anywhere, by width
         * and bank conflicts: up to two-way (8 bytes: also if they begin at sectors), four-way, and pads for
         * eight-way, of an odd number of 8 columns and of others; and with pads if they begin at sectors. */
        uint32_t torn_row[4][4], padded_row;
        uint32_t wide_few; /* even numbers of columns of 8 bytes up to which tiles do better, though the
                              output's rows begin anywhere */
        /* Columns up to which streams do better, though the output's rows begin anywhere, by width, for up to
         * two-way bank conflicts. */
        uint32_t torn_few[4];
        /* Bytes of an array up to which this holds for multiples of 4 columns too, by width; and columns of
         * bytes, even but no multiple of 4, up to which pieces do better in arrays of any size. */
        uint32_t torn_fours[4], torn_even;
        uint32_t torn_stream;  /* bytes of a row of the output from which on it does so */
        uint32_t torn_small;   /* bytes of an array of pairs up to which it does so for any such row */
        uint32_t torn_most[2]; /* bytes of an array of bytes beyond which streams do better, by whether
                                  columns are an even number */
        /* Bytes in an even number of columns, from `least` to `most`, in arrays of so many bytes: where their
         * output's rows begin anywhere, pads make it faster than words and windows.  In arrays of `large`
         * bytes tiles have two strips at least, and four of up to large_most columns. */
        struct wl__tuned_even {
            uint32_t least, most, array, large, large_most;
        } even;
        /* Where whole chunks of the output's rows are stored: bytes of such a row, bytes and tiles of all
         * matrices, at least; by width, columns at least, bytes of a row of the input at most, and bytes that
         * a tile loads at least. */
        struct wl__tuned_chunks {
            uint32_t stream, array, tiles, cols[5], long_row[5], tile[5];
        } chunks;
    } pieces;
    /* Bytes of a matrix of 2-byte elements from which on the columns mover beats whole matrices. */
    uint32_t columns_matrix;
    /* Rows of pairs up to which panels beat the columns mover in arrays of columns_large bytes and more. */
    uint32_t columns_few, columns_large;

    /* Whole matrices and panels.  A block of more than panel_large bytes is slower than smaller tiles unless
     * there are panels_many blocks. */
    uint32_t panel_large, panels_many;
    /* Rows up to which panels beat tiles; aligned_rows is for 4-byte elements whose rows begin at vectors,
     * whole_rows for bytes where the output's do, and even_rows where these begin at sectors: by windows 128
     * to 256 rows are 1.05 to 1.2 times as fast. */
    uint32_t panel_rows[5], aligned_rows, whole_rows, even_rows;
    /* Rows of 2-byte elements from which on slots beat panels, if so many hundredths of the tiles are full.
     */
    uint32_t slots_rows, slots_full;
    uint32_t lined_rows; /* the same for slots and windows, of rows of the output that are whole lines */
    /* Bytes of all matrices from which on panels of 4-byte and wider elements beat tiles; aligned_bytes is
     * for rows that begin at vectors. */
    uint32_t panel_bytes, aligned_bytes;
    uint32_t torn_bytes; /* the same for 4-byte elements whose rows begin within vectors */
    /* Where few rows or columns could be streams, panels win for rows of less than `stream` bytes and panels
     * of panel_least bytes. */
    uint32_t stream, panel_least;
    /* Bytes of a panel: of 1 and 2 bytes; and of wider elements, and up to which narrow ones have rows of
     * groups.long_row bytes in large arrays.  Bytes of a row of it. */
    uint32_t panel_budget[2], panel_row;
    /* A matrix of less than tiny_matrix bytes is worth no block.  Of tiny_many such matrices that lie apart,
     * a block takes `together` bytes. */
    uint32_t tiny_matrix, tiny_many, together;
    /* Blocks more than in_flight makes: of panels and of whole matrices, each for 1 and 2 bytes and wider. */
    uint32_t panel_more[2][2];

    /* Bytes move by words.  A panel has up to `low` bytes, and up to `tall` where its rows would be shorter
     * than `row` bytes, or up to large_tall in arrays of `large` bytes and more.  There its rows have
     * long_row bytes where one of these budgets allows it.  A block of whole matrices has about `matrices`
     * bytes.  Up to sector_rows rows may lie anywhere in a line.  A tile of whole rows has up to `pieces`
     * bytes, and piece_rows rows or more.  Matrices of more than `whole` bytes go by panels where they have
     * `few` rows or more, up to `many`, or many_odd where rows are an odd number of bytes apart. */
    struct wl__tuned_groups {
        uint32_t low, tall, large_tall, large, long_row, row, sector_rows, matrices, pieces, piece_rows,
            whole, few, many, many_odd;
    } groups;
    /* Hundredths of the tiles of both sides' lines that must be full for these to beat panels.  [3] is by 4,
     * 8, 16 bytes here. */
    struct wl__tuned_full {
        uint32_t narrow_async;       /* 1 and 2 bytes, rows at vectors */
        uint32_t aligned[3];         /* rows of both sides at vectors */
        uint32_t line[3], lined[3];  /* rows of the input at multiples of `line` bytes, a power of two */
        uint32_t torn[3];            /* rows elsewhere */
        uint32_t low_rows, low_torn; /* rows elsewhere, 8 bytes, of up to low_rows rows */
        /* Where there are gaps between rows of the output: */
        uint32_t gap[3];
        uint32_t gap_few, gap_long; /* tiles also win for fewer rows than gap_few of gap_long columns */
        uint32_t gap_rows[2], gap_cols[2]; /* 1 and 2 bytes: tiles win for more rows and columns than these */
        uint32_t gap_stream;               /* bytes of a row of few columns from which on tiles win */
    } full;

    /* Structures and streams.  They beat panels if the longer side has so many bytes. */
    struct wl__tuned_narrow {
        uint32_t sectors;      /* a multiple of 32 bytes */
        uint32_t any[2];       /* 1 and 2 bytes; wider */
        uint32_t vectors;      /* 1 and 2 bytes, a multiple of 16 bytes */
        uint32_t words, large; /* wider, matrices of more than `large` bytes */
        uint32_t bytes, few;   /* 1 byte, up to `few` columns */
        uint32_t matrix;       /* bytes of a batch's matrix that fill a block */
        uint32_t tiny;         /* 4 bytes and wider: bytes of a matrix up to which it is moved whole */
        uint32_t fields, torn; /* rows that count as few; rows or columns where these are not whole vectors */
        uint32_t whole[5];     /* columns that count as few where structures are whole vectors, by width */
        /* Rows from which on panels beat streams that end within a vector, in arrays of `least` bytes and
         * more, by width, and up to which; of pairs in arrays of up to pairs_most bytes; in smaller arrays;
         * and rows of bytes whose streams are whole vectors.  16-byte elements always are that. */
        struct wl__tuned_broken {
            uint32_t least, rows[5], most[4], pairs, pairs_most, small[4], whole;
        } broken;
        /* Bytes of a batch's matrix up to which it is moved whole, of more columns or rows than most_few: of
         * 4 and 8 bytes, and of columns of pairs that are whole sectors. */
        uint32_t small, most_few;
        /* Narrow elements: when a batch's matrix is moved whole. */
        struct wl__tuned_small_narrow {
            /* Bytes of a matrix, of up to most_few streams that are no whole vectors: of columns, of rows,
             * and of an even number of rows of bytes. */
            uint32_t torn, torn_few, torn_even;
            uint32_t short_pairs; /* bytes of such a stream that is whole vectors, of pairs */
            uint32_t short_eight; /* the same of most_few rows of bytes, which are shorter than that */
            uint32_t whole;       /* bytes of each of more streams that fill a block: see fills_blocks() */
            uint32_t pairs;       /* bytes of a matrix, of more rows of pairs that fill no blocks */
            uint32_t short_rows;  /* bytes of a row below which it is, of such rows of bytes */
            uint32_t tall_torn;   /* bytes of a matrix, of such columns that are no whole sectors */
            uint32_t tall;        /* bytes of a matrix, of such columns of bytes that are whole sectors */
            uint32_t tall_cols;   /* and how many they may be */
        } of_narrow;
    } narrow;

    /* Batches of several dimensions, and of matrices that lie between each other: where these are ahead of
     * the tiles of wl_permute. */
    struct wl__tuned_batches {
        uint32_t panel;     /* bytes of a panel at least */
        uint32_t tall_rows; /* of a panel of words, from which on bulk's tiles are faster */
        /* Tiles of whole vectors: hundredths of them that must be full; bytes of an array at most; and bytes
         * of a row of the input at most.  And bytes of a small array, and hundredths in these. */
        uint32_t full[5], most[5], stream, small, small_full[5];
        uint32_t slots_full; /* the same for slots of pairs whose output begins at sectors */
        /* Structures and streams. */
        struct wl__tuned_stream_batches {
            uint32_t least;        /* bytes of a stream at least: of columns, and of rows of whole vectors */
            uint32_t torn_rows[2]; /* the same of other rows, of up to 2 bytes and of wider elements */
            uint32_t matrix;       /* bytes of a matrix at least: of up to 2 bytes, and of other streams than
                                      whole vectors */
            uint32_t small;        /* bytes of a matrix up to which other movers are as fast */
        } streams;
        /* Other tiles of 4 and 8 bytes. */
        struct wl__tuned_torn_batches {
            uint32_t rows, cols, full, most;
        } torn[2];
        /* Windows of 1 and 2 bytes.  Of rows of the input of `row` bytes: rows at least if the output's begin
         * at sectors, and if not, where they follow each other and where other matrices' lie between.  Of
         * others of short_row bytes: rows at least. */
        struct wl__tuned_window_batches {
            uint32_t row, even[2], odd[2], short_row, many[2];
        } windows;
    } batches;
};

/* Coefficients of a tile's cost beyond a copy, as a share of it: a sum, fitted so that what it finds cheapest
 * is fast.  A run is what is contiguous in an array; "per byte of" divides by so many bytes. */

/* Tiles through registers: 4600 plans of 34 shapes. */
struct wl__tuned_registers {
    double traffic;         /* per share of the elements that is visited twice */
    double in, in_square;   /* per byte of a loaded run, and of its square */
    double in_lines;        /* per byte of a loaded run that is not whole lines */
    double out, out_square; /* per byte of a stored run, and of its square */
    double out_sectors;     /* per byte of a stored run that is not whole sectors */
    uint32_t in_flight;     /* bytes in flight on a multiprocessor that are enough */
    double idle;            /* per share of in_flight that is missing */
    double tile;            /* per byte of a tile */
    double wide;            /* for 8-byte elements in more than 4 passes */
    uint32_t memory;        /* bytes of shared memory of a multiprocessor */
};

/* Tiles that asynchronous loads fill: 5000 plans of 258 shapes, on average 1.2 % above the best plan. */
struct wl__tuned_async {
    double traffic, in, out, tile; /* as above */
    double in_lines;               /* per byte of a loaded run, times the bytes that it begins past a line */
    double out_lines;              /* per byte of a stored run that begins within a line */
    double out_sectors;         /* per byte of a stored run, times the bytes that it begins past a sector */
    uint32_t small;             /* bytes of a tile that is large enough */
    double idle;                /* per share of `small` that is missing */
    double pass;                /* per pass of a block's threads over a side */
    double wave;                /* per wavefront beyond two of a warp's loads from the tile */
    uint32_t large;             /* bytes of a block beyond which fewer than four fit a multiprocessor */
    double few_blocks;          /* for these */
    uint32_t memory;            /* maximum bytes of a tile */
    uint32_t in_flight, blocks; /* bytes in flight while one block stores; the fewest blocks */
    double margin;              /* what registers must cost more: below it the two are within 1 % */
    double most;                /* cost beyond which they do not serve 2- and 4-byte elements unasked */
    uint32_t waves;             /* wavefronts of registers' tiles from which on they serve 2-byte elements */
    double cheap;               /* cost up to which they do so anyway, where columns begin alike in sectors */
    double dear;                /* cost from which on bulk copies are up to half again as fast, 4 bytes */
    double dear_reversed;       /* the same for reversed dimensions, where they are 2 % faster */
    uint32_t torn_halves;       /* 1: of 2-byte elements they win where the input's rows begin anywhere */
};

/* Tiles that bulk copies fill: 8600 tiles of 274 shapes. */
struct wl__tuned_bulk {
    double least;       /* for every tile */
    double read;        /* per share of the bytes that the L2 reads twice */
    double lines;       /* per byte of a stored run, times the bytes that it begins past a line */
    double parts;       /* per byte of a stored run that ends within a sector */
    double load;        /* per byte of a load */
    double run_square;  /* per square of a stored run's bytes */
    double row;         /* for each row of a tile */
    double block;       /* per block of a multiprocessor */
    uint32_t in_flight; /* bytes in flight on a multiprocessor that are enough */
    double idle;        /* for fewer */
    double tile;        /* per byte of a tile */
    double wave;        /* for each wavefront beyond three */
    /* Copies whose two ends lie differently within a line, or a sector, take more requests.  For tiles of 4
     * and 8 bytes, and for look-ups and words. */
    double off_lines[2], off_sectors[2];
    double most;          /* dearer tiles are not taken */
    double look_ups;      /* dearer look-ups of 4-byte elements are not taken, where there is no other tile */
    uint32_t memory_of_8; /* bytes of a block up to which eight fit a multiprocessor; else four */
    uint32_t turn;        /* bytes that a multiprocessor loads per cycle, for its blocks to take turns */
    uint32_t few;         /* 1- and 2-byte elements, or bytes of wider ones, that are moved as one element */
    /* 1- and 2-byte elements: 3450 tiles of 300 shapes, an H200.  Those for units of 4
     * bytes are not measured: a row is as one of pairs, and a step has half the look-ups. */
    struct wl__tuned_bulk_narrow {
        uint32_t many; /* bytes of an array from which on small blocks are more than four at a time */
        double least;  /* for every tile: less than a copy's time, as what follows never is nothing */
        double read, lines, run; /* as above */
        /* Per byte of a tile: for each block, 16 bytes of a load or load by a bulk copy, run that ends within
         * a sector, and access that a warp looks up, for as many as the busiest does. */
        double block, vector, load, end, cell;
        double row[3], step[3]; /* and for each row, and vectors that a warp stores: by units of 1, 2, 4 */
        double one_table;       /* share of a row's that is left where it is noted in one table */
        double wave;            /* per byte of an element: for each wavefront beyond one */
    } narrow;
    /* Elements of a few bytes that are packed in groups, beside the figures for narrow elements.  Not
     * measured: instructions of a warp and wavefronts, by what these cost there (1.33 and 4). */
    struct wl__tuned_units {
        /* Per byte of a tile: for each look-up of groups, and element of a group in it; for each step, which
         * moves a group per lane, its elements, its 512 bytes that are stored, its words that are read where
         * all lie at multiples of 4 bytes, and elsewhere; and for each wavefront beyond one of these words.
         */
        double cell, look_up, step, element, vector, word[2], wave;
        double dear,
            margin; /* cost from which on look-ups are considered, too, and what they must cost less */
    } units;
    /* Groups of columns that are moved by words, beside the figures for bytes that are moved so.  Per byte of
     * a tile: for each look-up of a warp; step of one, for bytes and pairs, where all words lie at multiples
     * of 4 bytes, and elsewhere; and wavefront beyond one of a load from the tile. */
    struct wl__tuned_column_groups {
        double least, cell, step[2][2], wave;
        uint32_t load; /* bytes of a load at least: shorter ones take longer to note than to move */
    } groups;
    /* Bytes that are moved by words: 2510 tiles of 230 shapes, an H200. */
    struct wl__tuned_words {
        double least;       /* for every tile: less than a copy's time, as what follows never is nothing */
        double read, lines; /* as above */
        /* Per byte of a tile: for each block, row, 16 bytes of a load or load by a bulk copy, and run that
         * ends within a sector. */
        double block, row, vector, load, end;
        /* Per byte of a tile: for each task of all warps at once; each step of a warp, by the rows of a run:
         * up to 64, 128, more; and for each wavefront beyond one of a step's words. */
        double task, short_step, step, step_of_two, wave;
        double joined; /* how much longer a step takes whose columns are of two dimensions */
        uint32_t
            short_run; /* rows of a run that continues along the rows, up to which single bytes are faster */
        double margin; /* by how much look-ups of bytes, but not records, must be cheaper */
        double off_lines[2]; /* as below, for rows that begin within sectors, and others */
        double dear_async;   /* cost of asynchronous loads' tiles from which on these win */
        double beside_async; /* and what these may be estimated to cost then */
        double access;       /* what they may cost where rows are one access */
    } words;
    /* Beside `tiles`.  Those are faster if tiles of pairs are estimated to cost more than `dear`: of any
     * rows, and of up to `in` bytes in the input and at least `out` in the output. */
    struct wl__tuned_narrow_rows {
        uint32_t in, out;
        double dear[2];
        /* Where no row of `tiles` is shifted: from how many wavefronts of both sides' accesses of `tiles` on
         * these may be estimated to cost how much; for bytes, and for pairs. */
#define WL_BESIDE 3
        double bytes[WL_BESIDE][2], pairs[WL_BESIDE][2];
    } narrow_rows;
};

/* Tiles of rows that stay together. */
struct wl__tuned_strips {
    /* Bytes of a row, by words of 1, 2, 4, 8 bytes.  Shorter rows go as elements of bulk's tiles, and those
     * of less than `first` bytes if these have a plan; longer ones one by one. */
    uint32_t least[4], first[4], most[4];
    uint32_t small_array[5]; /* bytes of an array up to which rows go one by one, by words */
    uint32_t memory;         /* maximum bytes of a block: four fit a multiprocessor, and leave it some L1 */
    uint32_t small, full;    /* bytes of a tile: fewer keep too little in flight; enough are in flight */
    double idle;             /* cost per share of `full` that is missing */
    uint32_t load, longest;  /* bytes that are contiguous in the input: minimum and maximum */
    uint32_t run;            /* minimum bytes that are contiguous in the output */
    double ends;             /* cost per byte of a load */
};

/* Small matrices that are transposed and move. */
struct wl__tuned_matrices {
    uint32_t most; /* bytes of a matrix */
    /* Bytes from which a matrix wins though it is whole accesses.  pairs: of 2-byte elements.  words: of
     * 1- and 4-byte ones, if its rows are not whole; of 4-byte ones whose rows are, from twice as many on. */
    uint32_t words, pairs;
    /* Bytes of matrices of 1- or 2-byte elements, tiny and small ones, up to which records are faster if they
     * are estimated to cost less than this beyond a copy.  Small ones have twice as many in large arrays. */
    uint32_t tiny[2];
    double records[2];
    uint32_t conflicts; /* wavefronts of `tiles`, of both sides, from which on matrices of bytes win, though
                           their rows are whole accesses */
    uint32_t together;  /* bytes of a block's matrices */
    uint32_t in_flight; /* bytes in flight on a multiprocessor while one block stores */
    uint32_t more[2];   /* blocks more than that makes: 1 and 2 bytes; wider */
};

/* The order in which blocks take tiles. */
struct wl__tuned_order {
    uint32_t square;         /* tiles along each side of what comes first */
    uint32_t group, streams; /* tiles of joined dimensions that come together; places where they are taken */
    uint32_t far, long_run;  /* bytes: tiles this far apart in the output do not count as neighbours if a
                              * loaded run is whole lines, or this long */
};

struct wl__tuned_permute {
    struct wl__tuned_order order;
    struct wl__tuned_registers registers;
    struct wl__tuned_async async;
    struct wl__tuned_bulk bulk;
    struct wl__tuned_strips strips;
    struct wl__tuned_matrices matrices;
    /* A few rows that become columns, or columns rows, while others move: when a thread best holds a vector
     * of each. */
    struct wl__tuned_few {
        uint32_t fewest;                /* so many rows or columns need no */
        uint32_t threads, wide_threads; /* at least; and of 8-byte elements */
        uint32_t small_array;           /* bytes of an array up to which streams may be short */
        uint32_t short_stream[2];       /* bytes of one at least: of columns that become rows, of rows */
        uint32_t long_stream;           /* the same in larger arrays */
        uint32_t wide_array; /* bytes of an array beyond which elements of 8 bytes are as fast by tiles, and
                                those of 4 bytes whose columns become rows */
    } few;
    uint32_t rows[5]; /* bytes from which on rows move one by one, by words of 1 to 16 bytes */
    uint32_t cached;  /* bytes of an array that may be small, and up to which rows of 16-byte words all do */
    /* Rows of so many bytes and more move so too where bulk's tiles are estimated to cost this much beyond a
     * copy, by words of 1 to 8 bytes; and where only registers' tiles are left, but of words of 16 bytes. */
    uint32_t rows_second;
    double rows_beyond[4];
    /* Rows of 8-byte words, of less than torn_row bytes, that lie next to each other in the input move by
     * boxes if they are so many bytes apart in the output. */
    uint32_t torn_row, torn_apart;
    /* Rows of 16-byte words, of less than split_row bytes and no multiple of 64, move by tiles if the input's
     * next row lies so many bytes further in the output. */
    uint32_t split_row, split_apart;
    /* Bytes of registers' tiles up to which rows of 16-byte words are faster one by one, and other 8- and
     * 16-byte elements by boxes. */
    uint32_t rows_tile, small_tile;
    uint32_t short_row; /* bytes of a row that is short, 4-byte elements */
    /* Minimum and maximum bytes of a tile that is contiguous in the output; minimum bytes of a row of it. */
    uint32_t whole_least, whole_most, whole_row;
    uint32_t cluster_memory; /* bytes of a block below which clusters lose: blocks come too fast */
    double cluster_lanes;    /* share of busy threads from which on clusters of four gain */
};

struct wl__tuned_inplace {
    uint32_t small_side; /* shorter side below which smaller tiles are up to 1.6 times as fast, 2 bytes */
    /* Bytes of a nearly square matrix from which on panels win, by width.  Below, two passes take less than
     * the launch of a grid that runs at once, and its waits. */
    uint32_t panels_from[5];
    uint32_t workspace_to; /* bytes of a matrix up to which it goes through a workspace as large */
};

struct wl__tuned_streams {
    uint32_t bulk_fields;           /* fields from which on bulk copies win: fewer are as fast one by one */
    uint32_t bulk_few, bulk_stream; /* the same for batches of streams of less than bulk_stream bytes */
    uint32_t chunk_vectors;         /* 16-byte vectors of a chunk per thread */
    uint32_t
        chunk_blocks; /* blocks below which chunks are made smaller, so that each multiprocessor has some */
};

struct wl__tuned_fields {
    uint32_t chunk; /* bytes of the structures of a chunk */
};

struct wl__tuned {
    const char *name;
    /* Bytes of a copy's or a sum's arrays from which on these are large: their loads have an eviction hint,
     * and their blocks 128 threads in place of 256.  The hint gains 1 to 3 % of the time if the L2 holds
     * other data, and costs 2.6 us if it holds some of theirs; the larger blocks gain up to 15 % if it holds
     * all of theirs. */
    uint64_t large_arrays;
    /* Bytes of a copy's rows from which on their seams are made apart: smaller copies take up to 3 times as
     * long by that, some 6.5 us. */
    uint64_t seams_bytes;
    struct wl__tuned_rows rows;
    struct wl__tuned_small small;
    struct wl__tuned_transpose transpose;
    struct wl__tuned_permute permute;
    struct wl__tuned_inplace inplace;
    struct wl__tuned_streams streams;
    struct wl__tuned_fields fields;
};

/* A file for each architecture.  The generic one has Hopper's values, except for what does not hold
 * elsewhere. */
extern const struct wl__tuned wl__tuned_hopper;
const struct wl__tuned *wl__tuned_generic(void);

/* The values of the newest architecture that is not newer than the device, whose capability 90 is 9.0. */
const struct wl__tuned *wl__tuned_for(unsigned capability);

#endif
