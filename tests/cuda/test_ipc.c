/* Memory shared by two processes: cuIpcGetMemHandle, cuIpcOpenMemHandle, cuIpcCloseMemHandle.  The expected
 * answers are those of an H200's driver.  With the argument "strict" the memory of the test's own process is
 * not packed; both kinds of peer are tested. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cuda/ipc.h"

enum { LAZY = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS };

static const size_t sizes[] = {1, 511, 513, 4096, 4097, 12345, 300001, (1 << 20) - 1, 1 << 20, (5 << 20) + 3};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct reply here(struct request request) {
    return ipc_do(&request);
}

static size_t count_files(void) {
    return here((struct request){.kind = REQUEST_FILES}).size;
}

static CUdeviceptr alloc(size_t size) {
    CUdeviceptr at;
    assert_ok(api.cuMemAlloc(&at, size));
    return at;
}

static CUipcMemHandle export_from(CUdeviceptr at) {
    CUipcMemHandle handle;
    assert_ok(api.cuIpcGetMemHandle(&handle, at));
    return handle;
}

static struct reply open_at(const struct peer *peer, const CUipcMemHandle *handle) {
    return ipc_ask(peer, (struct request){.kind = REQUEST_OPEN, .flags = LAZY, .handle = *handle});
}

static struct reply close_at(const struct peer *peer, CUdeviceptr at) {
    return ipc_ask(peer, (struct request){.kind = REQUEST_CLOSE, .at = at});
}

/* Each process reads what the other writes. */
static void exchange_with(const struct peer *peer) {
    CUdeviceptr mine[SIZES], theirs[SIZES];
    for (size_t i = 0; i < SIZES; i++)
        mine[i] = alloc(sizes[i]);
    const size_t files = count_files();
    for (size_t i = 0; i < SIZES; i++) {
        struct request write = {.kind = REQUEST_WRITE, .at = mine[i], .size = sizes[i], .value = (unsigned)i};
        assert_ok(here(write).error);
    }
    for (size_t i = 0; i < SIZES; i++) {
        const CUipcMemHandle handle = export_from(mine[i]);
        const struct reply opened = open_at(peer, &handle);
        assert_ok(opened.error);
        theirs[i] = opened.at;
        const struct reply range =
            ipc_ask(peer, (struct request){.kind = REQUEST_RANGE, .at = theirs[i] + sizes[i] - 1});
        assert_ok(range.error);
        assert_int_equal(range.at, theirs[i]);
        assert_int_equal(range.size, sizes[i]);
        assert_int_equal(
            ipc_ask(peer, (struct request){.kind = REQUEST_RANGE, .at = theirs[i] + sizes[i]}).error,
            CUDA_ERROR_NOT_FOUND);
    }
    for (size_t i = 0; i < SIZES; i++) {
        struct request at_peer = {REQUEST_READ, .at = theirs[i], .size = sizes[i], .value = (unsigned)i};
        struct reply reply = ipc_ask(peer, at_peer);
        assert_ok(reply.error);
        assert_int_equal(reply.size, sizes[i]);
        at_peer.kind = REQUEST_WRITE;
        at_peer.value += 100;
        assert_ok(ipc_ask(peer, at_peer).error);
    }
    for (size_t i = 0; i < SIZES; i++) {
        struct request read = {
            .kind = REQUEST_READ, .at = mine[i], .size = sizes[i], .value = (unsigned)i + 100};
        assert_int_equal(here(read).size, sizes[i]);
        if (sizes[i] < 4)
            continue;
        /* Kernels too. */
        int word = 0;
        assert_ok(
            ipc_ask(peer, (struct request){.kind = REQUEST_STORE, .at = theirs[i], .value = 1234567}).error);
        assert_ok(api.cuMemcpyDtoH(&word, mine[i], 4));
        assert_int_equal(word, 1234567);
        assert_ok(here((struct request){.kind = REQUEST_STORE, .at = mine[i], .value = 0x05040302}).error);
        read = (struct request){.kind = REQUEST_READ, .at = theirs[i], .size = 4, .value = 2};
        assert_int_equal(ipc_ask(peer, read).size, 4);
    }
    for (size_t i = 0; i < SIZES; i++) {
        assert_ok(close_at(peer, theirs[i]).error);
        assert_int_equal(close_at(peer, theirs[i]).error, CUDA_ERROR_INVALID_VALUE);
        struct request gone = {.kind = REQUEST_READ, .at = theirs[i], .size = sizes[i]};
        assert_int_equal(ipc_ask(peer, gone).error, CUDA_ERROR_INVALID_VALUE);
        assert_ok(api.cuMemFree(mine[i]));
    }
    assert_int_equal(count_files(), files);
}

