/* The picture's frame: its name, its lanes, and what the colours stand for. */
#include "picture/figures.h"
#include "picture/layout.h"

enum { NARROWED = 80 }; /* percent */

void picture__begin_numbers(struct picture_text *text, const char *class, int baseline) {
    picture__put(text, "<text class=\"");
    picture__put(text, class);
    picture__put(text, "\" transform=\"scale(.8 1)\" y=\"");
    picture__put_length(text, baseline);
    picture__put(text, "\" x=\"");
}

void picture__put_place(struct picture_text *text, unsigned number, int middle) {
    const int half = 250; /* of two digits, closer than their font has them */
    if (number < 10) {
        picture__put_length(text, middle * 100 / NARROWED);
        picture__put(text, " ");
        return;
    }
    picture__put_length(text, (middle - half) * 100 / NARROWED);
    picture__put(text, " ");
    picture__put_length(text, (middle + half) * 100 / NARROWED);
    picture__put(text, " ");
}

void picture__put_numbers(struct picture_text *text, const char *class, uint32_t which, int baseline) {
    if (!which)
        return;
    picture__begin_numbers(text, class, baseline);
    for (uint32_t left = which; left; left &= left - 1)
        picture__put_place(text, (unsigned)__builtin_ctz(left),
                           picture__lane_middle((unsigned)__builtin_ctz(left)));
    picture__put(text, "\">");
    for (uint32_t left = which; left; left &= left - 1)
        picture__put_number(text, (unsigned)__builtin_ctz(left));
    picture__end_line(text);
}

static void put_lane_boxes(struct picture_text *text, const char *class, uint32_t lanes) {
    if (!lanes)
        return;
    picture__begin_path(text, class);
    for (uint32_t left = lanes; left; left &= left - 1)
        picture__put_box(text, PICTURE_LEFT + __builtin_ctz(left) * PICTURE_PITCH, PICTURE_LANES_TOP,
                         PICTURE_CELL, PICTURE_LANES_END - PICTURE_LANES_TOP);
    picture__end_path(text);
}

static void put_lanes(struct picture_text *text, const struct picture_request *request, unsigned lanes) {
    static const char *const verbs[] = {"load", "store", "update", "update"};
    static const char *const spaces[] = {"global memory", "shared memory, by bank", "local memory"};
    static const char *const split_spaces[] = {"global, ", "shared, "};
    const unsigned at_a_time = picture__split(request).lanes;
    picture__begin_line(text, "start", PICTURE_LEFT, 1100);
    picture__put_count(text, lanes, "lane");
    picture__put(text, " ");
    picture__put(text, verbs[request->access.kind]);
    picture__put(text, lanes == 1 ? "s " : " ");
    picture__put_count(text, request->access.width, "byte");
    picture__put(text, lanes == 1 ? "" : " each");
    picture__end_line(text);
    picture__begin_line(text, "end", PICTURE_LEFT + PICTURE_ACROSS, 1100);
    if (at_a_time < 32 && request->space != PICTURE_LOCAL) {
        picture__put(text, split_spaces[request->space]);
        picture__put_number(text, at_a_time);
        picture__put(text, " lanes at a time");
    } else {
        picture__put(text, spaces[request->space]);
    }
    picture__end_line(text);
    put_lane_boxes(text, "n", request->access.mask);
    put_lane_boxes(text, "i", ~request->access.mask);
    picture__put_numbers(text, "n", request->access.mask, PICTURE_LANES_TOP + 920);
    picture__put_numbers(text, "o", ~request->access.mask, PICTURE_LANES_TOP + 920);
}

static void put_key(struct picture_text *text, const char *class, int x, int y, uint64_t bytes,
                    const char *words) {
    picture__begin_path(text, class);
    picture__put_box(text, x, y - 800, 800, 800);
    picture__end_path(text);
    picture__begin_line(text, "start", x + 1200, y);
    picture__put_count(text, bytes, "byte");
    picture__put(text, words);
    picture__end_line(text);
}

static void put_keys(struct picture_text *text, const struct picture_request *request,
                     const struct picture_figures *figures, int y) {
    const struct count_result *cost = &figures->cost;
    picture__begin_line(text, "start", PICTURE_LEFT, y);
    picture__put_count(text, cost->transactions, picture__unit_name(request, figures->unit));
    picture__end_line(text);
    put_key(text, "u k", 10400, y, cost->useful_bytes, " used");
    if (cost->moved_bytes > cost->useful_bytes)
        put_key(text, request->space == PICTURE_SHARED ? "i k" : "s k", 22600, y,
                cost->moved_bytes - cost->useful_bytes, " unused");
}

void picture_put_svg(struct picture_text *text, const struct picture_request *request) {
    const struct picture_figures figures = picture_figures(request);
    int (*const put)(struct picture_text *, const struct picture_request *) =
        request->space == PICTURE_SHARED ? picture__put_banks : picture__put_blocks;
    const int keys = put(NULL, request) + 1300;
    picture__put(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wlp\" viewBox=\"0 0 360 ");
    picture__put_length(text, keys + 400);
    picture__put(text, "\" role=\"img\" aria-label=\"");
    picture_put_sentence(text, request);
    picture__put(text, "\">");
    put_lanes(text, request, figures.lanes);
    put(text, request);
    put_keys(text, request, &figures, keys);
    picture__put(text, "</svg>");
}
