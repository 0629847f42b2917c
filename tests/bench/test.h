/* cmocka wants these before it. */
#ifndef WIDELOAD_TESTS_BENCH_TEST_H
#define WIDELOAD_TESTS_BENCH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
