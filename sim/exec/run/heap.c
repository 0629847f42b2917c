/* malloc and free in kernels.  Each piece is a device memory allocation of its own, so an access past its end
 * is detected.  The heap lives as long as its context; what a kernel does not free stays allocated. */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "sim/exec/handlers.h"
#include "sim/exec/run/call.h"

struct piece {
    uint64_t base;
    uint64_t size; /* rounded up to a multiple of 16 */
};

struct sim_heap {
    struct sim_memory *memory;
    pthread_mutex_t lock;
    uint64_t limit, used;
    bool touched;
    void *pieces; /* a search.h tree, by base */
};

static int compare(const void *x, const void *y) {
    const struct piece *a = x, *b = y;
    return (a->base > b->base) - (a->base < b->base);
}

struct sim_heap *sim_heap_create(struct sim_memory *memory, size_t limit) {
    struct sim_heap *heap = calloc(1, sizeof *heap);
    if (!heap || pthread_mutex_init(&heap->lock, NULL)) {
        free(heap);
        return NULL;
    }
    heap->memory = memory;
    heap->limit = limit;
    return heap;
}

void sim_heap_destroy(struct sim_heap *heap) {
    if (!heap)
        return;
    while (heap->pieces) {
        struct piece *root = *(struct piece **)heap->pieces;
        sim_memory_free(heap->memory, root->base);
        tdelete(root, &heap->pieces, compare);
        free(root);
    }
    pthread_mutex_destroy(&heap->lock);
    free(heap);
}

bool sim_heap_set_limit(struct sim_heap *heap, size_t limit) {
    pthread_mutex_lock(&heap->lock);
    bool untouched = !heap->touched;
    if (untouched)
        heap->limit = limit;
    pthread_mutex_unlock(&heap->lock);
    return untouched;
}

/* 0 if there is no room or size is 0. */
static uint64_t allocate(struct sim_heap *heap, uint64_t size) {
    pthread_mutex_lock(&heap->lock);
    heap->touched = true;
    uint64_t base = 0;
    struct piece *piece = NULL;
    uint64_t rounded = size <= UINT64_MAX / 2 ? (size + 15) & ~(uint64_t)15 : UINT64_MAX;
    if (size && sim_within(heap->used, rounded, heap->limit)) {
        piece = malloc(sizeof *piece);
        base = piece ? sim_memory_alloc(heap->memory, size, SIM_MEMORY_HEAP) : 0;
    }
    if (base) {
        *piece = (struct piece){base, rounded};
        if (tsearch(piece, &heap->pieces, compare)) {
            heap->used += rounded;
        } else {
            sim_memory_free(heap->memory, base);
            base = 0;
        }
    }
    if (!base)
        free(piece);
    pthread_mutex_unlock(&heap->lock);
    return base;
}

static bool release(struct sim_heap *heap, uint64_t base) {
    pthread_mutex_lock(&heap->lock);
    const struct piece key = {.base = base};
    struct piece **found = tfind(&key, &heap->pieces, compare), *piece = found ? *found : NULL;
    if (piece) {
        tdelete(piece, &heap->pieces, compare);
        heap->used -= piece->size;
        sim_memory_free(heap->memory, base);
        free(piece);
    }
    pthread_mutex_unlock(&heap->lock);
    return piece != NULL;
}

const struct sim_insn *sim_run_malloc(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_call *call = in->extra;
    struct sim_heap *heap = w->worker->launch->heap;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t size = sim_call_argument(w, call, 0, lane);
        sim_call_return(w, call, lane, heap ? allocate(heap, size) : 0);
    }
    return in + 1;
}

const struct sim_insn *sim_run_free(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_call *call = in->extra;
    struct sim_heap *heap = w->worker->launch->heap;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t base = sim_call_argument(w, call, 0, lane);
        if (!base || (heap && release(heap, base)))
            continue;
        char nearest[160];
        sim_memory_describe(w->worker->launch->memory, base, nearest, sizeof nearest);
        sim_fault_raise(w, in, lane, SIM_FAULT_ADDRESS, base,
                        "free of 0x%llx, which malloc did not return: %s", (unsigned long long)base, nearest);
    }
    return in + 1;
}
