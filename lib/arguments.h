/* Checks of an operation's arguments, each with a message that names the argument.  All are done before
 * anything is launched. */
#ifndef WIDELOAD_LIB_ARGUMENTS_H
#define WIDELOAD_LIB_ARGUMENTS_H

#include "lib/context.h"

/* An array as an argument of a call: from `address` on, `bytes` bytes of it are named by the operation or lie
 * between such. */
struct wl__array {
    const char *name; /* "from" */
    wl_devptr address;
    uint64_t bytes;
};

/* Products and sums that stop at UINT64_MAX, for byte counts of absurd problems: wl__check_array refuses
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
 * whole: no pageable memory is among them, as tests/lib/test_pointers.c asks the system.  Small allocations
 * share such a page.  (Were it otherwise somewhere, such an address would fault on the device, not here.) */
#define WL__PAGE_BYTES ((uint64_t)2 << 20)

/* What a call knows of the memory that its device reaches: a page of device memory, in which an array lay
 * that was checked.  Small arrays of one call often lie in one, and then cost no question to the driver. */
struct wl__reach {
    const wl_context *context;
    uint64_t page; /* its number; 0: none yet, for page 0 is nobody's */
};

wl_error wl__check_context(const char *call, const wl_context *context);
/* 1, 2, 4, 8 or 16. */
wl_error wl__check_width(const char *call, unsigned width);
/* Refuses NULL, an address that is no multiple of `alignment`, an end past the address space, and pageable
 * host memory.  An array of no bytes is always right.  The alignment is a power of two. */
wl_error wl__check_any_array(const char *call, struct wl__reach *reach, const struct wl__array *array,
                             unsigned alignment);
wl_error wl__fail_overlap(const char *call, const struct wl__array *a, const struct wl__array *b);

/* The same, where nothing is wrong at little cost: calls may have dozens of arrays. */
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
    /* Last bytes, not ends: an end may be 2^64. */
    if (!a->bytes || !b->bytes || a->address + (a->bytes - 1) < b->address ||
        b->address + (b->bytes - 1) < a->address)
        return WL_ERROR_OK;
    return wl__fail_overlap(call, a, b);
}

#endif
