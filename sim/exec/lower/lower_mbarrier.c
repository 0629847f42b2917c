/* mbarrier, arrivals at the end of copies, and bulk copies. */
#include "sim/exec/memory/mbarrier.h"

#include <string.h>

#include "sim/exec/lower/lower.h"

/* Refuses words that no form in this file has; tensor copies check their own. */
static bool known(struct lower *l) {
    static const char *const words[] = {"init",
                                        "inval",
                                        "arrive",
                                        "arrive_drop",
                                        "expect_tx",
                                        "complete_tx",
                                        "noComplete",
                                        "test_wait",
                                        "try_wait",
                                        "parity",
                                        "pending_count",
                                        "shared",
                                        "shared::cta",
                                        "b64",
                                        "release",
                                        "acquire",
                                        "relaxed",
                                        "cta",
                                        "cluster",
                                        "async",
                                        "mbarrier",
                                        "noinc",
                                        "bulk",
                                        "global",
                                        "shared::cluster",
                                        "mbarrier::complete_tx::bytes",
                                        "bulk_group",
                                        "multicast::cluster",
                                        "L2::cache_hint",
                                        NULL};
    const struct ptx_instruction *in = l->node->in;
    for (size_t i = 0; i < in->word_count; i++) {
        const char *const *w = words;
        while (*w && strcmp(in->words[i], *w) != 0)
            w++;
        if (!*w)
            return lower_error(l, in->pos, "instruction '%s' is not supported ('.%s')", in->opcode,
                               in->words[i]);
    }
    return true;
}

