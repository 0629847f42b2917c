/* tex and tld4: lanes that use the same object are fetched together.  Each wants one texel or, filtered or
 * gathered, those around the coordinate. */
#include <string.h>

#include "sim/exec/handlers.h"
#include "sim/exec/lanes/float.h"
#include "sim/exec/memory/access.h"
#include "sim/exec/texture/fetch.h"

enum { CORNERS = 8 };

/* The bits of a corner's number select the upper texel: bit 0 along x, bit 1 along y, bit 2 along z. */
struct texels {
    uint64_t address[CORNERS][SIM_LANES];
    uint64_t counted[CORNERS][SIM_LANES]; /* addresses as in hardware: texels of one sector in 32 bytes */
    uint32_t inside[CORNERS];             /* lanes whose texel is not the border's */
    unsigned corners;
    struct fetch_axis place[3][SIM_LANES];
};

static float coordinate_of(struct sim_warp *w, const struct sim_fetch *f, unsigned axis, unsigned lane) {
    return float_f32(((const uint32_t *)SIM_SLOT(w, f->coordinate[axis]))[lane]);
}

/* Layers are clamped in every address mode; negative ones are large numbers. */
static uint64_t layer_of(struct sim_warp *w, const struct sim_fetch *f, const struct sim_texture *t,
                         unsigned lane) {
    if (!f->layered)
        return 0;
    uint32_t layer = ((const uint32_t *)SIM_SLOT(w, f->layer))[lane];
    return layer < t->depth ? layer : t->depth - 1;
}

/* In an array, a sector contains 16 bytes of each of two rows. */
static uint64_t in_blocks(const struct sim_texture *t, uint64_t address) {
    uint64_t offset = address - t->base, row = offset / t->pitch, at = offset % t->pitch;
    uint64_t slice = row / t->height, y = row % t->height;
    return ((slice * t->height + (y & ~1ull)) * t->pitch + at / 16 * 16) * 2 + (y & 1) * 16 + at % 16;
}

static void place(struct sim_warp *w, const struct sim_fetch *f, const struct sim_texture *t, uint32_t lanes,
                  struct texels *out) {
    const uint32_t sizes[3] = {t->width, t->height, t->depth};
    const bool several = f->gather || (t->linear && !f->whole);
    out->corners = several ? 1u << f->dimensions : 1;
    memset(out->inside, 0, sizeof out->inside);
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        for (unsigned axis = 0; axis < f->dimensions; axis++) {
            struct fetch_axis *at = &out->place[axis][lane];
            if (f->whole)
                at->lower =
                    fetch_place_whole(sizes[axis], ((const int32_t *)SIM_SLOT(w, f->coordinate[axis]))[lane]);
            else
                *at = fetch_place(t, axis, sizes[axis], coordinate_of(w, f, axis, lane), several);
        }
        uint64_t layer = t->base + layer_of(w, f, t, lane) * t->slice;
        for (unsigned c = 0; c < out->corners; c++) {
            const size_t steps[3] = {sim_texture_texel_bytes(t), t->pitch, t->slice};
            uint64_t address = layer;
            bool inside = true;
            for (unsigned axis = 0; axis < f->dimensions; axis++) {
                const struct fetch_axis *at = &out->place[axis][lane];
                int64_t number = c >> axis & 1 ? at->upper : at->lower;
                inside &= number >= 0;
                address += (uint64_t)number * steps[axis];
            }
            out->address[c][lane] = address;
            out->counted[c][lane] = t->blocked ? in_blocks(t, address) : address;
            out->inside[c] |= (uint32_t)inside << lane;
        }
    }
}

/* Checks the texels; returns the lanes whose texels may be read.  The others' results are zeros. */
static uint32_t access_texels(struct sim_warp *w, const struct sim_insn *in, const struct sim_fetch *f,
                              const struct texels *texels, unsigned bytes, uint32_t lanes) {
    for (unsigned c = 0; c < texels->corners; c++) {
        struct sim_lanes all = {.mask = texels->inside[c] & lanes};
        if (!all.mask)
            continue;
        all.first = (unsigned)__builtin_ctz(all.mask);
        for (unsigned i = 0; i < SIM_LANES; i++)
            all.address[i] = texels->address[c][all.mask >> i & 1 ? i : all.first];
        const uint32_t wanted = all.mask;
        if (!sim_access(w, in, &f->op, SIM_SPACE_GLOBAL, &all, bytes))
            all.mask = 0;
        lanes &= ~(wanted & ~all.mask);
    }
    return lanes;
}

static void count(struct sim_warp *w, const struct sim_fetch *f, const struct sim_texture *t,
                  const struct texels *texels, uint32_t lanes) {
    struct sim_site_tally *site = &w->worker->sites[f->op.site];
    const unsigned width = sim_texture_texel_bytes(t);
    struct count_texels access = {.width = width,
                                  .lanes = f->whole && width < 16 ? 8 : 4,
                                  .active = t->fetch_only ? texels->inside[0] : lanes,
                                  .corners = texels->corners,
                                  .mask = texels->inside,
                                  .address = texels->counted};
    struct count_texture_result cost = count_texture(&access);
    site->by[SIM_SPACE_GLOBAL].requests += cost.requests;
    site->by[SIM_SPACE_GLOBAL].transactions += cost.transactions;
}

