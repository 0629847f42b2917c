/* Checks of an operation's arguments, each with a message that names the argument.  All are done before
 * anything is launched. */
#ifndef WIDELOAD_LIB_ARGUMENTS_H
#define WIDELOAD_LIB_ARGUMENTS_H

#include "lib/context.h"

/* An array argument of a call: the operation names each of the `bytes` bytes from `address` on, or they lie
 * between named ones. */
struct wl__array {
    const char *name; /* "from" */
    wl_devptr address;
    uint64_t bytes;
};

/* Products and sums that saturate at UINT64_MAX, for byte counts of absurd problems: wl__check_array refuses
 * these. */
static inline uint64_t wl__multiply(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}
static inline uint64_t wl__add(uint64_t a, uint64_t b) {
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* A GPU's page tables map device memory by 2 MiB of addresses, which the driver takes from the system as a
 * whole.  So no pageable memory is among them; tests/lib/test_pointers.c asks the system.  Small allocations
 * share such a page.  (If a system did otherwise, such an address would fault on the device, not here.) */
#define WL__PAGE_BYTES ((uint64_t)2 << 20)

/* What a call knows of the memory that its device reaches: a page of device memory with an array that was
 * checked.  Small arrays of one call often lie in one page, and then need no question to the driver. */
struct wl__reach {
    const wl_context *context;
    uint64_t page; /* its number; 0: none yet, as page 0 belongs to nobody */
};

wl_error wl__check_context(const char *call, const wl_context *context);
/* Accepts 1, 2, 4, 8 and 16. */
wl_error wl__check_width(const char *call, unsigned width);
/* Refuses NULL, an address that is not a multiple of `alignment`, an end past the address space, and pageable
 * host memory unless the device is the host.  An array of 0 bytes always passes.  The alignment is a power of
 * two. */
wl_error wl__check_any_array(const char *call, struct wl__reach *reach, const struct wl__array *array,
                             unsigned alignment);
wl_error wl__fail_overlap(const char *call, const struct wl__array *a, const struct wl__array *b);

/* The same, with a fast path if nothing is wrong: calls may have dozens of arrays. */
static inline wl_error wl__check_array(const char *call, struct wl__reach *reach,
                                       const struct wl__array *array, unsigned alignment) {
    bool known = reach->page && array->address / WL__PAGE_BYTES == reach->page;
    if (known && (array->address & (alignment - 1)) == 0 && array->bytes <= WL__PAGE_BYTES)
        return WL_ERROR_OK;
    return wl__check_any_array(call, reach, array, alignment);
}
/* Refuses arrays that share a byte. */
static inline wl_error wl__check_apart(const char *call, const struct wl__array *a,
                                       const struct wl__array *b) {
    /* Compares last bytes, not ends: an end may be 2^64. */
    if (!a->bytes || !b->bytes || a->address + (a->bytes - 1) < b->address ||
        b->address + (b->bytes - 1) < a->address)
        return WL_ERROR_OK;
    return wl__fail_overlap(call, a, b);
}
/* Checks both arrays of a call that moves one to the other. */
static inline wl_error wl__check_both(const char *call, struct wl__reach *reach, const struct wl__array *to,
                                      const struct wl__array *from, unsigned alignment) {
    wl_error error = wl__check_array(call, reach, to, alignment);
    if (!error)
        error = wl__check_array(call, reach, from, alignment);
    return error ? error : wl__check_apart(call, to, from);
}

#endif
