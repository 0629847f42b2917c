/* wl_add: sums of any type, arrays at any alignment. */
#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/mover.h"
#include "lib/slots.h"

static const char call[] = "wl_add";

/* Signed and unsigned integers wrap to the same bits. */
static const struct type {
    unsigned bytes;
    wl__kernel any, alike;
} types[] = {
#define TYPE(bytes, kind)                                                                                    \
    { bytes, WL_KERNEL_add_any_##kind, WL_KERNEL_add_alike_##kind }
    [WL_TYPE_I8] = TYPE(1, 8),      [WL_TYPE_U8] = TYPE(1, 8),    [WL_TYPE_I16] = TYPE(2, 16),
    [WL_TYPE_U16] = TYPE(2, 16),    [WL_TYPE_I32] = TYPE(4, 32),  [WL_TYPE_U32] = TYPE(4, 32),
    [WL_TYPE_I64] = TYPE(8, 64),    [WL_TYPE_U64] = TYPE(8, 64),  [WL_TYPE_F16] = TYPE(2, f16),
    [WL_TYPE_BF16] = TYPE(2, bf16), [WL_TYPE_F32] = TYPE(4, f32), [WL_TYPE_F64] = TYPE(8, f64),
#undef TYPE
};

struct wl__problem {
    wl_context *context;
    wl_stream stream;
    const struct type *type;
    wl_devptr out;
    const wl_devptr *inputs;
    uint64_t bytes;
};

static bool can_aligned(const struct wl__problem *p) {
    return wl__slots_alike(p->out, p->inputs, 2);
}

static wl_error run_aligned(const struct wl__problem *p) {
    return wl__slots_launch(p->context, p->type->alike, p->out, p->inputs, 2, p->bytes, p->stream);
}

static wl_error run_shifted(const struct wl__problem *p) {
    return wl__slots_launch(p->context, p->type->any, p->out, p->inputs, 2, p->bytes, p->stream);
}

static const struct wl__mover movers[] = {
    {"aligned", "a, b and out lie alike in 16 bytes: one 16-byte load of each a thread", can_aligned, NULL,
     run_aligned},
    {"shifted", "a or b lies otherwise in 16 bytes than out: aligned loads, shifted into place", NULL,
     wl__cost_floor, run_shifted},
};

static wl_error check(const wl_context *context, wl_type type, wl_devptr out, wl_devptr a, wl_devptr b,
                      uint64_t n) {
    wl_error error = wl__check_context(call, context);
    if (error)
        return error;
    if ((unsigned)type >= sizeof(types) / sizeof(types[0]))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: type is %d, which is not one of WL_TYPE_...", call,
                        (int)type);
    const unsigned alignment = types[type].bytes;
    const uint64_t bytes = wl__multiply(n, alignment);
    const struct wl__array arrays[] = {{"out", out, bytes}, {"a", a, bytes}, {"b", b, bytes}};
    struct wl__reach reach = {.context = context};
    for (unsigned i = 0; i < 3 && !error; i++)
        error = wl__check_array(call, &reach, &arrays[i], alignment);
    for (unsigned i = 1; i < 3 && !error; i++)
        if (arrays[i].address != out)
            error = wl__check_apart(call, &arrays[0], &arrays[i]);
    return error;
}

wl_error wl_add(wl_context *context, wl_type type, wl_devptr out, wl_devptr a, wl_devptr b, uint64_t n,
                wl_stream stream) {
    wl_error error = check(context, type, out, a, b, n);
    if (error || n == 0)
        return error;
    const wl_devptr inputs[] = {a, b};
    const struct wl__problem problem = {context, stream, &types[type], out, inputs, n * types[type].bytes};
    struct wl__choice choice = {.operation = call, .facts = {{"type", type}, {"n", n}}};
    if (wl__is_host(context))
        return wl__host_add(context, &choice, type, types[type].bytes, out, a, b, n);
    return wl__move(context, WL_MOVERS(movers), &choice, &problem);
}
