/* ld, ldu and st; kernel parameters; parameters of device functions. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/handlers.h"
#include "sim/exec/memory/access.h"

/* ---------------------------------------------------------------- values between memory and registers */

static inline uint64_t read_element(const char *from, const struct sim_memop *op) {
    uint64_t value = 0;
    switch (op->width) {
    case 1:
        value = *(const uint8_t *)from;
        return op->sign ? (uint64_t)(int64_t)(int8_t)value : value;
    case 2: {
        uint16_t half;
        memcpy(&half, from, sizeof half);
        return op->sign ? (uint64_t)(int64_t)(int16_t)half : half;
    }
    case 4: {
        uint32_t word;
        memcpy(&word, from, sizeof word);
        return op->sign ? (uint64_t)(int64_t)(int32_t)word : word;
    }
    default:
        memcpy(&value, from, sizeof value);
        return value;
    }
}

static inline void put_register(struct sim_warp *w, const struct sim_memop *op, unsigned element,
                                unsigned lane, uint64_t value) {
    if (op->slot == SIM_64)
        ((uint64_t *)SIM_SLOT(w, op->reg[element]))[lane] = value;
    else
        ((uint32_t *)SIM_SLOT(w, op->reg[element]))[lane] = op->narrow ? (uint16_t)value : (uint32_t)value;
}

static inline uint64_t get_register(struct sim_warp *w, const struct sim_memop *op, unsigned element,
                                    unsigned lane) {
    return op->slot == SIM_64 ? ((const uint64_t *)SIM_SLOT(w, op->reg[element]))[lane]
                              : ((const uint32_t *)SIM_SLOT(w, op->reg[element]))[lane];
}

static inline void write_element(char *to, const struct sim_memop *op, uint64_t value) {
    memcpy(to, &value, op->width); /* little-endian: the low bytes */
}

/* ---------------------------------------------------------------- global and shared memory */

/* The address of lane i's bytes; deltas may be negative. */
static inline char *lane_at(const char *base, const struct sim_pattern *p, unsigned i) {
    return (char *)((uintptr_t)base + p->delta[i]);
}

/* Loads elements as wide as their registers for all 32 lanes; each half-warp reads one address or contiguous
 * ones.  Most instructions are like this.  width is a constant where this is inlined. */
static inline __attribute__((always_inline)) void load_halves(struct sim_warp *w, const struct sim_memop *op,
                                                              const struct sim_pattern *p, const char *base,
                                                              size_t width) {
    const size_t stride = p->uniform ? 0 : op->count * width;
    for (unsigned e = 0; e < op->count; e++)
        for (unsigned half = 0; half < SIM_LANES; half += SIM_LANES / 2) {
            const char *from = lane_at(base, p, half) + e * width;
            char *to = (char *)SIM_SLOT(w, op->reg[e]) + half * width;
            if (stride == width) {
                memcpy(to, from, SIM_LANES / 2 * width);
            } else if (stride == 0) {
                uint64_t value;
                memcpy(&value, from, width);
                for (unsigned i = 0; i < SIM_LANES / 2; i++)
                    memcpy(to + i * width, &value, width);
            } else {
                for (unsigned i = 0; i < SIM_LANES / 2; i++)
                    memcpy(to + i * width, from + i * stride, width);
            }
        }
}

static inline __attribute__((always_inline)) void load_words(struct sim_warp *w, const struct sim_memop *op,
                                                             const struct sim_pattern *p, const char *base) {
    for (unsigned e = 0; e < op->count; e++) {
        uint32_t *d = SIM_SLOT(w, op->reg[e]);
        for (uint32_t left = p->mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            memcpy(&d[i], lane_at(base, p, i) + 4 * e, 4);
        }
    }
}

static void load_any(struct sim_warp *w, const struct sim_memop *op, const struct sim_pattern *p,
                     const char *base) {
    for (unsigned e = 0; e < op->count; e++)
        for (uint32_t left = p->mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            put_register(w, op, e, i, read_element(lane_at(base, p, i) + e * op->width, op));
        }
}

