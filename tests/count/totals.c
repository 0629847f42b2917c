#include "tests/count/totals.h"

void total_add(struct total *total, count_fn *count, const struct count_rules *rules,
               const struct count_access *access) {
    if (!access->mask)
        return;
    struct count_result r = count(rules, access);
    total->requests++;
    total->transactions += r.transactions;
    total->moved += r.moved_bytes;
    total->useful += r.useful_bytes;
}

unsigned total_percent(const struct total *total) {
    if (!total->moved)
        return 0;
    uint64_t whole = total->useful * 10000 / total->moved;
    uint64_t twice_rest = total->useful * 10000 % total->moved * 2;
    bool up = twice_rest > total->moved || (twice_rest == total->moved && whole % 2);
    return (unsigned)whole + up;
}

void probe_index(uint32_t *index, size_t n) {
    uint32_t x = 12345;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        index[i] = (x >> 8) % 100000u;
    }
}

uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}