static void exchange(void **state) {
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        const struct peer peer = ipc_start(strict);
        const size_t files = ipc_ask(&peer, (struct request){.kind = REQUEST_FILES}).size;
        exchange_with(&peer);
        exchange_with(&peer);
        assert_int_equal(ipc_ask(&peer, (struct request){.kind = REQUEST_FILES}).size, files);
        ipc_end(&peer);
    }
}

/* The reverse direction, with several openers; the limit on memory applies to the owner. */
static void import(void **state) {
    (void)state;
    const struct peer owner = ipc_start(false), other = ipc_start(true);
    const size_t size = 3 << 20;
    const CUdeviceptr at = ipc_ask(&owner, (struct request){.kind = REQUEST_ALLOC, .size = size}).at;
    const struct reply exported = ipc_ask(&owner, (struct request){.kind = REQUEST_EXPORT, .at = at + 77});
    assert_ok(exported.error);
    size_t before, after, total;
    assert_ok(api.cuMemGetInfo(&before, &total));
    struct reply opened =
        here((struct request){.kind = REQUEST_OPEN, .flags = LAZY, .handle = exported.handle});
    assert_ok(opened.error);
    assert_ok(api.cuMemGetInfo(&after, &total));
    assert_int_equal(before, after);
    unsigned type = 0, capable = 9;
    CUcontext current, of = NULL;
    assert_ok(api.cuCtxGetCurrent(&current));
    assert_ok(api.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, opened.at + 5));
    assert_ok(api.cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, opened.at + 5));
    assert_ok(
        api.cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, opened.at));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_ptr_equal(of, current);
    assert_int_equal(capable, 0);
    const CUdeviceptr third = open_at(&other, &exported.handle).at;
    assert_ok(here((struct request){.kind = REQUEST_WRITE, .at = opened.at, .size = size, .value = 9}).error);
    struct request read = {.kind = REQUEST_READ, .at = third, .size = size, .value = 9};
    assert_int_equal(ipc_ask(&other, read).size, size);
    read.at = at;
    assert_int_equal(ipc_ask(&owner, read).size, size);
    /* An opener keeps it when another closes it, and after the owner has ended. */
    assert_ok(close_at(&other, third).error);
    ipc_end(&other);
    ipc_end(&owner);
    read.at = opened.at;
    assert_int_equal(here(read).size, size);
    struct request again = {.kind = REQUEST_OPEN, .flags = LAZY, .handle = exported.handle};
    assert_int_equal(here(again).at, opened.at);
    assert_ok(api.cuIpcCloseMemHandle(opened.at));
    assert_ok(api.cuIpcCloseMemHandle(opened.at));
    assert_int_equal(here(again).error, CUDA_ERROR_INVALID_HANDLE);
}