static inline __attribute__((always_inline)) void load_from(struct sim_warp *w, const struct sim_memop *op,
                                                            const struct sim_pattern *p, const char *base) {
    bool words = op->width == 4 && op->slot == SIM_32, regular = p->uniform || p->contiguous;
    if (words && regular)
        load_halves(w, op, p, base, 4);
    else if (words)
        load_words(w, op, p, base);
    else if (op->width == 8 && regular)
        load_halves(w, op, p, base, 8);
    else
        load_any(w, op, p, base);
}

/* Stores the upper half last: where the halves overlap, the highest lane wins. */
static inline __attribute__((always_inline)) void store_halves(struct sim_warp *w, const struct sim_memop *op,
                                                               const struct sim_pattern *p, char *base,
                                                               size_t width) {
    const size_t stride = op->count * width;
    for (unsigned half = 0; half < SIM_LANES; half += SIM_LANES / 2)
        for (unsigned e = 0; e < op->count; e++) {
            const char *from = (const char *)SIM_SLOT(w, op->reg[e]) + half * width;
            char *to = lane_at(base, p, half) + e * width;
            if (stride == width)
                memcpy(to, from, SIM_LANES / 2 * width);
            else
                for (unsigned i = 0; i < SIM_LANES / 2; i++)
                    memcpy(to + i * stride, from + i * width, width);
        }
}

static inline __attribute__((always_inline)) void store_to(struct sim_warp *w, const struct sim_memop *op,
                                                           const struct sim_pattern *p, char *base) {
    if (p->contiguous && op->width == 4 && op->slot == SIM_32) {
        store_halves(w, op, p, base, 4);
        return;
    }
    if (p->contiguous && op->width == 8) {
        store_halves(w, op, p, base, 8);
        return;
    }
    /* Lanes in order, so that the highest wins if several write to one address. */
    for (uint32_t left = p->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        for (unsigned e = 0; e < op->count; e++)
            write_element(lane_at(base, p, i) + e * op->width, op, get_register(w, op, e, i));
    }
}

/* ---------------------------------------------------------------- local memory: words of the lanes
 * interleaved */

static char *local_byte(const struct sim_warp *w, uint64_t offset, unsigned lane) {
    return w->local + (offset >> 2) * (4 * SIM_LANES) + 4 * lane + (offset & 3);
}

void sim_local_reserve(struct sim_warp *w, size_t bytes) {
    size_t words = (bytes + 3) / 4;
    if (words <= w->local_words)
        return;
    char *grown = realloc(w->local, words * 4 * SIM_LANES);
    if (!grown)
        sim_fault_memory(w);
    memset(grown + w->local_words * 4 * SIM_LANES, 0, (words - w->local_words) * 4 * SIM_LANES);
    w->local = grown;
    w->local_words = words;
}

static void local_element(const struct sim_warp *w, uint64_t offset, unsigned lane, unsigned width,
                          char *value, bool load) {
    for (unsigned b = 0; b < width; b += 4) {
        char *at = local_byte(w, offset + b, lane);
        unsigned bytes = width < 4 ? width : 4;
        if (load)
            memcpy(value + b, at, bytes);
        else
            memcpy(at, value + b, bytes);
    }
}

static void local_access(struct sim_warp *w, const struct sim_memop *op, const struct sim_lanes *lanes) {
    for (unsigned e = 0; e < op->count; e++)
        for (uint32_t left = lanes->mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            char value[8];
            if (op->access == SIM_ACCESS_LOAD) {
                local_element(w, lanes->address[i] + e * op->width, i, op->width, value, true);
                put_register(w, op, e, i, read_element(value, op));
            } else {
                write_element(value, op, get_register(w, op, e, i));
                local_element(w, lanes->address[i] + e * op->width, i, op->width, value, false);
            }
        }
}

/* ---------------------------------------------------------------- parameters */

