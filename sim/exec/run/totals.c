/* Adds an instruction's counts to the counters that they belong to. */
#include <stdlib.h>

#include "sim/exec/worker.h"

static void add_stride(struct sim_stride *to, const struct sim_stride *from) {
    if (to->state == SIM_STRIDE_NONE)
        *to = *from;
    else if (from->state == SIM_STRIDE_MIXED || (from->state == SIM_STRIDE_ONE && from->bytes != to->bytes))
        to->state = SIM_STRIDE_MIXED;
}

void sim_tallies_add(struct sim_worker *to, struct sim_worker *from) {
    if (to->samples)
        sim_samples_add(to->samples, from->samples);
    for (size_t f = 0; f < to->code->reachable_count; f++) {
        const struct sim_code *code = to->code->reachable[f];
        for (size_t b = code->block_base; b < code->block_base + code->block_count; b++) {
            to->blocks[b].warps += from->blocks[b].warps;
            to->blocks[b].lanes += from->blocks[b].lanes;
            to->blocks[b].splits += from->blocks[b].splits;
            if (from->blocks[b].undefined)
                to->blocks[b].undefined_at = from->blocks[b].undefined_at;
            to->blocks[b].undefined += from->blocks[b].undefined;
        }
        for (size_t s = code->site_base; s < code->site_base + code->site_count; s++) {
            add_stride(&to->sites[s].stride, &from->sites[s].stride);
            to->sites[s].outside += from->sites[s].outside;
            to->sites[s].pattern.unsure |= from->sites[s].pattern.unsure;
            for (int i = 0; i < SIM_COUNTED_SPACES; i++) {
                to->sites[s].by[i].requests += from->sites[s].by[i].requests;
                to->sites[s].by[i].transactions += from->sites[s].by[i].transactions;
                to->sites[s].by[i].moved += from->sites[s].by[i].moved;
                to->sites[s].by[i].useful += from->sites[s].by[i].useful;
            }
        }
    }
}

static void count_bulk_site(struct wl_counters *c, const struct sim_site *site,
                            const struct sim_site_tally *t) {
    c->dshared_bulk_requests += t->by[SIM_SPACE_CLUSTER].requests;
    c->dshared_bulk_transactions += t->by[SIM_SPACE_CLUSTER].transactions;
    if (site->access == SIM_ACCESS_LOAD) {
        c->bulk_load_requests += t->by[SIM_SPACE_GLOBAL].requests;
        c->bulk_load_transactions += t->by[SIM_SPACE_GLOBAL].transactions;
        c->bulk_load_useful_bytes += t->by[SIM_SPACE_GLOBAL].useful;
    } else {
        c->bulk_store_requests += t->by[SIM_SPACE_GLOBAL].requests;
        c->bulk_store_transactions += t->by[SIM_SPACE_GLOBAL].transactions;
        c->bulk_store_useful_bytes += t->by[SIM_SPACE_GLOBAL].useful;
    }
}

static void count_peers(struct wl_counters *c, const struct sim_site *site, const struct sim_site_tally *t) {
    const uint64_t requests = t->by[SIM_SPACE_PEER].requests;
    const uint64_t transactions = t->by[SIM_SPACE_PEER].transactions;
    if (site->access == SIM_ACCESS_LOAD) {
        c->peer_load_requests += requests;
        c->peer_load_transactions += transactions;
    } else if (site->access == SIM_ACCESS_STORE) {
        c->peer_store_requests += requests;
        c->peer_store_transactions += transactions;
    } else {
        c->peer_atomic_requests += requests;
        c->peer_atomic_transactions += transactions;
    }
}