static void read_texel(const struct sim_fetch *f, const struct sim_texture *t, const struct texels *texels,
                       unsigned corner, unsigned lane, uint32_t out[4]) {
    if (texels->inside[corner] >> lane & 1)
        fetch_decode(t, (const void *)(uintptr_t)texels->address[corner][lane], out);
    else if (f->whole)
        memset(out, 0, 4 * sizeof *out);
    else
        fetch_border(t, out);
}

/* The weighted sum of the corners, rounded once.  Texels of weight 0 are skipped, because an infinity would
 * turn the sum into NaN. */
static void filter(const struct sim_fetch *f, const struct sim_texture *t, const struct texels *texels,
                   unsigned lane, uint32_t out[4]) {
    double sum[4] = {0};
    for (unsigned c = 0; c < texels->corners; c++) {
        double weight = 1;
        uint32_t texel[4];
        for (unsigned axis = 0; axis < f->dimensions; axis++) {
            unsigned upper = texels->place[axis][lane].weight;
            weight *= (double)(c >> axis & 1 ? upper : FETCH_ONE - upper) / FETCH_ONE;
        }
        if (weight == 0)
            continue;
        read_texel(f, t, texels, c, lane, texel);
        for (unsigned k = 0; k < 4; k++)
            sum[k] += weight * (double)float_f32(texel[k]);
    }
    for (unsigned k = 0; k < 4; k++)
        out[k] = bits_f32((float)sum[k]);
}

/* One component of the four texels, counterclockwise from the lower left. */
static void gather(const struct sim_fetch *f, const struct sim_texture *t, const struct texels *texels,
                   unsigned lane, uint32_t out[4]) {
    static const unsigned corners[4] = {2, 3, 1, 0};
    for (unsigned k = 0; k < 4; k++) {
        uint32_t texel[4];
        read_texel(f, t, texels, corners[k], lane, texel);
        out[k] = texel[f->component];
    }
}

static void fetch(struct sim_warp *w, const struct sim_insn *in, const struct sim_fetch *f,
                  const struct sim_texture *t, uint32_t lanes) {
    struct texels texels;
    const unsigned bytes = sim_texture_texel_bytes(t);
    place(w, f, t, lanes, &texels);
    count(w, f, t, &texels, lanes);
    for (uint32_t left = access_texels(w, in, f, &texels, bytes, lanes); left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t result[4];
        if (f->gather)
            gather(f, t, &texels, lane, result);
        else if (texels.corners > 1)
            filter(f, t, &texels, lane, result);
        else
            read_texel(f, t, &texels, 0, lane, result);
        for (unsigned k = 0; k < 4; k++)
            ((uint32_t *)SIM_SLOT(w, f->op.reg[k]))[lane] = result[k];
    }
}

static const char *shape_name(unsigned dimensions, bool layered) {
    static const char *const names[2][3] = {{"1-dimensional", "2-dimensional", "3-dimensional"},
                                            {"layered 1-dimensional", "layered 2-dimensional", ""}};
    return names[layered][dimensions - 1];
}

static void check_shape(struct sim_warp *w, const struct sim_insn *in, const struct sim_fetch *f,
                        const struct sim_texture *t, unsigned lane, uint64_t handle) {
    if (t->dimensions != f->dimensions || t->layered != f->layered)
        sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, handle, "a %s fetch through a %s texture object",
                        shape_name(f->dimensions, f->layered), shape_name(t->dimensions, t->layered));
    if (t->fetch_only && !f->whole)
        sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, handle,
                        "a texture object of linear memory is fetched from with tex1Dfetch only");
}

static void no_object(struct sim_warp *w, const struct sim_insn *in, const struct sim_fetch *f,
                      uint32_t lanes, uint64_t handle, bool destroyed) {
    if (w->check && sim_check_no_texture(w, in, &f->op, lanes, handle, destroyed))
        return;
    sim_fault_raise(w, in, (unsigned)__builtin_ctz(lanes), SIM_FAULT_ADDRESS, handle,
                    destroyed ? "texture object 0x%llx was destroyed" : "there is no texture object 0x%llx",
                    (unsigned long long)handle);
}

const struct sim_insn *sim_run_texture(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_fetch *f = in->extra;
    const uint64_t *handles = SIM_SLOT(w, f->handle);
    for (uint32_t left = w->mask; left;) {
        unsigned first = (unsigned)__builtin_ctz(left);
        uint64_t handle = handles[first];
        uint32_t lanes = 0;
        bool destroyed;
        for (unsigned i = 0; i < SIM_LANES; i++)
            lanes |= (uint32_t)(left >> i & 1 && handles[i] == handle) << i;
        const struct sim_texture *t = sim_textures_find(w->worker->launch->textures, handle, &destroyed);
        if (t) {
            check_shape(w, in, f, t, first, handle);
            fetch(w, in, f, t, lanes);
        } else {
            no_object(w, in, f, lanes, handle, destroyed);
        }
        left &= ~lanes;
    }
    return in + 1;
}