/* Past the parameters hardware reads more of its constant bank; here that reads as zeros. */
static void param_access(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                         const struct sim_lanes *lanes) {
    const char *params = w->worker->launch->params;
    size_t limit = w->worker->param_bytes, bytes = op->width * op->count;
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t at = lanes->address[i];
        bool outside = !sim_within(at, bytes, limit);
        if (at & (bytes - 1))
            sim_fault_raise(w, in, i, SIM_FAULT_MISALIGNED, at,
                            "%zu-byte parameter load at offset %llu, which is no multiple of %zu", bytes,
                            (unsigned long long)at, bytes);
        if (outside && sim_check_wants(w, SIM_CHECK_MEMORY))
            sim_fault_raise(w, in, i, SIM_FAULT_ADDRESS, at,
                            "%zu-byte parameter load at offset %llu is out of bounds: there are %zu bytes",
                            bytes, (unsigned long long)at, limit);
        if (op->access != SIM_ACCESS_LOAD)
            sim_fault_raise(w, in, i, SIM_FAULT_ADDRESS, at, "store to a kernel parameter");
        w->worker->sites[op->site].outside += outside;
        for (unsigned e = 0; e < op->count; e++)
            put_register(w, op, e, i, outside ? 0 : read_element(params + at + e * op->width, op));
    }
}

/* A constant address: all lanes get one value. */
static inline __attribute__((always_inline)) void
param_broadcast(struct sim_warp *w, const struct sim_memop *op, const char *from) {
    const uint32_t mask = w->mask;
    for (unsigned e = 0; e < op->count; e++) {
        uint64_t value = read_element(from + e * op->width, op);
        if (op->slot == SIM_64) {
            uint64_t *d = SIM_SLOT(w, op->reg[e]);
            for (unsigned i = 0; i < SIM_LANES; i++)
                d[i] = mask & (1u << i) ? value : d[i];
        } else {
            uint32_t *d = SIM_SLOT(w, op->reg[e]), word = op->narrow ? (uint16_t)value : (uint32_t)value;
            for (unsigned i = 0; i < SIM_LANES; i++)
                d[i] = mask & (1u << i) ? word : d[i];
        }
    }
}

SIM_CLONES const struct sim_insn *sim_run_param_load(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_memop *op = in->extra;
    const uint64_t at = (uint64_t)op->offset, limit = w->worker->param_bytes, bytes = op->width * op->count;
    if (in->a == -1 && sim_within(at, bytes, limit)) {
        param_broadcast(w, op, (const char *)w->worker->launch->params + at);
        return in + 1;
    }
    struct sim_lanes lanes;
    if (in->a == -1) {
        for (unsigned i = 0; i < SIM_LANES; i++)
            lanes.address[i] = at;
        lanes.mask = w->mask;
        lanes.first = (unsigned)__builtin_ctz(w->mask);
    } else {
        sim_lanes_fill(w, op, in->a, &lanes);
    }
    param_access(w, in, op, &lanes);
    return in + 1;
}

/* op->offset: the variable's offset in the frame, lane-major; op->site: bytes from lane to lane. */
const struct sim_insn *sim_run_frame_load(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_memop *op = in->extra;
    const char *base = w->base[0] + op->offset;
    for (unsigned e = 0; e < op->count; e++)
        for (uint32_t left = w->mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            put_register(w, op, e, i, read_element(base + i * op->site + e * op->width, op));
        }
    return in + 1;
}

const struct sim_insn *sim_run_frame_store(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_memop *op = in->extra;
    char *base = w->base[0] + op->offset;
    for (unsigned e = 0; e < op->count; e++)
        for (uint32_t left = w->mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            write_element(base + i * op->site + e * op->width, op, get_register(w, op, e, i));
        }
    return in + 1;
}

/* ---------------------------------------------------------------- the instructions */

