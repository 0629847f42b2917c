/* Texture fetches against the CUDA Programming Guide's formulas, written anew; counts; faults; checks.
 *
 * usage: test_texture KERNELS.PTX COUNTS
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/texture/texture.h"
#include "tests/exec/check/findings.h"

enum { THREADS = 64, W = 13, H = 7, D = 3, PITCH = 224 /* W * 16 and some */ };

static const char *ptx_file, *counts_file;

struct fixture {
    struct findings f;
    struct sim_textures *textures;
    float *x, *y;
    uint32_t *out;
    unsigned char *texels;
    struct sim_texture texture;
};

static int setup_with(void **state, unsigned checks) {
    static struct fixture it;
    memset(&it, 0, sizeof it);
    findings_open(&it.f, ptx_file, checks);
    it.textures = sim_textures_create();
    assert_non_null(it.textures);
    it.f.h.with.textures = it.textures;
    it.x = (float *)findings_buffer(&it.f, THREADS, true);
    it.y = (float *)findings_buffer(&it.f, THREADS, true);
    it.out = (uint32_t *)findings_buffer(&it.f, 4 * THREADS, true);
    it.texels = (unsigned char *)findings_buffer(&it.f, PITCH * H * D / 4, true);
    for (int i = 0; i < PITCH * H * D; i++)
        it.texels[i] = (unsigned char)(i * 37 + i / 224 * 11);
    it.texture = (struct sim_texture){.base = (uint64_t)(uintptr_t)it.texels,
                                      .pitch = PITCH,
                                      .slice = PITCH * H,
                                      .width = W,
                                      .height = H,
                                      .depth = 1,
                                      .dimensions = 2,
                                      .kind = SIM_TEXEL_FLOAT,
                                      .bits = 32,
                                      .channels = 4,
                                      .mode = {SIM_ADDRESS_CLAMP, SIM_ADDRESS_CLAMP, SIM_ADDRESS_CLAMP}};
    *state = &it;
    return 0;
}

static int setup(void **state) {
    return setup_with(state, 0);
}

static int setup_checked(void **state) {
    return setup_with(state, SIM_CHECK_ALL);
}

static int teardown(void **state) {
    struct fixture *it = *state;
    findings_close(&it->f);
    sim_textures_destroy(it->textures);
    return 0;
}

/* Floats instead of bytes. */
static void fill_floats(struct fixture *it) {
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < 4 * W; x++) {
                float value = (float)(x * x - 17 * y + 100 * z) / 8;
                memcpy(it->texels + z * PITCH * H + y * PITCH + 4 * x, &value, 4);
            }
}

static float texel(const struct fixture *it, int x, int y, int z, int c) {
    float value;
    memcpy(&value, it->texels + z * PITCH * H + y * PITCH + 16 * x + 4 * c, 4);
    return value;
}

static bool launch(struct fixture *it, const char *kernel, uint64_t handle) {
    const void *params[] = {&handle, &it->x, &it->y, &it->out};
    memset(it->out, 0xab, 16 * THREADS);
    return harness_launch(&it->f.h, kernel, 1, THREADS, 0, params);
}

static void fetch(struct fixture *it, const char *kernel) {
    uint64_t handle = sim_textures_add(it->textures, &it->texture);
    assert_true(handle != 0);
    if (!launch(it, kernel, handle))
        fail_msg("%s: %s", kernel, it->f.h.fault.text);
    assert_true(sim_textures_remove(it->textures, handle));
}

static float got(const struct fixture *it, int i, int c) {
    float value;
    memcpy(&value, &it->out[4 * i + c], 4);
    return value;
}

/* ---------------------------------------------------------------- the Guide's formulas */

