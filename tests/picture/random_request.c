#include "tests/picture/random_request.h"

static uint32_t below(uint32_t *state, uint32_t limit) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % limit;
}

/* Lanes that take part: all, the first ones, all but some, or few. */
static uint32_t mask_of(uint32_t *state) {
    const uint32_t how = below(state, 4), low = below(state, 65536), high = below(state, 65536),
                   lane = below(state, 32);
    const uint32_t bits = high * 65536u + low;
    if (how == 0)
        return UINT32_MAX;
    if (how == 1)
        return UINT32_MAX >> lane;
    return how == 2 ? bits | 1u << lane : (bits & bits >> 7) | 1u << lane;
}

struct picture_request random_request(uint32_t *state, uint64_t address[32]) {
    uint32_t rule_count = 0;
    while (count_rules_at(rule_count))
        rule_count++;
    struct picture_request request = {.rules = count_rules_at(below(state, rule_count))};
    request.space = (enum picture_space)below(state, 3);
    request.access.kind = (enum count_kind)below(state, request.space == PICTURE_LOCAL ? 2 : 4);
    request.access.skips_l1 = below(state, 4) == 0;
    const bool atomic = request.access.kind == COUNT_ATOM || request.access.kind == COUNT_RED;
    const uint32_t special = below(state, 4);
    request.access.increment = request.space == PICTURE_SHARED && atomic && special == 0;
    request.access.compare = request.space == PICTURE_SHARED && atomic && special == 1;
    request.access.width = 1u << below(state, 5);
    request.access.mask = mask_of(state);
    request.access.address = address;

    const uint32_t pattern = below(state, 4), base = below(state, 64), stride = below(state, 80),
                   far = below(state, 16), range = 1 + below(state, 300), columns = 1 + below(state, 32);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t element = below(state, range); /* scattered; drawn for every pattern */
        if (pattern == 0)
            element = lane * stride;
        else if (pattern == 1)
            element = (31 - lane) * stride;
        else if (pattern == 2)
            element = lane % columns + lane / columns * stride;
        element += base;
        address[lane] = (uint64_t)element * request.access.width + (far == 0 ? lane * 1048576u : 0);
    }
    return request;
}
