#include "lib/slots.h"

#include "lib/arguments.h"
#include "lib/cuda/hints.h"
#include "lib/launch.h"

#define SLOT 16
#define LINE 128

/* The offset in an aligned vector at which a slot's bytes begin. */
static uint64_t shift_of(wl_devptr out, wl_devptr input) {
    return (input - out) % SLOT;
}

bool wl__slots_alike(wl_devptr out, const wl_devptr *inputs, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (shift_of(out, inputs[i]))
            return false;
    return true;
}

struct wl__slots wl__slots(wl_devptr out, const wl_devptr *inputs, unsigned count, uint64_t bytes) {
    struct wl__slots slots = {.lead = out % LINE};
    slots.line = out - slots.lead;
    slots.end = slots.lead + bytes;
    slots.count = slots.end / SLOT + (slots.end % SLOT != 0);
    slots.first = slots.lead / SLOT + (slots.lead % SLOT != 0);
    slots.last = slots.end / SLOT;
    for (unsigned i = 0; i < count; i++) {
        uint64_t shift = shift_of(out, inputs[i]);
        if (shift == 0)
            continue;
        /* A slot's vectors begin `shift` bytes before its bytes and end 16 - `shift` bytes after them. */
        uint64_t first = (slots.lead + shift + SLOT - 1) / SLOT, vectors = (slots.end + shift) / SLOT;
        if (slots.first < first)
            slots.first = first;
        if (slots.last + 1 > vectors)
            slots.last = vectors ? vectors - 1 : 0;
    }
    if (slots.last < slots.first)
        slots.last = slots.first;
    return slots;
}

wl_error wl__slots_launch(wl_context *context, wl__kernel kernel, wl_devptr out, const wl_devptr *inputs,
                          unsigned count, uint64_t bytes, wl_stream stream) {
    struct wl__slots slots = wl__slots(out, inputs, count, bytes);
    wl_devptr bases[2] = {0, 0};
    void *arguments[9];
    unsigned n = 0;
    const bool large = wl__multiply(bytes, count + 1) >= context->tuned->large_arrays;
    const uint32_t threads = large ? WL__SLOTS_THREADS : 2 * WL__SLOTS_THREADS;
    uint64_t first, hint = large ? WL_EVICT_LAST : WL_EVICT_NORMAL;
    arguments[n++] = &slots.line;
    for (unsigned i = 0; i < count; i++) {
        bases[i] = inputs[i] - slots.lead;
        arguments[n++] = &bases[i];
    }
    arguments[n++] = &slots.lead;
    arguments[n++] = &slots.end;
    arguments[n++] = &slots.first;
    arguments[n++] = &slots.last;
    arguments[n++] = &hint;
    arguments[n++] = &first;
    return wl__launch_linear(context, kernel, slots.count, threads, (struct wl__block){threads, 1}, arguments,
                             &first, stream);
}
