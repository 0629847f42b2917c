/* Prints what random patterns cost, as a hash per 1,000 of them: test_explorer.py has docs/explorer.html
 * compute the same.  The numbers are drawn in the order in which its `draw` draws them. */
#include <inttypes.h>
#include <stdio.h>

#include "picture/picture.h"
#include "sim/count/lane_set.h"

enum { PATTERNS = 100000, PER_HASH = 1000 };

static uint32_t state = 2013;

static uint32_t below(uint32_t limit) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

struct pattern {
    uint32_t rules, space, access, bytes, kind, offset, fields, field, swizzle, width, padding, index, count,
        mask;
    int64_t stride;
    uint64_t list[32];
};

static struct pattern draw(uint32_t rule_count) {
    struct pattern p = {.rules = below(rule_count)};
    p.space = below(3);
    p.access = below(p.space == PICTURE_LOCAL ? 3 : 7);
    p.bytes = 1u << below(5);
    p.kind = below(5);
    p.stride = ((int64_t)below(129) - 64) * p.bytes;
    p.offset = (below(64) + 2048) * p.bytes;
    p.fields = 1 + below(20);
    p.field = below(p.fields);
    p.swizzle = below(2);
    p.width = p.swizzle ? 1u << below(7) : 1 + below(64);
    p.padding = below(5);
    p.index = below(p.width);
    p.count = 1 + below(32);
    const uint32_t few = below(4), high = below(65536), low = below(65536);
    p.mask = few ? UINT32_MAX >> (below(32) & (few - 1) * 31) : (high << 16 | low | 1u);
    for (int lane = 0; lane < 32; lane++)
        p.list[lane] = (uint64_t)below(4096) * p.bytes;
    if (p.kind == 4 && p.count < 32)
        p.mask &= (1u << p.count) - 1;
    return p;
}

static uint64_t tile(const struct pattern *p, uint32_t row, uint32_t column) {
    const uint32_t inside = p->swizzle ? column ^ row % p->width : column;
    return p->offset + (uint64_t)(row * (p->width + p->padding) + inside) * p->bytes;
}

static uint64_t address_of(const struct pattern *p, uint32_t lane) {
    switch (p->kind) {
    case 0:
        return p->offset + (uint64_t)p->stride * lane;
    case 1:
        return p->offset + (uint64_t)(lane * p->fields + p->field) * p->bytes;
    case 2:
        return tile(p, lane, p->index);
    case 3:
        return tile(p, p->index + lane / p->width, lane % p->width);
    default:
        return p->list[lane];
    }
}

int main(void) {
    static const enum count_kind kinds[] = {COUNT_LOAD, COUNT_LOAD, COUNT_STORE, COUNT_ATOM,
                                            COUNT_RED,  COUNT_RED,  COUNT_ATOM};
    uint32_t rule_count = 0, hash = 2166136261u;
    while (count_rules_at(rule_count))
        rule_count++;
    for (int i = 1; i <= PATTERNS; i++) {
        const struct pattern p = draw(rule_count);
        uint64_t address[32];
        for (uint32_t lane = 0; lane < 32; lane++)
            address[lane] = address_of(&p, lane);
        struct picture_request request = {.rules = count_rules_at(p.rules),
                                          .space = (enum picture_space)p.space};
        request.access = (struct count_access){.kind = kinds[p.access],
                                               .skips_l1 = p.access == 1,
                                               .increment = p.access == 5,
                                               .compare = p.access == 6,
                                               .width = p.bytes,
                                               .mask = p.mask,
                                               .address = address};
        const struct picture_figures f = picture_figures(&request);
        const uint32_t figures[] = {f.cost.transactions,
                                    f.cost.moved_bytes,
                                    f.cost.useful_bytes,
                                    f.unit,
                                    f.least,
                                    f.lanes,
                                    lane_set_count(address, p.mask, 7)};
        for (unsigned k = 0; k < sizeof figures / sizeof *figures; k++)
            hash = (hash ^ figures[k]) * 16777619u;
        if (i % PER_HASH == 0)
            printf("%08" PRIx32 "\n", hash);
    }
    return 0;
}