static void count_site(struct wl_counters *c, const struct sim_site *site, const struct sim_site_tally *t) {
    count_peers(c, site, t);
    if (site->texture) {
        c->texture_load_requests += t->by[SIM_SPACE_GLOBAL].requests;
        c->texture_load_transactions += t->by[SIM_SPACE_GLOBAL].transactions;
        return;
    }
    if (site->bulk) {
        count_bulk_site(c, site, t);
        return;
    }
    uint64_t requests[SIM_COUNTED_SPACES], transactions[SIM_COUNTED_SPACES];
    for (int i = 0; i < SIM_COUNTED_SPACES; i++) {
        requests[i] = t->by[i].requests;
        transactions[i] = t->by[i].transactions;
    }
    requests[SIM_SPACE_LOCAL] *= count_local_requests(site->bytes);
    c->shared_useful_bytes += t->by[SIM_SPACE_SHARED].useful;
    switch (site->access) {
    case SIM_ACCESS_LOAD:
        c->global_load_requests += requests[SIM_SPACE_GLOBAL];
        c->gld_transactions += transactions[SIM_SPACE_GLOBAL];
        c->gld_useful_bytes += t->by[SIM_SPACE_GLOBAL].useful;
        c->gld_moved_bytes += t->by[SIM_SPACE_GLOBAL].moved;
        c->shared_load_requests += requests[SIM_SPACE_SHARED];
        c->shared_load_transactions += transactions[SIM_SPACE_SHARED];
        c->local_load_requests += requests[SIM_SPACE_LOCAL];
        c->local_load_transactions += transactions[SIM_SPACE_LOCAL];
        c->dshared_load_requests += requests[SIM_SPACE_CLUSTER];
        c->dshared_load_transactions += transactions[SIM_SPACE_CLUSTER];
        break;
    case SIM_ACCESS_STORE:
        c->global_store_requests += requests[SIM_SPACE_GLOBAL];
        c->gst_transactions += transactions[SIM_SPACE_GLOBAL];
        c->gst_useful_bytes += t->by[SIM_SPACE_GLOBAL].useful;
        c->gst_moved_bytes += t->by[SIM_SPACE_GLOBAL].moved;
        c->shared_store_requests += requests[SIM_SPACE_SHARED];
        c->shared_store_transactions += transactions[SIM_SPACE_SHARED];
        c->local_store_requests += requests[SIM_SPACE_LOCAL];
        c->local_store_transactions += transactions[SIM_SPACE_LOCAL];
        c->dshared_store_requests += requests[SIM_SPACE_CLUSTER];
        c->dshared_store_transactions += transactions[SIM_SPACE_CLUSTER];
        break;
    case SIM_ACCESS_ATOM:
    case SIM_ACCESS_RED:
        if (site->access == SIM_ACCESS_ATOM) {
            c->global_atomic_requests += requests[SIM_SPACE_GLOBAL];
            c->global_atomic_transactions += transactions[SIM_SPACE_GLOBAL];
        } else {
            c->global_reduction_requests += requests[SIM_SPACE_GLOBAL];
            c->global_reduction_transactions += transactions[SIM_SPACE_GLOBAL];
        }
        c->shared_atomic_requests += requests[SIM_SPACE_SHARED];
        c->shared_atomic_transactions += transactions[SIM_SPACE_SHARED];
        c->dshared_atomic_requests += requests[SIM_SPACE_CLUSTER];
        c->dshared_atomic_transactions += transactions[SIM_SPACE_CLUSTER];
        break;
    }
}

/* Marks the blocks whose counts are in doubt because lanes parted at a relevant branch. */
static void find_parted(const struct sim_worker *worker, const struct sim_code *code, bool *parted) {
    for (size_t r = 0; r < code->doubts.region_count; r++) {
        const struct doubt_region *region = &code->doubts.regions[r];
        bool did = false;
        for (size_t i = 0; i < region->branch_count && !did; i++)
            did = worker->blocks[code->block_base + region->branches[i]].splits > 0;
        for (size_t i = 0; did && i < region->block_count; i++) {
            uint32_t copy_of = code->module->blocks[code->block_base + region->blocks[i]].copy_of;
            parted[copy_of ? copy_of - code->block_base : region->blocks[i]] = true;
        }
    }
}

/* The doubts about an instruction's counts, given the counts. */
static unsigned doubts_of(const struct sim_launch *launch, const struct doubts *code,
                          const struct wl_counters *c, unsigned doubts) {
    uint64_t block = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t grid = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (doubts & SIM_DOUBT_SHARED_TURNS)
        doubts ^=
            SIM_DOUBT_SHARED_TURNS | (c->shared_atomic_requests && block > SIM_LANES ? SIM_DOUBT_TURNS : 0);
    if (block <= SIM_LANES && grid == 1)
        doubts &= ~(unsigned)(SIM_DOUBT_TURNS | SIM_DOUBT_ORDER);
    if (code->arrays && (c->local_load_requests || c->local_store_requests))
        doubts |= SIM_DOUBT_LOCAL;
    return doubts;
}

/* Whether atomics touch many words of sectors that several lanes share: neither contiguous nor all apart. */
static bool shares_sectors(const struct sim_site *site, const struct sim_site_tally *t) {
    if (site->access != SIM_ACCESS_ATOM && site->access != SIM_ACCESS_RED)
        return false;
    bool shares = false;
    for (int space = 0; space < SIM_COUNTED_SPACES; space++) {
        uint64_t words = site->bytes ? t->by[space].useful / site->bytes : 0,
                 turns = t->by[space].transactions;
        shares |=
            (space == SIM_SPACE_GLOBAL || space == SIM_SPACE_CLUSTER) && turns < words && words < 3 * turns;
    }
    return shares;
}

