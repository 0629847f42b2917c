/* Reads of bytes that nobody wrote.
 *
 * Global memory: any such byte, as in compute-sanitizer.  Shared and local memory: a whole element of such
 * bytes, since structures are copied with their padding there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/check/state.h"
#include "sim/exec/access.h"

static void report(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                   enum sim_space space, unsigned lane, uint64_t address, unsigned bytes) {
    struct sim_finding *f = check_report(w, check_code(w), in, lane, SIM_FINDING_UNINITIALIZED, address);
    if (!f)
        return;
    char where[200] = "";
    if (space == SIM_SPACE_GLOBAL) {
        where[0] = ':', where[1] = ' ';
        sim_memory_describe(w->worker->launch->memory, address, where + 2, sizeof where - 2);
    }
    snprintf(f->text, sizeof f->text, "%u-byte %s %s at %s0x%" PRIx64 " reads what nobody wrote%s", bytes,
             sim_space_name(space), sim_access_name(op->access, op->texture),
             space == SIM_SPACE_GLOBAL ? "" : "offset ", address, where);
}

/* The shadow of the allocation that holds address, which is known to be in one. */
static struct check_shadow *locate(struct sim_warp *w, struct check_site *site, uint64_t address) {
    if (address >= site->base && address < site->end)
        return site->shadow;
    struct sim_allocation found;
    if (!sim_memory_find(w->worker->launch->memory, address, 1, &found))
        return NULL;
    site->base = found.base;
    site->end = found.base + found.size;
    site->shadow = check_shadow_of(w->check->launch->check, &found);
    return site->shadow;
}

static void look_global(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                        const struct sim_lanes *lanes, unsigned bytes, struct check_site *site) {
    uint64_t base = lanes->address[lanes->first];
    unsigned chunk = bytes < 4 ? bytes : 4;
    bool reads = op->access != SIM_ACCESS_STORE, writes = op->access != SIM_ACCESS_LOAD;
    if (base + (uint64_t)site->low >= site->base && base + (uint64_t)site->high < site->end &&
        (!site->shadow || !site->shadow->init || site->shadow->complete))
        return;
    for (uint32_t k = 0; k < site->count; k++) {
        uint64_t address = base + (uint64_t)site->words[k].delta;
        struct check_shadow *shadow = locate(w, site, address);
        if (!shadow || !shadow->init || shadow->complete)
            continue;
        uint64_t offset = address - shadow->base;
        if (reads && !check_bits_all(shadow->init, offset, chunk)) {
            uint64_t at = lanes->address[site->words[k].lane];
            report(w, in, op, SIM_SPACE_GLOBAL, site->words[k].lane, at, bytes);
            reads = false; /* one a warp's access is enough */
        }
        if (writes)
            check_bits_set(shadow->init, offset, chunk);
    }
}

/* Whether an element has no byte that was written. */
static bool unwritten(const uint8_t *init, size_t stride, uint64_t address, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        if (init[((address + i) >> 2) * stride] >> ((address + i) & 3) & 1)
            return false;
    return true;
}

static unsigned element_bytes(const struct sim_memop *op, unsigned bytes) {
    return op->width && bytes % op->width == 0 ? op->width : bytes < 4 ? bytes : 4;
}

