/* The stand-in for a library of several devices, and what it shares with the one for one device (fake.c). */
#ifndef WIDELOAD_TESTS_FAKE_GROUP_H
#define WIDELOAD_TESTS_FAKE_GROUP_H

#include "ladder/ladder.h"

struct wl_context {
    bool broken;
    char arch[16];
};

/* Keeps the message, and returns the error. */
wl_error fake_fail(wl_error error, const char *text);

static inline void *fake_pointer(wl_devptr address) {
    return (void *)(uintptr_t)address;
}

/* A rung: the transpose of a matrix that lies on several devices, whose parts open() has noted. */
wl_error fake_several_open(const struct wl_problem *p, void **state);
void fake_several_close(void *state);
wl_error fake_several(wl_context *context, const struct wl_problem *p, wl_stream stream);

#endif
