/* Which part of an array is moved at a time when it does not fit into memory: a box, chosen so that what one
 * read and one write takes is long in all files.  Pure functions. */
#ifndef WIDELOAD_CLI_FILES_PLAN_H
#define WIDELOAD_CLI_FILES_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/npy/dtype.h"

/* How the elements of an index space lie in a file.  They are dense: sorted by stride, each stride is the
 * bytes that the smaller ones span, the least `record`. */
struct files_view {
    uint64_t offset;                      /* in bytes, of the element at index 0 */
    uint64_t record;                      /* bytes of an element */
    uint64_t stride[NPY_MOST_DIMENSIONS]; /* in bytes */
    unsigned order[NPY_MOST_DIMENSIONS];  /* files_space_merge(): the dimensions, the largest stride first */
};

/* rank 0: a single element.  No size is 0. */
struct files_space {
    unsigned rank;
    uint64_t size[NPY_MOST_DIMENSIONS];
};

/* A part of a space: count[d] indexes from start[d] on. */
struct files_box {
    uint64_t start[NPY_MOST_DIMENSIONS], count[NPY_MOST_DIMENSIONS];
};

/* Drops dimensions of size 1, joins neighbours that are one dimension in all views, and sets the views'
 * order. */
void files_space_merge(struct files_space *space, struct files_view *views, size_t view_count);

/* The strides in bytes of a space's dimensions in C order, for elements of `record` bytes. */
void files_dense_strides(const struct files_space *space, uint64_t record, uint64_t *strides);

/* Chooses the box to move at a time, in box->count: at most `elements` elements (1 or more), and no more than
 * what makes runs so long that longer ones are no faster. */
void files_box_choose(struct files_box *box, const struct files_space *space, const struct files_view *views,
                      size_t view_count, uint64_t elements);

/* Steps through the boxes of `most` indexes, the last dimension fastest.  Begin with files_box_first();
 * files_box_next() is false after the last. */
void files_box_first(struct files_box *box, const struct files_space *space, const struct files_box *most);
bool files_box_next(struct files_box *box, const struct files_space *space, const struct files_box *most);
uint64_t files_box_elements(const struct files_box *box, const struct files_space *space);

/* The strides in bytes of the box alone, packed in the view's order. */
void files_box_strides(const struct files_box *box, const struct files_space *space,
                       const struct files_view *view, int64_t *strides);

/* The runs of contiguous bytes of which a box consists in a file, in the order in which the packed box has
 * them. */
struct files_runs {
    const struct files_view *view;
    const struct files_box *box;
    uint64_t offset, length; /* of the current run in the file, in bytes */
    unsigned dimensions;     /* those outside a run: the first ones of view->order */
    uint64_t at[NPY_MOST_DIMENSIONS];
};

void files_runs_first(struct files_runs *runs, const struct files_view *view, const struct files_space *space,
                      const struct files_box *box);
bool files_runs_next(struct files_runs *runs);

#endif
