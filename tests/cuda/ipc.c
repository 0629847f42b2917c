#include "tests/cuda/ipc.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static CUcontext own;
static CUfunction store_at;

static bool make_context(void) {
    CUmodule module;
    const char *device = getenv("TEST_IPC_DEVICE");
    return !api.context_create(&own, 0, device ? atoi(device) : 0) &&
           !api.cuModuleLoad(&module, api_path("kernels.ptx")) &&
           !api.cuModuleGetFunction(&store_at, module, "store_at");
}

bool ipc_begin(bool strict) {
    return api_open(API_DLSYM) && (!strict || !api.strict_bounds()) && !api.cuInit(0) && make_context();
}

static size_t count_files(void) {
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static CUresult copy(const struct request *request, struct reply *reply) {
    unsigned char *bytes = malloc(request->size);
    for (size_t i = 0; i < request->size; i++)
        bytes[i] = (unsigned char)(request->value + i + (request->kind == REQUEST_READ));
    CUresult error = request->kind == REQUEST_WRITE ? api.cuMemcpyHtoD(request->at, bytes, request->size)
                                                    : api.cuMemcpyDtoH(bytes, request->at, request->size);
    while (reply->size < request->size && bytes[reply->size] == (unsigned char)(request->value + reply->size))
        reply->size++;
    free(bytes);
    return error;
}

static CUresult store(CUdeviceptr at, int value) {
    void *params[] = {&at, &value};
    CUresult error = api.cuLaunchKernel(store_at, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    return error ? error : api.cuCtxSynchronize();
}

static CUresult use_event(const CUipcMemHandle *from) {
    CUipcEventHandle handle;
    CUevent event;
    float time;
    memcpy(&handle, from, sizeof handle);
    CUresult error = api.cuIpcOpenEventHandle(&event, handle);
    if (!error)
        error = api.cuStreamWaitEvent(NULL, event, 0);
    if (!error)
        error = api.cuEventRecord(event, NULL);
    if (!error)
        error = api.cuEventSynchronize(event);
    if (!error && api.cuEventElapsedTime(&time, event, event) != CUDA_ERROR_INVALID_HANDLE)
        error = CUDA_ERROR_UNKNOWN;
    return error ? error : api.cuEventDestroy(event);
}

struct reply ipc_do(const struct request *request) {
    struct reply reply = {.error = CUDA_SUCCESS};
    switch (request->kind) {
    case REQUEST_OPEN:
        reply.error = api.cuIpcOpenMemHandle(&reply.at, request->handle, request->flags);
        break;
    case REQUEST_CLOSE:
        reply.error = api.cuIpcCloseMemHandle(request->at);
        break;
    case REQUEST_FREE:
        reply.error = api.cuMemFree(request->at);
        break;
    case REQUEST_ALLOC:
        reply.error = api.cuMemAlloc(&reply.at, request->size);
        break;
    case REQUEST_EXPORT:
        reply.error = api.cuIpcGetMemHandle(&reply.handle, request->at);
        break;
    case REQUEST_WRITE:
    case REQUEST_READ:
        reply.error = copy(request, &reply);
        break;
    case REQUEST_STORE:
        reply.error = store(request->at, (int)request->value);
        break;
    case REQUEST_RANGE:
        reply.error = api.cuMemGetAddressRange(&reply.at, &reply.size, request->at);
        break;
    case REQUEST_FILES:
        reply.size = count_files();
        break;
    case REQUEST_EVENT:
        reply.error = use_event(&request->handle);
        break;
    case REQUEST_RESET:
        reply.error = api.cuCtxDestroy(own);
        if (!reply.error && !make_context())
            reply.error = CUDA_ERROR_UNKNOWN;
        break;
    }
    return reply;
}

static bool move_all(ssize_t (*call)(int, void *, size_t), int file, void *at, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = call(file, (char *)at + done, size - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static ssize_t put(int file, void *from, size_t size) {
    return write(file, from, size);
}

struct peer ipc_start(bool strict) {
    int requests[2], replies[2];
    assert_int_equal(pipe(requests) | pipe(replies), 0);
    struct peer peer = {.process = fork(), .requests = requests[1], .replies = replies[0]};
    assert_true(peer.process >= 0);
    if (peer.process == 0) {
        dup2(requests[0], 0);
        dup2(replies[1], 1);
        for (int i = 0; i < 2; i++) {
            close(requests[i]);
            close(replies[i]);
        }
        execl("/proc/self/exe", "ipc_test", strict ? "peer-strict" : "peer", (char *)NULL);
        _exit(127);
    }
    close(requests[0]);
    close(replies[1]);
    return peer;
}

int ipc_serve(bool strict) {
    if (!ipc_begin(strict))
        return 2;
    for (struct request request; move_all(read, 0, &request, sizeof request);) {
        struct reply reply = ipc_do(&request);
        if (!move_all(put, 1, &reply, sizeof reply))
            return 3;
    }
    return 0;
}

struct reply ipc_ask(const struct peer *peer, struct request request) {
    struct reply reply;
    assert_true(move_all(put, peer->requests, &request, sizeof request));
    assert_true(move_all(read, peer->replies, &reply, sizeof reply));
    return reply;
}

void ipc_end(const struct peer *peer) {
    int status;
    close(peer->requests);
    close(peer->replies);
    assert_int_equal(waitpid(peer->process, &status, 0), peer->process);
    assert_int_equal(status, 0);
}
