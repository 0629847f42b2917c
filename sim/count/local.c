/* Local memory: word w of lane i lies at 128 * w + 4 * i of the warp's own space, so lanes that use the same
 * variable share lines.
 *
 * A sector holds one word of 8 adjacent lanes, a line one word of all 32.  Accesses are aligned to their
 * width, so two lanes name either the same words or disjoint ones.  For every distinct offset that its lanes
 * name, a group of lanes costs as many blocks as an access has words.
 */
#include "sim/count/lane_set.h"
#include "sim/count/rules.h"

struct count_result count_local(const struct count_rules *rules, const struct count_access *access) {
    unsigned words = count_local_requests(access->width);
    unsigned shift = (unsigned)__builtin_ctz(words * 4);
    unsigned lanes = rules->local_block / 4, blocks = 0;

    for (unsigned first = 0; first < COUNT_WARP; first += lanes)
        blocks += words * lane_set_count(access->address, access->mask & count_group(first, lanes), shift);
    return (struct count_result){
        .transactions = blocks,
        .moved_bytes = blocks * rules->local_block,
        .useful_bytes = (unsigned)__builtin_popcount(access->mask) * access->width,
    };
}

/* Hardware requests a wide access word by word: 16 STL.128 of 32 warps counted 2048 requests, not 512. */
unsigned count_local_requests(unsigned width) {
    return width <= 4 ? 1 : width / 4;
}