/* One handle per allocation, for any address in it; the opener has one address and a reference count. */
static void references(void **state) {
    (void)state;
    const struct peer peer = ipc_start(false);
    const CUdeviceptr at = alloc(10000), other = alloc(10000);
    const CUipcMemHandle handle = export_from(at), inner = export_from(at + 9999),
                         second = export_from(other);
    assert_memory_equal(&handle, &inner, sizeof handle);
    assert_memory_not_equal(&handle, &second, sizeof handle);
    const struct reply opened = open_at(&peer, &handle);
    assert_ok(opened.error);
    assert_int_equal(open_at(&peer, &inner).at, opened.at);
    assert_int_not_equal(open_at(&peer, &second).at, opened.at);
    assert_int_equal(close_at(&peer, opened.at + 1).error, CUDA_ERROR_INVALID_VALUE);
    assert_ok(close_at(&peer, opened.at).error);
    assert_ok(
        ipc_ask(&peer, (struct request){.kind = REQUEST_STORE, .at = opened.at + 9996, .value = 5}).error);
    assert_ok(close_at(&peer, opened.at).error);
    assert_int_equal(close_at(&peer, opened.at).error, CUDA_ERROR_INVALID_VALUE);
    /* A freed allocation has no handle; the next one in its place has a new handle. */
    assert_ok(api.cuMemFree(at));
    assert_int_equal(open_at(&peer, &handle).error, CUDA_ERROR_INVALID_HANDLE);
    const CUdeviceptr next = alloc(10000);
    const CUipcMemHandle fresh = export_from(next);
    assert_memory_not_equal(&handle, &fresh, sizeof handle);
    assert_int_equal(open_at(&peer, &handle).error, CUDA_ERROR_INVALID_HANDLE);
    assert_ok(open_at(&peer, &fresh).error);
    assert_ok(api.cuMemFree(next));
    assert_ok(api.cuMemFree(other));
    ipc_end(&peer);
}

/* A kernel that accesses closed memory faults. */
static void closed(void **state) {
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        const struct peer peer = ipc_start(strict);
        const CUdeviceptr at = alloc(1000);
        const CUipcMemHandle handle = export_from(at);
        const CUdeviceptr there = open_at(&peer, &handle).at;
        struct request store = {.kind = REQUEST_STORE, .at = there, .value = 1};
        assert_ok(ipc_ask(&peer, store).error);
        assert_ok(close_at(&peer, there).error);
        assert_int_equal(ipc_ask(&peer, store).error, CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_ok(api.cuMemFree(at));
        ipc_end(&peer);
    }
}

static void refusals(void **state) {
    (void)state;
    const struct peer peer = ipc_start(false);
    CUipcMemHandle handle;
    CUdeviceptr managed, pooled, at = alloc(64);
    void *host;
    assert_ok(api.cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    assert_ok(api.cuMemAllocHost(&host, 64));
    assert_ok(api.cuMemAllocAsync(&pooled, 64, NULL));
    const CUdeviceptr refused[] = {managed, (CUdeviceptr)(uintptr_t)host, pooled, 0, 16, at + 64};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(api.cuIpcGetMemHandle(&handle, refused[i]), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuIpcGetMemHandle(NULL, at), CUDA_ERROR_INVALID_VALUE);
    unsigned capable;
    assert_ok(api.cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, pooled));
    assert_int_equal(capable, 0);
    assert_ok(api.cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, at));
    assert_int_equal(capable, 1);

    handle = export_from(at);
    /* The owning process cannot open it. */
    CUdeviceptr out;
    assert_int_equal(api.cuIpcOpenMemHandle(&out, handle, LAZY), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuIpcCloseMemHandle(at), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuIpcCloseMemHandle(0), CUDA_ERROR_INVALID_VALUE);
    for (unsigned flags = 0; flags < 4; flags += 2)
        assert_int_equal(
            ipc_ask(&peer, (struct request){.kind = REQUEST_OPEN, .flags = flags, .handle = handle}).error,
            CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuIpcOpenMemHandle(NULL, handle, LAZY), CUDA_ERROR_INVALID_VALUE);
    /* Opened memory can be closed, but neither freed nor exported. */
    const CUdeviceptr there = open_at(&peer, &handle).at;
    assert_int_equal(ipc_ask(&peer, (struct request){.kind = REQUEST_FREE, .at = there}).error,
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(ipc_ask(&peer, (struct request){.kind = REQUEST_EXPORT, .at = there}).error,
                     CUDA_ERROR_INVALID_VALUE);
    /* Destroying a context closes what it has opened. */
    const size_t files = ipc_ask(&peer, (struct request){.kind = REQUEST_FILES}).size;
    assert_ok(ipc_ask(&peer, (struct request){.kind = REQUEST_RESET}).error);
    assert_int_equal(close_at(&peer, there).error, CUDA_ERROR_INVALID_VALUE);
    assert_ok(open_at(&peer, &handle).error);
    assert_int_equal(ipc_ask(&peer, (struct request){.kind = REQUEST_FILES}).size, files);
    ipc_end(&peer);
    assert_ok(api.cuMemFree(at));
    assert_ok(api.cuMemFree(managed));
    assert_ok(api.cuMemFree(pooled));
    assert_ok(api.cuMemFreeHost(host));
}