bool check_init_shared(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                       uint8_t *init, const struct sim_lanes *lanes, unsigned bytes,
                       struct check_site *site) {
    uint64_t base = lanes->address[lanes->first];
    bool reads = op->access != SIM_ACCESS_STORE, writes = op->access != SIM_ACCESS_LOAD, missing = false;
    /* The usual cases first: loads and stores of whole words. */
    if (bytes >= 4 && !(reads && writes)) {
        uint8_t known = 0xf;
        for (uint32_t k = 0; k < site->count; k++) {
            uint8_t *word = &init[(base + (uint64_t)site->words[k].delta) >> 2];
            known &= *word;
            if (writes)
                *word = 0xf;
        }
        if (writes || known == 0xf)
            return true;
    }
    for (uint32_t k = 0; k < site->count; k++) {
        uint64_t address = base + (uint64_t)site->words[k].delta;
        uint8_t mask = (uint8_t)check_bytes_mask(check_bytes_code(address, bytes));
        missing |= reads && (init[address >> 2] & mask) != mask;
        if (writes && !reads)
            init[address >> 2] |= mask;
    }
    unsigned width = element_bytes(op, bytes);
    for (uint32_t left = missing ? lanes->mask : 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        for (unsigned e = 0; e < bytes; e += width)
            if (unwritten(init, 1, lanes->address[lane] + e, width)) {
                report(w, in, op, SIM_SPACE_SHARED, lane, lanes->address[lane] + e, width);
                left = 1; /* one a warp's access is enough */
                break;
            }
    }
    for (uint32_t k = 0; reads && writes && k < site->count; k++) {
        uint64_t address = base + (uint64_t)site->words[k].delta;
        init[address >> 2] |= (uint8_t)check_bytes_mask(check_bytes_code(address, bytes));
    }
    return !missing;
}

static uint8_t *local_init(struct sim_warp *w) {
    struct check_block *b = w->check;
    if (b->local_words[w->index] < w->local_words) {
        uint8_t *grown = realloc(b->local[w->index], w->local_words * SIM_LANES);
        if (!grown)
            return NULL;
        size_t known = b->local_words[w->index] * SIM_LANES;
        memset(grown + known, 0, w->local_words * SIM_LANES - known);
        b->local[w->index] = grown;
        b->local_words[w->index] = w->local_words;
    }
    return b->local[w->index];
}

static void look_local(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                       const struct sim_lanes *lanes, unsigned bytes) {
    uint8_t *init = local_init(w);
    unsigned width = element_bytes(op, bytes);
    for (uint32_t left = init ? lanes->mask : 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = lanes->address[lane];
        if (op->access == SIM_ACCESS_STORE) {
            for (unsigned i = 0; i < bytes; i += bytes < 4 ? bytes : 4)
                init[((address + i) >> 2) * SIM_LANES + lane] |=
                    (uint8_t)check_bytes_mask(check_bytes_code(address, bytes));
            continue;
        }
        for (unsigned e = 0; e < bytes; e += width)
            if (unwritten(init + lane, SIM_LANES, address + e, width)) {
                report(w, in, op, SIM_SPACE_LOCAL, lane, address + e, width);
                return;
            }
    }
}

void sim_check_bulk_load(struct sim_warp *w, const struct sim_insn *in, unsigned lane, uint64_t address,
                         uint32_t size) {
    uint64_t at;
    if (!(w->check->launch->checks & SIM_CHECK_INIT) ||
        !check_find_unwritten(w->check->launch->check, address, size, &at))
        return;
    struct sim_finding *f = check_report(w, check_code(w), in, lane, SIM_FINDING_UNINITIALIZED, at);
    if (!f)
        return;
    char where[200];
    sim_memory_describe(w->worker->launch->memory, at, where, sizeof where);
    snprintf(f->text, sizeof f->text,
             "bulk copy of %u bytes at 0x%" PRIx64 " reads what nobody wrote at 0x%" PRIx64 ": %s", size,
             address, at, where);
}

void sim_check_bulk_store(struct sim_warp *w, uint64_t address, uint32_t size) {
    sim_check_written(w->check->launch->check, address, size);
}

void sim_check_bulk_fill(struct sim_block *owner, uint64_t offset, uint32_t size) {
    struct check_block *b = owner->check;
    check_changed(b);
    memset(b->init + offset / 4, 0xf, size / 4);
    memset(b->cells + offset / 4, 0, size / 4 * sizeof *b->cells);
}

bool check_init(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                enum sim_space space, const struct sim_lanes *lanes, unsigned bytes,
                struct check_site *site) {
    if (space == SIM_SPACE_GLOBAL)
        look_global(w, in, op, lanes, bytes, site);
    else if (space == SIM_SPACE_SHARED)
        return check_init_shared(w, in, op, w->check->init, lanes, bytes, site);
    else
        look_local(w, in, op, lanes, bytes);
    return false;
}
