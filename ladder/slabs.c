#include "ladder/slabs.h"

#define COORDINATE_LIMIT 2147483648u

static uint32_t lesser(uint32_t a, uint64_t b) {
    return a < b ? a : (uint32_t)b;
}

/* Sets the extent and grid of the slab at (x, y). */
static void settle(struct wl__slabs *slabs) {
    if (!wl__slabs_more(slabs))
        return;
    slabs->slab_width = lesser(slabs->x_limit * slabs->tile_x, slabs->width - slabs->x);
    slabs->slab_height = lesser(slabs->y_limit * slabs->tile_y, slabs->height - slabs->y);
    slabs->grid_x = (slabs->slab_width - 1) / slabs->tile_x + 1;
    slabs->grid_y = (slabs->slab_height - 1) / slabs->tile_y + 1;
}

void wl__slabs_start(struct wl__slabs *slabs, uint64_t width, uint64_t height, uint32_t tile_x,
                     uint32_t tile_y, uint32_t x_limit, uint32_t y_limit) {
    *slabs = (struct wl__slabs){.width = width, .height = height, .tile_x = tile_x, .tile_y = tile_y};
    slabs->x_limit = lesser(x_limit, COORDINATE_LIMIT / tile_x);
    slabs->y_limit = lesser(y_limit, COORDINATE_LIMIT / tile_y);
    settle(slabs);
}

bool wl__slabs_more(const struct wl__slabs *slabs) {
    return slabs->width > 0 && slabs->y < slabs->height;
}

void wl__slabs_next(struct wl__slabs *slabs) {
    slabs->x += slabs->slab_width;
    if (slabs->x >= slabs->width) {
        slabs->x = 0;
        slabs->y += slabs->slab_height;
    }
    settle(slabs);
}