/* Only one context per process can have it open, as on an H200. */
static void contexts(void **state) {
    (void)state;
    const struct peer owner = ipc_start(false);
    const CUdeviceptr at = ipc_ask(&owner, (struct request){.kind = REQUEST_ALLOC, .size = 100}).at;
    struct request open = {.kind = REQUEST_OPEN, .flags = LAZY};
    open.handle = ipc_ask(&owner, (struct request){.kind = REQUEST_EXPORT, .at = at}).handle;
    const CUdeviceptr opened = here(open).at;
    CUcontext second;
    assert_ok(api.context_create(&second, 0, 0));
    assert_int_equal(here(open).error, CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuIpcCloseMemHandle(opened));
    assert_ok(here(open).error);
    assert_ok(api.cuCtxDestroy(second));
    assert_ok(here(open).error);
    ipc_end(&owner);
}

static void events(void **state) {
    (void)state;
    const struct peer peer = ipc_start(false);
    const size_t files = count_files();
    CUevent event, plain, opened;
    CUipcEventHandle handle, again;
    assert_int_equal(api.cuEventCreate(&event, CU_EVENT_INTERPROCESS), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    assert_ok(api.cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING));
    assert_int_equal(api.cuIpcGetEventHandle(&handle, plain), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuIpcGetEventHandle(NULL, event), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuIpcGetEventHandle(&handle, event));
    assert_ok(api.cuEventRecord(event, NULL));
    assert_ok(api.cuIpcGetEventHandle(&again, event));
    assert_memory_equal(&handle, &again, sizeof handle);
    struct request use = {.kind = REQUEST_EVENT};
    memcpy(&use.handle, &handle, sizeof handle);
    assert_ok(ipc_ask(&peer, use).error);
    assert_ok(ipc_ask(&peer, use).error);
    assert_int_equal(api.cuIpcOpenEventHandle(&opened, handle), CUDA_ERROR_INVALID_CONTEXT);
    /* An event's handle is not accepted for memory, nor a memory's for an event. */
    assert_int_equal(open_at(&peer, &use.handle).error, CUDA_ERROR_INVALID_VALUE);
    const CUdeviceptr at = alloc(1);
    struct request wrong = {.kind = REQUEST_EVENT, .handle = export_from(at)};
    assert_int_equal(ipc_ask(&peer, wrong).error, CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(at));
    assert_ok(api.cuEventDestroy(event));
    assert_ok(api.cuEventDestroy(plain));
    assert_int_equal(ipc_ask(&peer, use).error, CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(count_files(), files);
    ipc_end(&peer);
}

/* ---------------------------------------------------------------- forged handles */

struct name { /* the simulator's layout of a handle */
    uint64_t magic;
    int32_t process, file;
    uint64_t offset, nonce;
};

static void is_refused(const struct peer *peer, const CUipcMemHandle *handle) {
    const CUresult error = open_at(peer, handle).error;
    assert_true(error == CUDA_ERROR_INVALID_HANDLE || error == CUDA_ERROR_INVALID_VALUE ||
                error == CUDA_ERROR_INVALID_DEVICE);
}

static void forged(void **state) {
    (void)state;
    const struct peer peer = ipc_start(false);
    const CUdeviceptr at = alloc(3000), below = alloc(3000);
    const CUipcMemHandle handle = export_from(at), neighbour = export_from(below);
    for (size_t i = 0; i < sizeof handle; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            CUipcMemHandle bad = handle;
            bad.reserved[i] = (char)(bad.reserved[i] ^ 1 << bit);
            is_refused(&peer, &bad);
        }
    CUipcMemHandle bad = {{0}};
    assert_int_equal(open_at(&peer, &bad).error, CUDA_ERROR_INVALID_VALUE);
    /* Values that could wrap; another allocation's number; files that are not memory, one of which would
     * block. */
    int blocks[2];
    assert_int_equal(pipe(blocks), 0);
    const uint64_t offsets[] = {
        512, 1 << 21, UINT64_MAX - 511, UINT64_MAX / 512 * 512, INT64_MAX / 512 * 512, 4096 * 512};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        bad = handle;
        memcpy(bad.reserved + offsetof(struct name, offset), &offsets[i], 8);
        is_refused(&peer, &bad);
    }
    bad = handle;
    memcpy(bad.reserved + offsetof(struct name, nonce), neighbour.reserved + offsetof(struct name, nonce), 8);
    is_refused(&peer, &bad);
    const int32_t files[] = {blocks[0], blocks[1], 0, -1, INT32_MAX};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        bad = handle;
        memcpy(bad.reserved + offsetof(struct name, file), &files[i], 4);
        is_refused(&peer, &bad);
    }
    const int32_t processes[] = {0, -1, 1, INT32_MAX, peer.process};
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        bad = handle;
        memcpy(bad.reserved + offsetof(struct name, process), &processes[i], 4);
        is_refused(&peer, &bad);
    }
    assert_ok(open_at(&peer, &handle).error);
    close(blocks[0]);
    close(blocks[1]);
    assert_ok(api.cuMemFree(at));
    assert_ok(api.cuMemFree(below));
    ipc_end(&peer);
}

