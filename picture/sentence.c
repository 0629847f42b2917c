/* The sentence: what the request does, what that costs, and what would mend it. */
#include "picture/figures.h"
#include "picture/text.h"

static void put_lanes(struct picture_text *text, const struct picture_request *request,
                      const struct picture_figures *figures) {
    const struct count_access *access = &request->access;
    const bool local = request->space == PICTURE_LOCAL;
    const unsigned distinct = picture__distinct(access);
    const uint64_t apart = picture__size(figures->stride);
    const struct picture__fold fold = picture__fold(access);
    picture__put_count(text, figures->lanes, "lane");
    const bool merged = request->space == PICTURE_SHARED && access->increment;
    if (picture__is_atomic(access) && !local && !merged && distinct < figures->lanes) {
        picture__put(text, " update ");
        picture__put_count(text, distinct, "word");
        picture__put(text, ", in turns");
    } else if (figures->has_stride && apart) {
        picture__put(text, ", ");
        picture__put_count(text, apart, "byte");
        picture__put(text, " apart");
        picture__put(text, local ? " in local memory" : "");
    } else if (local) {
        picture__put(text, distinct == 1 ? " at one offset of local memory" : ", scattered in local memory");
    } else if (distinct == 1) {
        picture__put(text, figures->lanes == 1 ? "" : " at one address");
    } else if (picture__runs(access, figures) * 4 <= figures->lanes) {
        picture__put(text, " in ");
        picture__put_count(text, picture__runs(access, figures), "row");
    } else if (figures->cost.transactions > figures->least && fold.lanes && fold.stride) {
        picture__put(text, ", ");
        picture__put_count(text, picture__size(fold.stride), "byte");
        picture__put(text, " apart in each ");
        picture__put_number(text, fold.lanes);
    } else if (figures->cost.transactions > figures->least && fold.lanes) {
        picture__put(text, " at one address in each ");
        picture__put_number(text, fold.lanes);
    } else if (figures->cost.transactions > figures->least) {
        picture__put(text, ", scattered");
    } else {
        picture__put(text, " at ");
        picture__put_count(text, distinct, "addresse"); /* there are two at least */
    }
}

/* How far past a boundary a row of bytes begins, if that is what it costs. */
static void put_start(struct picture_text *text, const struct picture_request *request,
                      const struct picture_figures *figures) {
    const struct count_access *access = &request->access;
    if (request->space != PICTURE_GLOBAL || !figures->has_stride ||
        picture__size(figures->stride) != access->width || figures->cost.transactions == figures->least)
        return;
    const unsigned first = (unsigned)__builtin_ctz(access->mask),
                   last = 31 - (unsigned)__builtin_clz(access->mask);
    const unsigned lowest = figures->stride < 0 ? last : first;
    const uint64_t past = access->address[lowest] % figures->unit;
    if (!past)
        return;
    picture__put(text, ", from ");
    picture__put_count(text, past, "byte");
    picture__put(text, " past a multiple of ");
    picture__put_number(text, figures->unit);
}

static void put_cost(struct picture_text *text, const struct picture_request *request,
                     const struct picture_figures *figures) {
    const struct count_result *cost = &figures->cost;
    picture__put(text, ": ");
    picture__put_count(text, cost->transactions, picture__unit_name(request, figures->unit));
    if (cost->transactions > figures->least) {
        picture__put(text, " where ");
        picture__put_number(text, figures->least);
        picture__put(text, " would do.");
    } else if (request->space == PICTURE_LOCAL) {
        picture__put(text, ", as few as can be.");
    } else if (cost->useful_bytes == cost->moved_bytes) {
        picture__put(text, ", and nothing is wasted.");
    } else if (request->space == PICTURE_SHARED) {
        picture__put(text, ", without a bank conflict.");
    } else {
        picture__put(text, ", as few as can be; ");
        picture__put_number(text, cost->useful_bytes);
        picture__put(text, " of ");
        picture__put_count(text, cost->moved_bytes, "byte");
        picture__put(text, " are used.");
    }
}

void picture_put_sentence(struct picture_text *text, const struct picture_request *request) {
    const struct picture_figures figures = picture_figures(request);
    put_lanes(text, request, &figures);
    put_start(text, request, &figures);
    put_cost(text, request, &figures);
    picture__put_remedy(text, request, &figures);
}
