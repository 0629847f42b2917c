/* A context's services to its kernels: a heap for malloc, and output for printf. */
#include <stdio.h>

#include "sim/cuda/driver.h"

/* Each context has one heap, created at its first launch. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* As CUDA does, prints through the C library's streams, in order with the program's own output. */
static void print(void *argument, bool error, const char *text, size_t size) {
    (void)argument;
    fwrite(text, 1, size, error ? stderr : stdout);
}

CUresult context_services(CUcontext context, struct sim_launch *launch) {
    pthread_mutex_lock(&lock);
    if (!context->heap)
        context->heap =
            sim_heap_create(context->memory, atomic_load(&context->limits[CU_LIMIT_MALLOC_HEAP_SIZE]));
    launch->heap = context->heap;
    pthread_mutex_unlock(&lock);
    launch->print = print;
    launch->print_bytes = atomic_load(&context->limits[CU_LIMIT_PRINTF_FIFO_SIZE]);
    return launch->heap ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

bool context_resize_heap(CUcontext context, size_t bytes) {
    pthread_mutex_lock(&lock);
    bool fits = !context->heap || sim_heap_set_limit(context->heap, bytes);
    pthread_mutex_unlock(&lock);
    return fits;
}

void context_free_heap(CUcontext context) {
    pthread_mutex_lock(&lock);
    struct sim_heap *heap = context->heap;
    context->heap = NULL;
    pthread_mutex_unlock(&lock);
    work_wait(); /* launches in flight may use it */
    sim_heap_destroy(heap);
}