/* A file that imitates the simulator's: pages and a table, with the given first row. */
enum { TABLE = 4096 * 16 };
static int make_file(const char *name, uint64_t nonce, uint64_t size, size_t bytes, int seals) {
    const uint64_t row[2] = {nonce, size};
    const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)bytes), 0);
    assert_int_equal(pwrite(file, row, sizeof row, (off_t)bytes - TABLE), sizeof row);
    assert_int_equal(fcntl(file, F_ADD_SEALS, seals), 0);
    return file;
}

static void forged_files(void **state) {
    (void)state;
    enum { ALL = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
    static const struct {
        const char *name;
        uint64_t nonce, size;
        size_t bytes;
        int seals;
        CUresult wanted;
    } cases[] = {
        {"wideload-ipc", 7, 4096, 4096 + TABLE, ALL, CUDA_SUCCESS},
        {"wideload-ipc", 7, 4097, 4096 + TABLE, ALL, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ipc", 7, UINT64_MAX, 4096 + TABLE, ALL, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ipc", 7, 0, 4096 + TABLE, ALL, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ipc", 8, 4096, 4096 + TABLE, ALL, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ipc", 7, 4096, 4096 + TABLE, ALL & ~F_SEAL_SHRINK, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ipc", 7, 4096, 4096 + TABLE, 0, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ipc", 7, 4000, 4095 + TABLE, ALL, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ipc", 7, 4096, TABLE, ALL, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ipcs", 7, 4096, 4096 + TABLE, ALL, CUDA_ERROR_INVALID_HANDLE},
        {"wideload-ip", 7, 4096, 4096 + TABLE, ALL, CUDA_ERROR_INVALID_HANDLE},
    };
    const struct peer peer = ipc_start(false);
    const CUdeviceptr at = alloc(1);
    CUipcMemHandle handle = export_from(at);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct name name;
        memcpy(&name, &handle, sizeof name);
        name.file = make_file(cases[i].name, cases[i].nonce, cases[i].size, cases[i].bytes, cases[i].seals);
        name.offset = 0;
        name.nonce = 7;
        CUipcMemHandle bad = handle;
        memcpy(&bad, &name, sizeof name);
        const struct reply opened = open_at(&peer, &bad);
        assert_int_equal(opened.error, cases[i].wanted);
        if (!opened.error)
            assert_ok(close_at(&peer, opened.at).error);
        close(name.file);
    }
    assert_ok(api.cuMemFree(at));
    ipc_end(&peer);
}

/* ---------------------------------------------------------------- side effects */