/* Accesses shared memory, possibly of other blocks that the addresses name. */
static void access_cluster(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                           const struct sim_lanes *all, bool load) {
    unsigned bytes = op->width * op->count;
    uint32_t done = 0;
    for (uint32_t left = all->mask; left;) {
        struct sim_lanes lanes;
        struct sim_block *owner = sim_lanes_take_block(w, in, op->space, &lanes, all, &left);
        bool goes_on = owner == w->block ? sim_access(w, in, op, SIM_SPACE_SHARED, &lanes, bytes) != NULL
                                         : sim_access_far(w, in, op, owner, &lanes, bytes);
        const struct sim_pattern *p = &w->worker->sites[op->site].pattern;
        if (goes_on && load)
            load_from(w, op, p, owner->shared + lanes.address[lanes.first]);
        else if (goes_on)
            store_to(w, op, p, owner->shared + lanes.address[lanes.first]);
        done |= goes_on ? lanes.mask : 0;
    }
    sim_access_count_far(w, op, all, done, bytes);
}

static inline __attribute__((always_inline)) void access_space(struct sim_warp *w, const struct sim_insn *in,
                                                               const struct sim_memop *op,
                                                               enum sim_space space, struct sim_lanes *lanes,
                                                               bool load) {
    if (space == SIM_SPACE_PARAM) {
        param_access(w, in, op, lanes);
        return;
    }
    if (space == SIM_SPACE_SHARED && sim_lanes_name_blocks(w, lanes)) {
        access_cluster(w, in, op, lanes, load);
        return;
    }
    const struct sim_pattern *p = sim_access(w, in, op, space, lanes, op->width * op->count);
    if (!p)
        return;
    uint64_t base = lanes->address[lanes->first];
    if (space == SIM_SPACE_LOCAL)
        local_access(w, op, lanes);
    else {
        char *memory = space == SIM_SPACE_SHARED ? w->block->shared + base : (char *)(uintptr_t)base;
        if (load)
            load_from(w, op, p, memory);
        else
            store_to(w, op, p, memory);
    }
}

static void access_generic(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                           const struct sim_lanes *all, bool load) {
    for (uint32_t left = all->mask; left;) {
        struct sim_lanes lanes;
        enum sim_space space = sim_lanes_take_window(w, &lanes, all, &left);
        access_space(w, in, op, space, &lanes, load);
    }
}

/* Constants are read through their own cache and do not count as global loads.  Outside all memory they read
 * as 0, as beyond hardware's constant bank. */
static void load_constant(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                          struct sim_lanes *lanes) {
    unsigned bytes = op->width * op->count;
    if (w->check && !sim_check_bounds(w, in, op, SIM_SPACE_GLOBAL, lanes, bytes))
        return;
    struct sim_site_tally *site = &w->worker->sites[op->site];
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t at = lanes->address[i];
        if (at & (bytes - 1))
            sim_access_fault(w, in, op, SIM_SPACE_GLOBAL, lanes, bytes);
        if (!sim_launch_reaches(w->worker->launch, at, bytes)) {
            site->outside++;
            for (unsigned e = 0; e < op->count; e++)
                put_register(w, op, e, i, 0);
            continue;
        }
        if (!sim_within(at - site->allowed_base, bytes, site->allowed_end - site->allowed_base)) {
            struct sim_lanes one = *lanes;
            one.mask = 1u << i;
            one.first = i;
            sim_access_check_global(w, in, op, site, &one, bytes);
        }
        for (unsigned e = 0; e < op->count; e++)
            put_register(w, op, e, i, read_element((const char *)(uintptr_t)at + e * op->width, op));
    }
}

SIM_CLONES const struct sim_insn *sim_run_load(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_memop *op = in->extra;
    struct sim_lanes lanes;
    sim_lanes_fill(w, op, in->a, &lanes);
    if (op->space == SIM_SPACE_GLOBAL)
        access_space(w, in, op, SIM_SPACE_GLOBAL, &lanes, true);
    else if (op->space == SIM_SPACE_SHARED || op->space == SIM_SPACE_CLUSTER)
        access_space(w, in, op, SIM_SPACE_SHARED, &lanes, true);
    else if (op->space == SIM_SPACE_LOCAL)
        access_space(w, in, op, SIM_SPACE_LOCAL, &lanes, true);
    else if (op->space == SIM_SPACE_CONST)
        load_constant(w, in, op, &lanes);
    else
        access_generic(w, in, op, &lanes, true);
    return in + 1;
}

