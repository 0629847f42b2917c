/* What the parts of a picture ask about a request; private to picture/. */
#ifndef WIDELOAD_PICTURE_FIGURES_H
#define WIDELOAD_PICTURE_FIGURES_H

#include "picture/picture.h"

struct count_split picture__split(const struct picture_request *request);
/* Distinct addresses. */
unsigned picture__distinct(const struct count_access *access);
/* Runs of lanes whose bytes follow each other's, up or, if the stride is negative, down. */
unsigned picture__runs(const struct count_access *access, const struct picture_figures *figures);
/* Lanes that lie equally far apart in each group of `lanes`, as where a block is 16 threads wide; lanes 0:
 * they do not. */
struct picture__fold {
    unsigned lanes;
    int64_t stride, pitch; /* from lane to lane, and from group to group */
};
struct picture__fold picture__fold(const struct count_access *access);
/* The distance in bytes from a lane to the next one of its run, as an unsigned number. */
static inline uint64_t picture__step(const struct count_access *access,
                                     const struct picture_figures *figures) {
    return figures->stride < 0 ? 0 - (uint64_t)access->width : access->width;
}
/* "sector", "line" or "wavefront". */
const char *picture__unit_name(const struct picture_request *request, unsigned unit);

static inline bool picture__is_atomic(const struct count_access *access) {
    return access->kind == COUNT_ATOM || access->kind == COUNT_RED;
}

static inline uint64_t picture__size(int64_t stride) {
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* What would mend the request, as a sentence with a space before it; nothing if no remedy is known. */
void picture__put_remedy(struct picture_text *text, const struct picture_request *request,
                         const struct picture_figures *figures);

#endif