/* If the process may open no further file, or none so large, the allocation is unchanged. */
static void limits(void **state) {
    (void)state;
    static const struct {
        __rlimit_resource_t resource;
        rlim_t limit;
    } cases[] = {{RLIMIT_NOFILE, 3}, {RLIMIT_FSIZE, 2 << 20}};
    const struct peer peer = ipc_start(false);
    const size_t size = 3 << 20;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CUipcMemHandle handle;
        const CUdeviceptr at = alloc(size);
        assert_ok(here((struct request){.kind = REQUEST_WRITE, .at = at, .size = size, .value = 3}).error);
        struct rlimit before;
        assert_int_equal(getrlimit(cases[i].resource, &before), 0);
        const struct rlimit less = {.rlim_cur = cases[i].limit, .rlim_max = before.rlim_max};
        assert_int_equal(setrlimit(cases[i].resource, &less), 0);
        const CUresult error = api.cuIpcGetMemHandle(&handle, at);
        assert_int_equal(setrlimit(cases[i].resource, &before), 0);
        assert_int_equal(error, CUDA_ERROR_OUT_OF_MEMORY);
        struct request read = {.kind = REQUEST_READ, .at = at, .size = size, .value = 3};
        assert_int_equal(here(read).size, size);
        handle = export_from(at);
        read.at = open_at(&peer, &handle).at;
        assert_int_equal(ipc_ask(&peer, read).size, size);
        assert_ok(close_at(&peer, read.at).error);
        assert_ok(api.cuMemFree(at));
    }
    ipc_end(&peer);
}

/* A program that closes files it does not own: a later export works, and nothing else is closed. */
static void closed_files(void **state) {
    (void)state;
    const struct peer peer = ipc_start(false);
    const CUdeviceptr at = alloc(5000);
    CUipcMemHandle handle = export_from(at);
    struct name name;
    memcpy(&name, &handle, sizeof name);
    assert_int_equal(close(name.file), 0);
    assert_int_equal(open_at(&peer, &handle).error, CUDA_ERROR_INVALID_HANDLE);
    const int own = open("/dev/null", O_RDONLY);
    assert_int_equal(own, name.file);
    assert_int_equal(open_at(&peer, &handle).error, CUDA_ERROR_INVALID_HANDLE);
    handle = export_from(at);
    assert_ok(open_at(&peer, &handle).error);
    assert_ok(api.cuMemFree(at));
    assert_true(fcntl(own, F_GETFD) >= 0);
    close(own);
    ipc_end(&peer);
}

