/* Requests of every kind, drawn at random. */
#ifndef WIDELOAD_TESTS_PICTURE_RANDOM_REQUEST_H
#define WIDELOAD_TESTS_PICTURE_RANDOM_REQUEST_H

#include "picture/picture.h"

/* Draws a request; `address` has its addresses.  *state may have any value at first. */
struct picture_request random_request(uint32_t *state, uint64_t address[32]);

#endif
