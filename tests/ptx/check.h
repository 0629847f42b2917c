/* Included by all tests of the parser: cmocka, and a parse that must succeed. */
#ifndef WIDELOAD_TESTS_PTX_CHECK_H
#define WIDELOAD_TESTS_PTX_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/ptx/ptx.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n" /* three lines */

static inline struct ptx_module *parsed(const char *text) {
    struct ptx_module *module;
    struct ptx_error error;
    if (!ptx_parse("test.ptx", text, strlen(text), &module, &error))
        fail_msg("%s", error.text);
    return module;
}

#endif