static bool find_operation(const struct ptx_instruction *in, struct sim_mbarrier *m) {
    static const struct {
        const char *word;
        enum sim_mbarrier_op op;
        enum sim_access access;
    } operations[] = {
        {"init", SIM_MBARRIER_INIT, SIM_ACCESS_STORE},
        {"inval", SIM_MBARRIER_INVAL, SIM_ACCESS_STORE},
        {"arrive", SIM_MBARRIER_ARRIVE, SIM_ACCESS_ATOM},
        {"arrive_drop", SIM_MBARRIER_ARRIVE, SIM_ACCESS_ATOM},
        {"expect_tx", SIM_MBARRIER_EXPECT_TX, SIM_ACCESS_ATOM},
        {"complete_tx", SIM_MBARRIER_COMPLETE_TX, SIM_ACCESS_ATOM},
        {"test_wait", SIM_MBARRIER_TEST, SIM_ACCESS_LOAD},
        {"try_wait", SIM_MBARRIER_TRY, SIM_ACCESS_LOAD},
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (ptx_has_word(in, operations[i].word)) {
            m->op = operations[i].op;
            m->at = (struct sim_memop){.exact = true,
                                       .access = operations[i].access,
                                       .order = SIM_ORDER_STRONG,
                                       .uncounted = true,
                                       .type = PTX_TYPE_B64,
                                       .width = 8,
                                       .count = 1};
            return true;
        }
    return false;
}

static bool emit(struct lower *l, sim_run_fn *body, const void *extra, int32_t address) {
    struct sim_insn *out = lower_emit(l, body);
    if (!out)
        return false;
    out->extra = extra;
    out->a = address;
    return true;
}

/* arrive: state, [at] {, count}; waits: p, [at], state or parity {, hint}; cp.async.mbarrier.arrive.noinc,
 * after its copies are done: [at]; others: [at] {, count}. */
bool lower_mbarrier(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    struct sim_mbarrier *m = known(l) ? lower_alloc(l, sizeof *m) : NULL;
    if (!m)
        return false;
    if (!find_operation(in, m) || !lower_space(in, &m->at.space) || m->at.space == SIM_SPACE_GLOBAL)
        return lower_unknown(l, NULL);
    bool own = m->op == SIM_MBARRIER_INIT || m->op == SIM_MBARRIER_INVAL || m->op == SIM_MBARRIER_TEST ||
               m->op == SIM_MBARRIER_TRY;
    if (own && m->at.space == SIM_SPACE_CLUSTER)
        return lower_unknown(l, "it works on the block's own shared memory");
    bool waits = m->op == SIM_MBARRIER_TEST || m->op == SIM_MBARRIER_TRY,
         arrives = m->op == SIM_MBARRIER_ARRIVE;
    size_t results = in->row->result != SIM_RESULT_NONE, given = in->operand_count - results - 1;
    size_t least = arrives || m->op == SIM_MBARRIER_INVAL ? 0 : 1;
    m->drop = ptx_has_word(in, "arrive_drop");
    m->expect = arrives && ptx_has_word(in, "expect_tx");
    m->unfinished = ptx_has_word(in, "noComplete");
    m->parity = ptx_has_word(in, "parity");
    m->count = -1;
    m->has_result = results && in->operands[0].kind != PTX_OPERAND_SINK;
    size_t most = m->op == SIM_MBARRIER_TRY                              ? 2
                  : m->op == SIM_MBARRIER_INVAL || (arrives && !results) ? 0
                                                                         : 1;
    if (in->operand_count < results + 1 + (m->expect || m->unfinished ? 1 : least) || given > most)
        return lower_error(l, in->pos, "wrong number of operands for '%s'", in->opcode);
    int32_t address;
    enum ptx_type type = waits && !m->parity ? PTX_TYPE_B64 : PTX_TYPE_U32;
    if (!lower_site(l, &m->at) || !lower_address(l, &in->operands[results], &m->at, &address) ||
        (given && !lower_source(l, &in->operands[results + 1], type, &m->count)) ||
        ((m->has_result || waits) &&
         !lower_destination(l, &in->operands[0], waits ? SIM_PRED : SIM_64, &m->result)))
        return false;
    l->code->may_spin |= waits;
    return emit(l, waits ? sim_run_mbarrier_wait : sim_run_mbarrier, m, address);
}

bool lower_pending(struct lower *l) {
    const struct ptx_instruction *in = l->node->in;
    int32_t a, d;
    if (!known(l))
        return false;
    if (in->operand_count != 2)
        return lower_error(l, in->pos, "'%s' takes a register and a state", in->opcode);
    if (!lower_source(l, &in->operands[1], PTX_TYPE_B64, &a) ||
        !lower_destination(l, &in->operands[0], SIM_32, &d))
        return false;
    struct sim_insn *out = lower_emit(l, sim_run_mbarrier_pending);
    if (!out)
        return false;
    out->d = d, out->a = a;
    return true;
}

/* cp.async.mbarrier.arrive: adds an expected arrival that arrives at once, so nothing is left to do. */
bool lower_expected_arrival(struct lower *l) {
    return known(l) && lower_nothing(l);
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster} [to], [from], size,
 * [barrier] {, blocks};  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes likewise;
 * cp.async.bulk.global.shared::cta.bulk_group [to], [from], size; */
bool lower_bulk_copy(struct lower *l) {
    static const char *const ways[][3] = {
        {"shared::cluster", "global", "mbarrier::complete_tx::bytes"},
        {"shared::cta", "global", "mbarrier::complete_tx::bytes"},
        {"shared::cluster", "shared::cta", "mbarrier::complete_tx::bytes"},
        {"global", "shared::cta", "bulk_group"},
    };
    const struct ptx_instruction *in = l->node->in;
    if (!known(l))
        return false;
    struct sim_bulk_copy *copy = lower_alloc(l, sizeof *copy);
    if (!copy)
        return false;
    size_t way = 0, count = sizeof ways / sizeof *ways;
    while (way < count &&
           (in->word_count < 5 || strcmp(in->words[2], ways[way][0]) != 0 ||
            strcmp(in->words[3], ways[way][1]) != 0 || strcmp(in->words[4], ways[way][2]) != 0))
        way++;
    bool stores = way + 1 == count;
    copy->multicast = ptx_has_word(in, "multicast::cluster");
    size_t operands = (stores ? 3u : 4u) + copy->multicast + ptx_has_word(in, "L2::cache_hint");
    if (way == count || in->operand_count != operands || (copy->multicast && way != 0))
        return lower_unknown(l, NULL);
    const struct sim_memop global = {.access = SIM_ACCESS_LOAD, .space = SIM_SPACE_GLOBAL};
    const struct sim_memop own = {.access = SIM_ACCESS_LOAD, .space = SIM_SPACE_SHARED};
    const struct sim_memop any = {.access = SIM_ACCESS_LOAD,
                                  .space = way == 1 ? SIM_SPACE_SHARED : SIM_SPACE_CLUSTER};
    copy->from = way < 2 ? global : own;
    copy->to = stores ? global : any;
    copy->barrier = any;
    /* 16 bytes: the size of every copy is a multiple of that. */
    copy->traffic = (struct sim_memop){.bulk = true,
                                       .access = way < 2 ? SIM_ACCESS_LOAD : SIM_ACCESS_STORE,
                                       .space = way < 2 || stores ? SIM_SPACE_GLOBAL : SIM_SPACE_CLUSTER,
                                       .width = 16,
                                       .count = 1};
    if (!lower_site(l, &copy->traffic) || !lower_address(l, &in->operands[0], &copy->to, &copy->to_address) ||
        !lower_address(l, &in->operands[1], &copy->from, &copy->from_address) ||
        !lower_source(l, &in->operands[2], PTX_TYPE_U32, &copy->size) ||
        (!stores && !lower_address(l, &in->operands[3], &copy->barrier, &copy->barrier_address)) ||
        (copy->multicast && !lower_source(l, &in->operands[4], PTX_TYPE_U16, &copy->blocks)))
        return false;
    return emit(l, sim_run_bulk_copy, copy, 0);
}

/* The end of st.async and red.async: their bytes arrive at the barrier, the last operand. */
bool lower_bytes_arrive(struct lower *l, enum sim_space space, unsigned bytes) {
    const struct ptx_instruction *in = l->node->in;
    struct sim_mbarrier *m = lower_alloc(l, sizeof *m);
    int32_t address;
    if (!m)
        return false;
    *m = (struct sim_mbarrier){.at = {.exact = true,
                                      .access = SIM_ACCESS_ATOM,
                                      .space = space,
                                      .order = SIM_ORDER_STRONG,
                                      .uncounted = true,
                                      .type = PTX_TYPE_B64,
                                      .width = 8,
                                      .count = 1},
                               .op = SIM_MBARRIER_COMPLETE_TX};
    if (!lower_site(l, &m->at) || !lower_address(l, &in->operands[in->operand_count - 1], &m->at, &address) ||
        !lower_constant(l, bytes, SIM_32, &m->count))
        return false;
    return emit(l, sim_run_mbarrier, m, address);
}