/* A child inherits no copy of the file and none of the pages. */
static void forks(void **state) {
    (void)state;
    const CUdeviceptr at = alloc(5000);
    const CUipcMemHandle handle = export_from(at);
    struct name name;
    memcpy(&name, &handle, sizeof name);
    const pid_t child = fork();
    if (child == 0) {
        CUdeviceptr out;
        unsigned char byte;
        const bool closed = fcntl(name.file, F_GETFD) < 0;
        const bool refused = api.cuMemAlloc(&out, 1) == CUDA_ERROR_NOT_INITIALIZED;
        const bool unmapped = mincore((void *)(uintptr_t)(at / 4096 * 4096), 1, &byte) < 0;
        _exit(closed && refused && unmapped ? 5 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 5);
    assert_true(fcntl(name.file, F_GETFD) >= 0);
    assert_ok(api.cuMemFree(at));
}

/* Bytes that another process may have written count as initialised; the others are unchanged. */
static int initialised(void) {
    const struct peer peer = ipc_start(false);
    char path[] = "/tmp/driver_ipc_XXXXXX", text[8192] = "";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(setenv("WIDELOAD_CHECK", "init", 1) | setenv("WIDELOAD_PROF_OUT", path, 1), 0);
    assert_true(ipc_begin(false));
    struct request read = {.kind = REQUEST_READ, .at = alloc(1000), .size = 1000};
    const CUdeviceptr other = alloc(1000);
    assert_ok(here((struct request){.kind = REQUEST_WRITE, .at = read.at, .size = 10}).error);
    assert_ok(here((struct request){.kind = REQUEST_WRITE, .at = other, .size = 10}).error);
    const CUipcMemHandle handle = export_from(read.at);
    struct request write = {.kind = REQUEST_WRITE, .at = open_at(&peer, &handle).at, .size = 1000};
    assert_ok(ipc_ask(&peer, write).error);
    assert_int_equal(here(read).size, 1000);
    const CUdeviceptr theirs = ipc_ask(&peer, (struct request){.kind = REQUEST_ALLOC, .size = 1000}).at;
    struct request open = {.kind = REQUEST_OPEN, .flags = LAZY};
    open.handle = ipc_ask(&peer, (struct request){.kind = REQUEST_EXPORT, .at = theirs}).handle;
    read.at = here(open).at;
    assert_ok(here(read).error);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    assert_null(strstr(text, "uninitialized-read"));
    read.at = other;
    assert_ok(here(read).error);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    assert_non_null(strstr(text, "uninitialized-read"));
    ipc_end(&peer);
    close(file);
    return unlink(path);
}

/* Memory of another process's device 1: kernels of this process's devices reach it, once it is open. */
static int devices(void) {
    setenv("WIDELOAD_SIM_DEVICES", "3", 1);
    if (!ipc_begin(false))
        return 1;
    setenv("TEST_IPC_DEVICE", "1", 1);
    const struct peer peer = ipc_start(false);
    const CUdeviceptr theirs = ipc_ask(&peer, (struct request){.kind = REQUEST_ALLOC, .size = 8}).at;
    struct request open = {.kind = REQUEST_OPEN, .flags = LAZY}, store = {.kind = REQUEST_STORE, .value = 77};
    open.handle = ipc_ask(&peer, (struct request){.kind = REQUEST_EXPORT, .at = theirs}).handle;
    store.at = here(open).at;
    int ordinal = -1;
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, store.at));
    assert_int_equal(ordinal, 1);
    assert_ok(here(store).error); /* on device 0 */
    struct request read = {.kind = REQUEST_READ, .at = theirs, .size = 1, .value = 77};
    assert_int_equal(ipc_ask(&peer, read).size, 1);
    /* One context of each device may have it open. */
    CUcontext second;
    assert_ok(api.context_create(&second, 0, 2));
    const struct reply again = here(open);
    assert_ok(again.error);
    assert_true(again.at != store.at);
    assert_ok(api.cuIpcCloseMemHandle(again.at));
    assert_ok(api.cuCtxDestroy(second));
    /* What this process gives; a process without the device cannot open it. */
    assert_ok(api.context_create(&second, 0, 1));
    const CUdeviceptr ours = alloc(8);
    const CUipcMemHandle handle = export_from(ours);
    struct request write = {.kind = REQUEST_WRITE, .at = open_at(&peer, &handle).at, .size = 8, .value = 3};
    assert_ok(ipc_ask(&peer, write).error);
    assert_int_equal(here((struct request){.kind = REQUEST_READ, .at = ours, .size = 8, .value = 3}).size, 8);
    setenv("WIDELOAD_SIM_DEVICES", "1", 1);
    unsetenv("TEST_IPC_DEVICE");
    const struct peer alone = ipc_start(false);
    assert_int_equal(open_at(&alone, &handle).error, CUDA_ERROR_INVALID_DEVICE);
    ipc_end(&alone);
    ipc_end(&peer);
    return 0;
}

static bool strict;

static int setup(void **state) {
    (void)state;
    return ipc_begin(strict) ? 0 : -1;
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    if (strncmp(how, "peer", 4) == 0)
        return ipc_serve(how[4] != '\0');
    if (strcmp(how, "init") == 0)
        return initialised();
    if (strcmp(how, "devices") == 0)
        return devices();
    strict = strcmp(how, "strict") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchange),     cmocka_unit_test(import),   cmocka_unit_test(references),
        cmocka_unit_test(closed),       cmocka_unit_test(refusals), cmocka_unit_test(contexts),
        cmocka_unit_test(events),       cmocka_unit_test(forged),   cmocka_unit_test(forged_files),
        cmocka_unit_test(closed_files), cmocka_unit_test(forks),    cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
