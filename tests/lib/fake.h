/* Opening the driver that runs nothing (fake_driver.h).  FAKE_DRIVER is its file. */
#ifndef WIDELOAD_TESTS_FAKE_H
#define WIDELOAD_TESTS_FAKE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

#include "fake_driver.h"

/* Makes it the simulator of contexts that are opened from now on, and returns its state, in which nothing has
 * happened.  NULL: it cannot be loaded. */
static inline struct fake_state *fake_start(void) {
    setenv("WIDELOAD_SIM_LIBRARY", FAKE_DRIVER, 1);
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW);
    if (!library)
        return NULL;
    fake_state_fn *find;
    void *symbol = dlsym(library, "fake_state");
    memcpy(&find, &symbol, sizeof(find));
    struct fake_state *fake = find();
    memset(fake, 0, sizeof(*fake));
    return fake;
}

#endif