const struct sim_insn *sim_run_poll_load(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_memop *op = in->extra;
    sim_run_load(w, in);
    sim_poll(w, in, get_register(w, op, 0, (unsigned)__builtin_ctz(w->mask)), false);
    return in + 1;
}

SIM_CLONES const struct sim_insn *sim_run_store(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_memop *op = in->extra;
    struct sim_lanes lanes;
    sim_lanes_fill(w, op, in->a, &lanes);
    if (op->space == SIM_SPACE_GLOBAL)
        access_space(w, in, op, SIM_SPACE_GLOBAL, &lanes, false);
    else if (op->space == SIM_SPACE_SHARED || op->space == SIM_SPACE_CLUSTER)
        access_space(w, in, op, SIM_SPACE_SHARED, &lanes, false);
    else if (op->space == SIM_SPACE_LOCAL)
        access_space(w, in, op, SIM_SPACE_LOCAL, &lanes, false);
    else
        access_generic(w, in, op, &lanes, false);
    return in + 1;
}

/* A lane that reads fewer bytes than it fills may end at an allocation's end.  All bytes are counted: they
 * are aligned and in the same sector. */
static void read_partly(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                        const struct sim_lanes *source, const uint32_t *size, unsigned bytes) {
    for (uint32_t left = source->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t at = source->address[i];
        if (at & (bytes - 1) || !sim_launch_reaches(w->worker->launch, at, size[i])) {
            struct sim_lanes one = *source;
            one.mask = 1u << i;
            one.first = i;
            sim_access_fault(w, in, op, SIM_SPACE_GLOBAL, &one, bytes);
        }
    }
    sim_access_pattern(w, op, SIM_SPACE_GLOBAL, source, bytes);
    sim_access_count(w, op, SIM_SPACE_GLOBAL, source, bytes);
    sim_access_count_peers(w, op, source, bytes);
}

/* cp.async: a load of each lane's bytes from global memory and a store of them to shared memory.  Bytes past
 * the given size are zeros and are not read. */
const struct sim_insn *sim_run_async_copy(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_memop *from = in->extra, *to = from->to;
    unsigned bytes = from->width * from->count;
    struct sim_lanes source, target;
    sim_lanes_fill(w, from, in->a, &source);
    sim_lanes_fill(w, to, in->b, &target);
    uint32_t size[SIM_LANES], reading = 0;
    bool partly = false;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        size[i] = from->has_size ? ((const uint32_t *)SIM_SLOT(w, from->size))[i] : bytes;
        if (size[i] > bytes)
            size[i] = bytes;
        if (from->ignorable && *(const uint32_t *)SIM_SLOT(w, from->size) >> i & 1)
            size[i] = 0;
        reading |= (uint32_t)(size[i] > 0) << i;
        partly |= size[i] < bytes;
    }
    reading &= w->mask;
    if (reading) {
        source.mask = reading;
        source.first = (unsigned)__builtin_ctz(reading);
        for (unsigned i = 0; i < SIM_LANES; i++)
            if (!(reading >> i & 1))
                source.address[i] = source.address[source.first];
        uint32_t left = source.mask;
        if (partly)
            read_partly(w, in, from, &source, size, bytes);
        else
            left = sim_access(w, in, from, SIM_SPACE_GLOBAL, &source, bytes) ? source.mask : 0;
        for (unsigned i = 0; i < SIM_LANES; i++)
            if (!(left >> i & 1))
                size[i] = 0;
    }
    if (!sim_access(w, in, to, SIM_SPACE_SHARED, &target, bytes))
        return in + 1;
    for (uint32_t left = target.mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        char value[16] = {0};
        if (size[i])
            memcpy(value, (const char *)(uintptr_t)source.address[i], size[i]);
        memcpy(w->block->shared + target.address[i], value, bytes);
    }
    return in + 1;
}
