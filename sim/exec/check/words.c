/* An instruction's lanes as the distinct words that they access.  Broadcasts and lanes that share words then
 * cost the later checks no more than they cost the hardware. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/state.h"
#include "sim/exec/memory/access.h"

enum { SLOTS = 512 }; /* 1 << 9: twice the maximum number of words, 32 lanes of 8 words */

static bool reserve(struct check_site *site, uint32_t count) {
    if (count <= site->capacity)
        return true;
    struct check_word *grown = realloc(site->words, count * sizeof *grown);
    if (!grown)
        return false;
    site->words = grown;
    site->capacity = count;
    return true;
}

/* See struct check_site, rows. */
static void find_rows(struct check_site *site, unsigned bytes) {
    site->rows = 0;
    site->shift = (uint8_t)(bytes == 16 ? 2 : bytes == 8 ? 1 : 0);
    if (bytes != 4u << site->shift)
        return;
    for (uint32_t g = 0; g < site->count / CHECK_ROW_WORDS; g++) {
        const struct check_word *word = &site->words[g * CHECK_ROW_WORDS];
        bool row = true;
        for (unsigned k = 0; k < CHECK_ROW_WORDS; k++)
            row &= word[k].delta == word->delta + 4 * (int64_t)k && word[k].second == CHECK_NO_LANE &&
                   word[k].lane == word->lane + (k >> site->shift);
        site->rows |= (uint32_t)row << g;
    }
}

void check_words_find(struct check_site *site, const struct sim_lanes *lanes, unsigned bytes) {
    unsigned chunk = bytes < 4 ? bytes : 4, each = bytes / chunk, shift = chunk / 2;
    uint64_t base = lanes->address[lanes->first];
    site->count = 0;
    site->shares = false;
    site->low = site->high = 0;
    site->rows = 0;
    if (!reserve(site, (unsigned)__builtin_popcount(lanes->mask) * each))
        return;                  /* without memory nothing is checked */
    uint16_t slots[SLOTS] = {0}; /* the word's index + 1 */
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        for (unsigned k = 0; k < each; k++) {
            int64_t delta = (int64_t)(lanes->address[lane] - base + k * chunk);
            uint32_t at = (uint32_t)((uint64_t)delta >> shift) * 0x9e3779b1u >> 23;
            while (slots[at] && site->words[slots[at] - 1].delta != delta)
                at = (at + 1) % SLOTS;
            if (slots[at]) {
                struct check_word *word = &site->words[slots[at] - 1];
                if (word->second == CHECK_NO_LANE)
                    word->second = (uint8_t)lane;
                site->shares = true;
                continue;
            }
            site->words[site->count] =
                (struct check_word){.delta = delta, .lane = (uint8_t)lane, .second = CHECK_NO_LANE};
            slots[at] = (uint16_t)++site->count;
            if (delta < site->low)
                site->low = delta;
            if (delta > site->high)
                site->high = delta;
        }
    }
    find_rows(site, bytes);
}

bool check_stored(struct sim_warp *w, const struct sim_memop *op, unsigned lane, unsigned char *to) {
    if (op->access != SIM_ACCESS_STORE || op->slot == SIM_NONE)
        return false;
    for (unsigned e = 0; e < op->count; e++) {
        uint64_t value = op->slot == SIM_64 ? ((const uint64_t *)SIM_SLOT(w, op->reg[e]))[lane]
                                            : ((const uint32_t *)SIM_SLOT(w, op->reg[e]))[lane];
        memcpy(to + e * op->width, &value, op->width);
    }
    return true;
}
