/* Bulk copies: the copy engine splits a copy into packets, one per 128-byte line of the copying block's
 * shared memory.  A packet costs the sectors that it touches on the other side.
 *
 * Packets to other blocks (cluster copies and multicast) are also split at lines of the other side, and cost
 * at least two sectors.  Only a cluster copy's packet of 16 bytes costs one. */
#include "sim/count/rules.h"

static uint32_t packet(enum count_bulk kind, uint64_t other, uint32_t bytes) {
    uint32_t sectors = (uint32_t)((other % COUNT_SECTOR + bytes + COUNT_SECTOR - 1) / COUNT_SECTOR);
    bool two = kind == COUNT_BULK_MULTICAST || (kind == COUNT_BULK_CLUSTER && bytes > 16);
    return two && sectors < 2 ? 2 : sectors;
}

/* Sectors of one line of own shared memory.  Splitting at the other side's lines changes nothing for packets
 * without a minimum cost, because a line's end is also a sector's end. */
static uint32_t line(enum count_bulk kind, uint64_t other, uint32_t bytes) {
    uint32_t first = COUNT_LINE - (uint32_t)(other % COUNT_LINE);
    if (!bytes)
        return 0;
    if (first >= bytes)
        return packet(kind, other, bytes);
    return packet(kind, other, first) + packet(kind, other + first, bytes - first);
}

uint64_t count_bulk(enum count_bulk kind, uint64_t own, uint64_t other, uint32_t bytes) {
    uint32_t head = (uint32_t)(-own % COUNT_LINE);
    if (head > bytes)
        head = bytes;
    other += head;
    uint32_t whole = (bytes - head) / COUNT_LINE, tail = (bytes - head) % COUNT_LINE;
    /* All whole lines cost the same: each has the same offset from the other side's lines. */
    return line(kind, other - head, head) + (uint64_t)whole * line(kind, other, COUNT_LINE) +
           line(kind, other + (uint64_t)whole * COUNT_LINE, tail);
}
