/* A warp's request as a picture and as a sentence: its lanes above the sectors, or the banks and wavefronts,
 * that they touch, with the useful bytes filled in.
 *
 * The page of `wideload prof --page`, the lessons' pictures and docs/explorer.html draw by these functions.
 * The explorer has them as WebAssembly, so they need no C library: they allocate nothing and call only
 * sim/count. Every function is pure and thread-safe. */
#ifndef WIDELOAD_PICTURE_H
#define WIDELOAD_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/count/count.h"

enum picture_space { PICTURE_GLOBAL, PICTURE_SHARED, PICTURE_LOCAL };

struct picture_request {
    const struct count_rules *rules;
    enum picture_space space;
    struct count_access access; /* addresses in shared and local memory are offsets, as in count.h */
};

/* What the picture shows, in numbers. */
struct picture_figures {
    struct count_result cost; /* as count_global(), count_shared() or count_local() has it */
    unsigned unit;            /* bytes of a transaction: 32 (a sector) or 128 (a cache line, a wavefront) */
    unsigned least;  /* transactions that these lanes take at best: each group of lanes one, or as many as its
                        bytes fill */
    unsigned lanes;  /* that take part */
    bool has_stride; /* each of several lanes lies `stride` bytes after the one before */
    int64_t stride;
};
struct picture_figures picture_figures(const struct picture_request *request);

/* A text in the caller's buffer.  What does not fit is left out, and `used` says how much there is of it. */
struct picture_text {
    char *bytes;       /* `size` of them; after each call NUL-terminated if size is not 0 */
    size_t size, used; /* used is without the NUL; the text is whole if used < size */
};
/* Bytes that hold any request's, with the NUL. */
enum { PICTURE_SVG_MOST = 32768, PICTURE_SENTENCE_MOST = 512 };

/* Appends what the request does and what would mend it: "32 lanes, 128 bytes apart: 32 sectors where 4 would
 * do.  A tile in shared memory, or exchanging the loops, would mend it."  Plain text, no markup. */
void picture_put_sentence(struct picture_text *text, const struct picture_request *request);
/* Appends an <svg> element with role="img", whose name is the sentence.  Its colours are classes of
 * picture_put_style(), which a page has once. */
void picture_put_svg(struct picture_text *text, const struct picture_request *request);
/* Appends CSS rules for the pictures, light and dark. */
void picture_put_style(struct picture_text *text);

#endif
