/* User objects: a program's resources, freed when no graph needs them any more. */
#include <limits.h>
#include <stdlib.h>

#include "sim/cuda/graph/graph.h"

struct CUuserObject_st {
    struct object object;
    void *data;
    CUhostFn destroy;
    uint64_t references, own; /* all references; the program's among them */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* At the driver's end: the program keeps what it still holds. */
static void release(struct object *object) {
    free(object);
}

static CUresult check(CUuserObject user, unsigned count) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(user, OBJECT_USER) && count && count <= INT_MAX ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_INVALID_VALUE;
}

/* Drops references; own: the program's.  Dropping the last one destroys the object on the calling thread.
 * Errors: INVALID_VALUE if the program does not have that many. */
static CUresult drop(CUuserObject user, unsigned count, bool own) {
    pthread_mutex_lock(&lock);
    bool enough = !own || user->own >= count;
    if (enough)
        user->references -= count;
    if (enough && own)
        user->own -= count;
    bool last = enough && !user->references;
    pthread_mutex_unlock(&lock);
    if (last && object_remove(&user->object)) {
        user->destroy(user->data);
        free(user);
    }
    return enough ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuUserObjectCreate(CUuserObject *object_out, void *ptr, CUhostFn destroy,
                            unsigned int initialRefcount, unsigned int flags) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!object_out || !destroy || !initialRefcount || initialRefcount > INT_MAX ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        return CUDA_ERROR_INVALID_VALUE;
    CUuserObject user = calloc(1, sizeof *user);
    if (!user)
        return CUDA_ERROR_OUT_OF_MEMORY;
    user->data = ptr;
    user->destroy = destroy;
    user->references = user->own = initialRefcount;
    object_add(&user->object, OBJECT_USER, NULL, release);
    *object_out = user;
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
    CUresult error = check(object, count);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    object->references += count;
    object->own += count;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
    CUresult error = check(object, count);
    if (error)
        return error;
    return drop(object, count, true);
}

/* ---------------------------------------------------------------- graphs' references */

static struct user_reference *find(CUgraph graph, CUuserObject user) {
    struct user_reference *at = graph->users;
    while (at && at->user != user)
        at = at->next;
    return at;
}

static CUresult retain(CUgraph graph, CUuserObject user, unsigned count, bool move) {
    struct user_reference *at = find(graph, user);
    if (at && at->count > UINT_MAX - count)
        return CUDA_ERROR_INVALID_VALUE;
    struct user_reference *made = at ? NULL : calloc(1, sizeof *made);
    if (!at && !made)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    bool enough = !move || user->own >= count;
    if (enough && move)
        user->own -= count;
    else if (enough)
        user->references += count;
    pthread_mutex_unlock(&lock);
    if (!enough) {
        free(made);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (made) {
        *made = (struct user_reference){.user = user, .next = graph->users};
        graph->users = at = made;
    }
    at->count += count;
    return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags) {
    CUresult error = graph_check(graph);
    if (!error)
        error = check(object, count);
    if (error)
        return error;
    bool move = flags == CU_GRAPH_USER_OBJECT_MOVE;
    if (flags && !move)
        return CUDA_ERROR_INVALID_VALUE;
    return retain(graph, object, count, move);
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
    CUresult error = graph_check(graph);
    if (!error)
        error = check(object, count);
    if (error)
        return error;
    struct user_reference *at = find(graph, object);
    if (!at || at->count < count)
        return CUDA_ERROR_INVALID_VALUE;
    at->count -= count;
    if (!at->count) {
        struct user_reference **link = &graph->users;
        while (*link != at)
            link = &(*link)->next;
        *link = at->next;
        free(at);
    }
    return drop(object, count, false);
}

CUresult graph_share_users(CUgraph from, CUgraph to) {
    CUresult error = CUDA_SUCCESS;
    for (struct user_reference *at = from->users; at && !error; at = at->next)
        error = retain(to, at->user, at->count, false);
    return error;
}

/* At the driver's end the object may be gone already. */
void graph_release_users(CUgraph graph) {
    while (graph->users) {
        struct user_reference *at = graph->users;
        graph->users = at->next;
        if (object_is(at->user, OBJECT_USER))
            (void)drop(at->user, at->count, false);
        free(at);
    }
}