static void tell(const struct sim_worker *worker, const struct sim_code *code, uint32_t index,
                 const struct sim_block_tally *ran, bool last, bool parted, uint64_t handed) {
    const struct ptx_module *ptx = code->module->ptx;
    const struct ptx_instruction *in = &code->source->instructions[index];
    struct sim_instruction_count count = {
        .function = code->source->name,
        .opcode = in->opcode,
        .line = in->source.line,
        .column = in->source.column,
        .ptx_line = in->pos.line,
        .counters = {.inst_executed = ran->warps, .thread_inst_executed = ran->lanes},
        .divergent = last ? ran->splits : 0,
        .undefined = index == ran->undefined_at ? ran->undefined : 0,
    };
    if (in->source.file) /* the parser leaves no file that the text does not give */
        count.file = ptx->files[in->source.file - 1];
    /* Sites are in the order of their instructions. */
    size_t low = 0, high = code->site_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (code->sites[middle].insn < index)
            low = middle + 1;
        else
            high = middle;
    }
    struct sim_stride stride = {0};
    unsigned doubts = code->doubts.of[index] | (parted ? SIM_DOUBT_LANES : 0);
    struct sim_kind *kinds = NULL;
    for (; low < code->site_count && code->sites[low].insn == index; low++) {
        const struct sim_site_tally *site = &worker->sites[code->site_base + low];
        if (worker->samples)
            sim_kinds_add(&kinds, &worker->samples->sites[code->site_base + low].kinds);
        count_site(&count.counters, &code->sites[low], site);
        add_stride(&stride, &site->stride);
        count.bytes = code->sites[low].bytes;
        count.outside += site->outside;
        doubts |= (shares_sectors(&code->sites[low], site) ? SIM_DOUBT_WORDS : 0) |
                  (site->pattern.unsure ? SIM_DOUBT_PAIRS : 0);
    }
    if (code == worker->code) {
        doubts |= code->doubts.handed.of[index].reads & handed ? SIM_DOUBT_DATA : 0;
        handed_on(worker->launch, index, handed);
    }
    count.doubts = doubts_of(worker->launch, &code->doubts, &count.counters, doubts);
    count.has_stride = stride.state == SIM_STRIDE_ONE;
    count.stride = stride.bytes;
    count.kinds = worker->samples ? &kinds : NULL;
    worker->launch->each(worker->launch->argument, &count);
    sim_kinds_free(&kinds);
}

/* Adds the tallies of the copies that an unrolled loop has of its blocks to the blocks' own. */
static void add_copies(struct sim_worker *worker, const struct sim_code *code) {
    const struct sim_module *m = code->module;
    for (size_t b = code->block_base; b < code->block_base + code->block_count; b++) {
        if (!m->blocks[b].copy_of || m->blocks[b].copy_of == b)
            continue;
        const struct sim_block_tally *copy = &worker->blocks[b];
        struct sim_block_tally *to = &worker->blocks[m->blocks[b].copy_of];
        to->splits += copy->splits;
        if (!m->blocks[b].instructions)
            continue;
        to->warps += copy->warps;
        to->lanes += copy->lanes;
        to->undefined += copy->undefined;
        if (copy->undefined)
            to->undefined_at = copy->undefined_at;
    }
}

/* Tells the launch of a function's instructions, whose counts are complete. */
static void tell_all(struct sim_worker *worker, const struct sim_code *code, uint64_t handed) {
    const struct sim_module *m = code->module;
    bool *parted = calloc(code->block_count + 1, sizeof *parted);
    if (parted)
        find_parted(worker, code, parted);
    add_copies(worker, code);
    for (size_t b = code->block_base; b < code->block_base + code->block_count; b++) {
        const struct sim_block_tally *ran = &worker->blocks[b];
        if (m->blocks[b].copy_of && m->blocks[b].copy_of != b)
            continue;
        for (uint32_t i = 0; ran->warps && i < m->blocks[b].instructions; i++)
            tell(worker, code, m->blocks[b].first + i, ran, i + 1 == m->blocks[b].instructions,
                 !parted || parted[b - code->block_base], handed);
    }
    free(parted);
}

void sim_tallies_sum(struct sim_worker *worker, struct wl_counters *counters) {
    const struct sim_module *m = worker->code->module;
    const uint64_t handed = worker->launch->each ? handed_to(worker->launch) : 0;
    for (size_t f = 0; f < worker->code->reachable_count; f++) {
        const struct sim_code *code = worker->code->reachable[f];
        for (size_t s = 0; s < code->site_count; s++)
            count_site(counters, &code->sites[s], &worker->sites[code->site_base + s]);
        for (size_t b = code->block_base; b < code->block_base + code->block_count; b++) {
            counters->inst_executed += worker->blocks[b].warps * m->blocks[b].instructions;
            counters->thread_inst_executed += worker->blocks[b].lanes * m->blocks[b].instructions;
        }
        if (worker->launch->each)
            tell_all(worker, code, handed);
    }
    if (worker->samples)
        sim_samples_tell(worker->samples, worker->launch->array, worker->launch->argument);
}
