/* Functions that every device provides to kernels: printf, malloc, free, and the one that a failed assert
 * calls.
 *
 * Their own reads and writes are not counted: on hardware these are not instructions of the kernel. */
#include <stdio.h>
#include <string.h>

#include "sim/exec/handlers.h"
#include "sim/exec/memory/access.h"
#include "sim/exec/run/call.h"

/* sizes: of the parameters, terminated by 0. */
static const struct {
    const char *name;
    sim_run_fn *run;
    uint8_t result, sizes[6];
} services[] = {
    {"vprintf", sim_run_printf, 4, {8, 8}},
    {"malloc", sim_run_malloc, 8, {8}},
    {"free", sim_run_free, 0, {8}},
    {"__assertfail", sim_run_assert_fail, 0, {8, 8, 4, 8, 8}}, /* what, file, line, function, char's size */
};

sim_run_fn *sim_service_find(const struct ptx_function *f) {
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        if (strcmp(services[i].name, f->name) != 0)
            continue;
        size_t count = strlen((const char *)services[i].sizes), results = services[i].result != 0;
        bool fits = f->param_count == count && f->return_count == results;
        for (size_t p = 0; fits && p < count; p++)
            fits = f->params[p]->size == services[i].sizes[p];
        if (fits && results)
            fits = f->returns[0]->size == services[i].result;
        return fits ? services[i].run : NULL;
    }
    return NULL;
}

bool sim_generic_read(struct sim_warp *w, unsigned lane, uint64_t address, void *to, size_t size) {
    uint64_t offset = address & ~SIM_WINDOW_MASK;
    switch (address & SIM_WINDOW_MASK) {
    case 0:
        if (!sim_launch_reaches(w->worker->launch, address, size))
            return false;
        memcpy(to, (const void *)(uintptr_t)address, size);
        return true;
    case SIM_WINDOW_SHARED: {
        const struct sim_block *owner = w->block;
        if (w->worker->cluster_size > 1 && offset >> SIM_RANK_SHIFT) {
            uint64_t rank = (offset >> SIM_RANK_SHIFT) - 1;
            owner = rank < w->worker->cluster_size ? w->block->cluster->blocks[rank] : NULL;
            offset &= SIM_RANK_OFFSET;
        }
        if (!owner || !sim_within(offset, size, w->worker->shared_limit))
            return false;
        memcpy(to, owner->shared + offset, size);
        return true;
    }
    case SIM_WINDOW_LOCAL: {
        uint64_t limit = sim_access_limit(w, SIM_SPACE_LOCAL);
        if (!sim_within(offset - SIM_LOCAL_BELOW, size, limit - SIM_LOCAL_BELOW))
            return false;
        for (size_t i = 0; i < size; i++)
            ((char *)to)[i] = w->local[((offset + i) >> 2) * (4 * SIM_LANES) + 4 * lane + ((offset + i) & 3)];
        return true;
    }
    default:
        return false;
    }
}

/* Reads a C string of at most size - 1 bytes. */
static void read_text(struct sim_warp *w, unsigned lane, uint64_t address, char *text, size_t size) {
    size_t n = 0;
    while (n + 1 < size && sim_generic_read(w, lane, address + n, &text[n], 1) && text[n])
        n++;
    text[n] = 0;
}

/* Reports every active lane, as each has failed. */
const struct sim_insn *sim_run_assert_fail(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_call *call = in->extra;
    const uint32_t *size = w->worker->launch->block, *id = w->block->id;
    char what[1024] = "", file[1024], function[1024], text[4096];
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t thread = SIM_LANES * w->index + lane;
        read_text(w, lane, sim_call_argument(w, call, 0, lane), what, sizeof what);
        read_text(w, lane, sim_call_argument(w, call, 1, lane), file, sizeof file);
        read_text(w, lane, sim_call_argument(w, call, 3, lane), function, sizeof function);
        int length = snprintf(
            text, sizeof text, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
            file, (unsigned)sim_call_argument(w, call, 2, lane), function, id[0], id[1], id[2],
            thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1], what);
        sim_print(w, true, text, (size_t)length, 0);
    }
    sim_fault_raise(w, in, (unsigned)__builtin_ctz(w->mask), SIM_FAULT_ASSERT, 0, "assertion `%.200s` failed",
                    what);
}