static int outside_or(int at, int size, enum sim_address_mode mode, bool normalized) {
    if (mode == SIM_ADDRESS_BORDER)
        return at < 0 || at >= size ? -1 : at;
    if (mode == SIM_ADDRESS_WRAP && normalized)
        return ((at % size) + size) % size;
    if (mode == SIM_ADDRESS_MIRROR && normalized) {
        int period = ((at % (2 * size)) + 2 * size) % (2 * size);
        return period < size ? period : 2 * size - 1 - period;
    }
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static double at(const struct fixture *it, int x, int y, int c) {
    const struct sim_texture *t = &it->texture;
    x = outside_or(x, W, t->mode[0], t->normalized);
    y = outside_or(y, H, t->mode[1], t->normalized);
    return x < 0 || y < 0 ? (double)t->border[c] : (double)texel(it, x, y, 0, c);
}

static double expected(const struct fixture *it, int i, int c) {
    double x = it->x[i], y = it->y[i];
    if (it->texture.normalized)
        x *= W, y *= H;
    if (!it->texture.linear)
        return at(it, (int)floor(x), (int)floor(y), c);
    /* Coordinates here are multiples of 1/256 after scaling, so that rounding does not matter. */
    x -= 0.5, y -= 0.5;
    int u = (int)floor(x), v = (int)floor(y);
    double alpha = x - u, beta = y - v;
    return (1 - alpha) * (1 - beta) * at(it, u, v, c) + alpha * (1 - beta) * at(it, u + 1, v, c) +
           (1 - alpha) * beta * at(it, u, v + 1, c) + alpha * beta * at(it, u + 1, v + 1, c);
}

static void planes(void **state) {
    struct fixture *it = *state;
    fill_floats(it);
    for (int i = 0; i < 4; i++)
        it->texture.border[i] = (float)i - 1.5f;
    for (int variant = 0; variant < 16; variant++) {
        it->texture.mode[0] = it->texture.mode[1] = (enum sim_address_mode)(variant % 4);
        it->texture.linear = variant & 4;
        it->texture.normalized = variant & 8;
        for (int i = 0; i < THREADS; i++) {
            it->x[i] = (float)(i * 149 % (3 * W * 256) - W * 256 + 40 * i) / 256;
            it->y[i] = (float)(i * 211 % (3 * H * 256) - H * 256) / 256;
            if (it->texture.normalized) {
                /* If a size is not a power of two, only quarters of it are exact. */
                it->x[i] = (float)(i % 12 - 5) / 4;
                it->y[i] = (float)(i % 10 - 4) / 4;
            }
        }
        static const char *const kernels[] = {"plane_float4", "lod_float4", "grad_float4"};
        for (int k = 0; k < 3; k++) {
            fetch(it, kernels[k]);
            for (int i = 0; i < THREADS; i++)
                for (int c = 0; c < 4; c++)
                    if (got(it, i, c) != (float)expected(it, i, c))
                        fail_msg("%s, variant %d, (%g, %g), channel %d: %g, not %g", kernels[k], variant,
                                 (double)it->x[i], (double)it->y[i], c, (double)got(it, i, c),
                                 expected(it, i, c));
        }
    }
}

/* The weight has 8 bits: a coordinate between two weights gives the result of one of them. */
static void weights_have_8_bits(void **state) {
    struct fixture *it = *state;
    fill_floats(it);
    it->texture.linear = true;
    for (int i = 0; i < THREADS; i++) {
        it->x[i] = 3.5f + (float)i / 4096;
        it->y[i] = 2.5f;
    }
    fetch(it, "plane_float4");
    for (int i = 0; i < THREADS; i++) {
        double alpha = floor(i / 16.0 + 0.5) / 256;
        double want = (1 - alpha) * (double)texel(it, 3, 2, 0, 1) + alpha * (double)texel(it, 4, 2, 0, 1);
        assert_true(got(it, i, 1) == (float)want);
    }
}

/* A texel without weight does not count, even if it is infinite. */
static void no_weight(void **state) {
    struct fixture *it = *state;
    fill_floats(it);
    it->texture.linear = true;
    float infinite = INFINITY;
    memcpy(it->texels + 2 * PITCH + 16 * 4, &infinite, 4);
    for (int i = 0; i < THREADS; i++) {
        it->x[i] = 3.5f;
        it->y[i] = 2.5f;
    }
    fetch(it, "plane_float4");
    assert_true(got(it, 0, 0) == texel(it, 3, 2, 0, 0));
}

static void other_shapes(void **state) {
    struct fixture *it = *state;
    fill_floats(it);
    for (int i = 0; i < THREADS; i++) {
        it->x[i] = (float)(i % W) + 0.5f;
        it->y[i] = (float)(i % H) + 0.5f;
    }
    it->texture.depth = D;
    it->texture.dimensions = 3;
    fetch(it, "space_float4");
    for (int i = 0; i < THREADS; i++)
        assert_true(got(it, i, 3) == texel(it, i % W, i % H, 1, 3));
    it->texture.linear = true; /* at the texels' middles; between two slices */
    fetch(it, "space_float4");
    for (int i = 0; i < THREADS; i++)
        assert_true(got(it, i, 3) == texel(it, i % W, i % H, 1, 3));
    it->texture.linear = false;
    it->texture.dimensions = 2;
    it->texture.layered = true;
    fetch(it, "layer_float4");
    for (int i = 0; i < THREADS; i++)
        assert_true(got(it, i, 2) == texel(it, i % W, i % H, i > 0 && i < D ? i - 1 : D - 1, 2));
    it->texture.dimensions = 1;
    it->texture.layered = false;
    it->texture.height = it->texture.depth = 1;
    fetch(it, "flat_float4");
    for (int i = 0; i < THREADS; i++)
        assert_true(got(it, i, 1) == texel(it, i % W, 0, 0, 1));
}

static void gathers(void **state) {
    struct fixture *it = *state;
    fill_floats(it);
    for (int i = 0; i < THREADS; i++) {
        it->x[i] = (float)(1 + i % (W - 1));
        it->y[i] = (float)(1 + i % (H - 1));
    }
    fetch(it, "gather_float4");
    for (int i = 0; i < THREADS; i++) {
        int x = i % (W - 1), y = i % (H - 1);
        assert_true(got(it, i, 0) == texel(it, x, y + 1, 0, 2));
        assert_true(got(it, i, 1) == texel(it, x + 1, y + 1, 0, 2));
        assert_true(got(it, i, 2) == texel(it, x + 1, y, 0, 2));
        assert_true(got(it, i, 3) == texel(it, x, y, 0, 2));
    }
}

/* ---------------------------------------------------------------- formats */

static void make_linear(struct fixture *it, enum sim_texel kind, unsigned bits, unsigned channels) {
    it->texture.kind = kind;
    it->texture.bits = (uint8_t)bits;
    it->texture.channels = (uint8_t)channels;
    it->texture.dimensions = 1;
    it->texture.width = 48;
    it->texture.height = it->texture.depth = 1;
    it->texture.fetch_only = true;
    for (int i = 0; i < THREADS; i++)
        it->x[i] = (float)(i - 8);
}

static int32_t whole(const struct fixture *it, int element, unsigned bits, bool sign) {
    uint32_t word = 0;
    memcpy(&word, it->texels + (size_t)element * bits / 8, bits / 8);
    if (sign && bits < 32 && word >> (bits - 1))
        word |= ~0u << bits;
    return (int32_t)word;
}

static void integers(void **state) {
    struct fixture *it = *state;
    for (unsigned bits = 8; bits <= 32; bits *= 2)
        for (unsigned channels = 1; channels <= 4; channels *= 2)
            for (int sign = 0; sign < 2; sign++) {
                make_linear(it, sign ? SIM_TEXEL_SIGNED : SIM_TEXEL_UNSIGNED, bits, channels);
                fetch(it, sign ? "fetch_int4" : "fetch_uint4");
                for (int i = 0; i < THREADS; i++)
                    for (unsigned c = 0; c < channels; c++) {
                        int at = i - 8;
                        int32_t want =
                            at < 0 || at >= 48 ? 0 : whole(it, at * (int)channels + (int)c, bits, sign);
                        assert_int_equal((int32_t)it->out[4 * i + (int)c], want);
                    }
            }
}

static void fractions(void **state) {
    struct fixture *it = *state;
    for (unsigned bits = 8; bits <= 16; bits *= 2)
        for (int sign = 0; sign < 2; sign++) {
            make_linear(it, sign ? SIM_TEXEL_SIGNED : SIM_TEXEL_UNSIGNED, bits, 4);
            it->texture.as_float = true;
            fetch(it, "fetch_float4");
            double greatest = (double)((1u << (bits - (unsigned)sign)) - 1);
            for (int i = 8; i < 56; i++)
                for (int c = 0; c < 4; c++) {
                    double want = whole(it, 4 * (i - 8) + c, bits, sign) / greatest;
                    assert_true(got(it, i, c) == (float)(want < -1 ? -1 : want));
                }
        }
}

/* 32-bit words are never fractions, whatever the object says. */
static void whole_words(void **state) {
    struct fixture *it = *state;
    for (int sign = 0; sign < 2; sign++) {
        make_linear(it, sign ? SIM_TEXEL_SIGNED : SIM_TEXEL_UNSIGNED, 32, 4);
        it->texture.as_float = true;
        fetch(it, "fetch_uint4");
        for (int i = 8; i < 16; i++)
            for (int c = 0; c < 4; c++)
                assert_int_equal((int32_t)it->out[4 * i + c], whole(it, 4 * (i - 8) + c, 32, sign));
    }
}

/* A border above the greatest fraction becomes the greatest, and one below the least the least. */
static void borders_of_fractions(void **state) {
    struct fixture *it = *state;
    static const float borders[4] = {1.5f, -1.5f, 1, 0.5f},
                       wanted[2][4] = {{1, 0, 1, 128 / 255.0f}, {1, -1, 1, 64 / 127.0f}};
    for (int sign = 0; sign < 2; sign++) {
        it->texture.kind = sign ? SIM_TEXEL_SIGNED : SIM_TEXEL_UNSIGNED;
        it->texture.bits = 8;
        it->texture.as_float = true;
        it->texture.mode[0] = it->texture.mode[1] = SIM_ADDRESS_BORDER;
        memcpy(it->texture.border, borders, sizeof borders);
        for (int i = 0; i < THREADS; i++)
            it->x[i] = it->y[i] = -5;
        fetch(it, "plane_float4");
        for (int c = 0; c < 4; c++)
            if (got(it, 0, c) != wanted[sign][c])
                fail_msg("channel %d: %g, not %g", c, (double)got(it, 0, c), (double)wanted[sign][c]);
    }
}

static void halves(void **state) {
    struct fixture *it = *state;
    static const struct {
        uint16_t half;
        float value;
    } some[] = {{0x3c00, 1},     {0xc000, -2},       {0x0001, 0x1p-24f},
                {0x7bff, 65504}, {0x7c00, INFINITY}, {0x3555, 0x1.554p-2f}};
    for (int i = 0; i < 6; i++)
        memcpy(it->texels + 2 * i, &some[i].half, 2);
    make_linear(it, SIM_TEXEL_FLOAT, 16, 1);
    fetch(it, "fetch_float4");
    for (int i = 0; i < 6; i++)
        assert_true(got(it, 8 + i, 0) == some[i].value);
}

/* ---------------------------------------------------------------- counts */

/* An H200's counts, one line per launch of one warp:
 *     name requests sectors coordinates...
 * where the coordinates are x, and for 2 dimensions y, of each lane; -1: the lane is inactive. */
static void counts(void **state) {
    struct fixture *it = *state;
    FILE *file = fopen(counts_file, "r");
    assert_non_null(file);
    char name[64], kind[16], format[16];
    unsigned requests, sectors, rows = 0;
    unsigned char *base = (unsigned char *)findings_buffer(&it->f, 128 * 128, true); /* 64 KiB */
    while (fscanf(file, "%63s %u %u", name, &requests, &sectors) == 3) {
        assert_int_equal(sscanf(name, "%15[^-/]%*[-/]%15[^/]", kind, format), 2);
        const bool linear = strcmp(kind, "fetch") == 0, flat = linear || strcmp(kind, "array1") == 0;
        for (int i = 0; i < 32; i++)
            assert_int_equal(fscanf(file, "%f", &it->x[i]), 1);
        for (int i = 0; i < 32 && !flat; i++)
            assert_int_equal(fscanf(file, "%f", &it->y[i]), 1);
        it->texture = (struct sim_texture){
            .base = (uint64_t)(uintptr_t)base,
            .width = flat ? 4096 : 128,
            .height = flat ? 1 : 128,
            .depth = 1,
            .pitch = flat ? 4096 * 4 : 512,
            .dimensions = flat ? 1 : 2,
            .blocked = strncmp(kind, "array", 5) == 0,
            .fetch_only = linear,
            .kind = format[0] == 'b' ? SIM_TEXEL_UNSIGNED : SIM_TEXEL_FLOAT,
            .bits = format[0] == 'b'   ? 8
                    : format[0] == 'h' ? 16
                                       : 32,
            .channels = (uint8_t)(format[0] == 'u' ? 1 : format[1] - '0'), /* u8x4 is as wide as f1 */
            .mode = {SIM_ADDRESS_CLAMP, SIM_ADDRESS_CLAMP, SIM_ADDRESS_CLAMP},
            .linear = strstr(name, "/linear/") != NULL,
        };
        uint64_t handle = sim_textures_add(it->textures, &it->texture);
        const void *params[] = {&handle, &it->x, &it->y, &it->out};
        const char *kernel = linear ? "count_fetch" : flat ? "count_flat" : "count_plane";
        if (!harness_launch(&it->f.h, kernel, 1, 32, 0, params))
            fail_msg("%s: %s", name, it->f.h.fault.text);
        const struct wl_counters *c = &it->f.h.counters;
        if (c->texture_load_requests != requests || c->texture_load_transactions != sectors)
            fail_msg("%s: %d requests, %d sectors; an H200 has %u, %u", name, (int)c->texture_load_requests,
                     (int)c->texture_load_transactions, requests, sectors);
        assert_true(sim_textures_remove(it->textures, handle));
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 147);
}

static void two_objects(void **state) {
    struct fixture *it = *state;
    make_linear(it, SIM_TEXEL_FLOAT, 32, 1);
    for (int i = 0; i < 64; i++) {
        float value = (float)i;
        memcpy(it->texels + 4 * i, &value, 4);
    }
    uint64_t one = sim_textures_add(it->textures, &it->texture);
    it->texture.base += 128; /* texel i is 32 + i */
    it->texture.width = 32;
    uint64_t two = sim_textures_add(it->textures, &it->texture);
    float *out = (float *)it->out;
    memset(out, 0, 4 * THREADS);
    const void *params[] = {&one, &two, &out};
    assert_true(harness_launch(&it->f.h, "mixed", 1, 32, 0, params));
    for (int i = 0; i < 32; i++)
        assert_true(out[i] == (i % 3 == 2 ? 0 : i % 3 ? (float)(32 + i) : (float)i));
    assert_int_equal(it->f.h.counters.texture_load_requests, 8);
}

/* ---------------------------------------------------------------- faults */

static void faults(void **state) {
    struct fixture *it = *state;
    assert_false(launch(it, "plane_float4", 12345));
    assert_int_equal(it->f.h.fault.kind, SIM_FAULT_ADDRESS);
    assert_non_null(strstr(it->f.h.fault.text, "there is no texture object 0x3039"));
    uint64_t handle = sim_textures_add(it->textures, &it->texture);
    assert_true(sim_textures_remove(it->textures, handle));
    assert_false(sim_textures_remove(it->textures, handle));
    assert_false(launch(it, "plane_float4", handle));
    assert_non_null(strstr(it->f.h.fault.text, "was destroyed"));
    uint64_t again = sim_textures_add(it->textures, &it->texture);
    assert_true(again != handle);
    assert_false(launch(it, "flat_float4", again));
    assert_non_null(strstr(it->f.h.fault.text, "a 1-dimensional fetch through a 2-dimensional"));
    sim_memory_free(it->f.h.memory, it->texture.base);
    assert_false(launch(it, "plane_float4", again));
    assert_non_null(strstr(it->f.h.fault.text, "texture fetch"));
    assert_non_null(strstr(it->f.h.fault.text, "freed allocation"));
}

static void findings(void **state) {
    struct fixture *it = *state;
    uint64_t handle = sim_textures_add(it->textures, &it->texture);
    for (int i = 0; i < THREADS; i++)
        it->x[i] = -100, it->y[i] = 1e9f;
    assert_true(launch(it, "plane_float4", handle));
    assert_int_equal(it->f.count, 0);
    assert_true(sim_textures_remove(it->textures, handle));
    assert_true(launch(it, "plane_float4", handle));
    assert_int_equal(it->f.count, 1);
    assert_int_equal(it->f.list[0].kind, SIM_FINDING_USE_AFTER_FREE);
    assert_int_equal(it->f.list[0].count, 2); /* warps */
    for (int i = 0; i < 4 * THREADS; i++)
        assert_int_equal(it->out[i], 0);
    findings_clear(&it->f);
    handle = sim_textures_add(it->textures, &it->texture);
    sim_check_freed(it->f.h.check, it->texture.base);
    sim_memory_free(it->f.h.memory, it->texture.base);
    assert_true(launch(it, "plane_float4", handle));
    assert_int_equal(it->f.count, 1);
    assert_int_equal(it->f.list[0].kind, SIM_FINDING_USE_AFTER_FREE);
    assert_non_null(strstr(it->f.list[0].text, "16-byte global texture fetch"));
    for (int i = 0; i < 4 * THREADS; i++)
        assert_int_equal(it->out[i], 0);
}

static void finds_unwritten(void **state) {
    struct fixture *it = *state;
    it->texture.base = (uint64_t)(uintptr_t)findings_buffer(&it->f, PITCH * H / 4, false);
    uint64_t handle = sim_textures_add(it->textures, &it->texture);
    assert_true(launch(it, "plane_float4", handle));
    assert_int_equal(it->f.count, 1);
    assert_int_equal(it->f.list[0].kind, SIM_FINDING_UNINITIALIZED);
}

/* Unsupported instructions are refused at load, with their name and line. */
static void refused(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "tex.cube.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1, %f1, %f1}];",
        "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, %rd1, {%f1, %f1}];",
        "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1, %f1}];",
        "tex.2d.v4.f32.f32 {%f1, %f1, %f1}, [%rd1, {%f1, %f1}];",
        "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1}], {1, 1};",
        "tex.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1];",
        "tex.base.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1}];",
        "tex.2d.v2.f16x2.f32 {%f1, %f1}, [%rd1, {%f1, %f1}];",
        "tld4.r.a2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%r1, %f1, %f1, %f1}];",
        "tld4.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1}];",
        "txq.width.b32 %r1, [%rd1];",
        "suld.b.2d.b32.trap {%r1}, [%rd1, {%r1, %r1}];",
        "tex.2d.v2.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1}];",
        "tex.2d.level.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1}], %f1;",
        "tld4.r.1d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1}];",
        "tld4.r.3d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f1, %f1, %f1}];",
        "tld4.r.a1d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%r1, %f1}];",
        "tex.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1}];",
        "tex {%f1, %f1, %f1, %f1}, [%rd1, {%f1}];",
    };
    struct sim_memory *memory = sim_memory_create(1 << 20);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[512];
        struct sim_module *module;
        struct ptx_error error;
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .f32 %%f<2>; .reg .b32 "
                 "%%r<2>; .reg .b64 %%rd<2>;\n%s\nret;\n}\n",
                 bodies[i]);
        if (sim_module_load(memory, "k", text, strlen(text), &module, &error))
            fail_msg("not refused: %s", bodies[i]);
        assert_int_equal(error.pos.line, 6);
    }
    sim_memory_destroy(memory);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(planes),
        TEST(weights_have_8_bits),
        TEST(no_weight),
        TEST(other_shapes),
        TEST(gathers),
        TEST(integers),
        TEST(fractions),
        TEST(whole_words),
        TEST(borders_of_fractions),
        TEST(halves),
        TEST(counts),
        TEST(two_objects),
        TEST(faults),
        cmocka_unit_test_setup_teardown(findings, setup_checked, teardown),
        cmocka_unit_test_setup_teardown(finds_unwritten, setup_checked, teardown),
        cmocka_unit_test(refused),
    };
    if (argc != 3) {
        fprintf(stderr, "usage: test_texture KERNELS.PTX COUNTS\n");
        return 2;
    }
    ptx_file = argv[1];
    counts_file = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
