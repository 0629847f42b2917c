/* Opening devices, and the host side of everything else, on the fake driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake.h"
#include "ladder/ladder.h"
#include "wideload.h"

static struct fake_state *fake;

static int setup(void **state) {
    (void)state;
    unsetenv("WIDELOAD_DEVICE");
    fake = fake_start();
    if (!fake)
        return -1;
    return 0;
}

/* After every test, nothing may be left in the driver. */
static int teardown(void **state) {
    (void)state;
    return fake->depth || fake->retained || fake->modules || fake->allocations ? -1 : 0;
}

static void unknown_names(void **state) {
    (void)state;
    const char *names[] = {"",          "cpu",       "gpu:", "gpu:x", "gpu:-1", "gpu: 1", "gpu0",
                           "gpu:99999", "simulator", "SIM",  "sim:",  "sim:x",  "sim1",   "sim:99999"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        wl_context *context = (wl_context *)&context;
        assert_int_equal(wl_open(&context, names[i]), WL_ERROR_INVALID_ARGUMENT);
        assert_null(context);
        assert_non_null(strstr(wl_message(), "unknown device"));
    }
}

static void environment_overrides_auto_only(void **state) {
    (void)state;
    wl_context *context;
    setenv("WIDELOAD_DEVICE", "sim", 1);
    assert_int_equal(wl_open(&context, NULL), WL_ERROR_OK);
    assert_true(wl__is_simulator(context));
    wl_close(context);
    assert_int_equal(wl_open(&context, "auto"), WL_ERROR_OK);
    assert_true(wl__is_simulator(context));
    wl_close(context);
    setenv("WIDELOAD_DEVICE", "bogus", 1);
    assert_int_equal(wl_open(&context, "auto"), WL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(wl_message(), "WIDELOAD_DEVICE"));
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    wl_close(context);
}

static void numbered_simulators(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim:0"), WL_ERROR_OK);
    assert_true(wl__is_simulator(context));
    wl_close(context);
    assert_int_equal(wl_open(&context, "sim:1"), WL_ERROR_NO_DEVICE);
    assert_null(context);
    assert_non_null(strstr(wl_message(), "there is no sim:1"));
    assert_non_null(strstr(wl_message(), "WIDELOAD_SIM_DEVICES"));
}

static void simulator_not_found(void **state) {
    (void)state;
    wl_context *context;
    setenv("WIDELOAD_SIM_LIBRARY", "/nowhere/libwideload-sim.so", 1);
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_NO_DRIVER);
    assert_null(context);
    assert_non_null(strstr(wl_message(), "WIDELOAD_SIM_LIBRARY"));
    assert_non_null(strstr(wl_message(), "/nowhere/libwideload-sim.so"));
}

static void library_that_is_no_driver(void **state) {
    (void)state;
    wl_context *context;
    setenv("WIDELOAD_SIM_LIBRARY", "libc.so.6", 1);
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_NO_DRIVER);
    assert_non_null(strstr(wl_message(), "cuInit"));
}

/* On a machine with a GPU this succeeds; without one the message gives advice. */
static void gpu_or_advice(void **state) {
    (void)state;
    wl_context *context;
    wl_error error = wl_open(&context, "gpu:9999");
    assert_true(error == WL_ERROR_NO_DRIVER || error == WL_ERROR_NO_DEVICE);
    error = wl_open(&context, "gpu");
    if (error) {
        assert_true(error == WL_ERROR_NO_DRIVER || error == WL_ERROR_NO_DEVICE);
        assert_non_null(strstr(wl_message(), "WIDELOAD_DEVICE=sim"));
        assert_non_null(strstr(wl_message(), "--device sim"));
    } else {
        assert_false(wl__is_simulator(context));
        wl_counters counters;
        assert_int_equal(wl_get_counters(context, &counters), WL_ERROR_UNSUPPORTED);
    }
    wl_close(context);
}

static void device_info(void **state) {
    (void)state;
    wl_context *context;
    wl_device_info info;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    assert_string_equal(info.name, "fake 0");
    assert_string_equal(info.kind, "sim");
    assert_string_equal(info.arch, "sm_90");
    assert_int_equal(info.driver_version, 13000);
    assert_int_equal(info.multiprocessors, 132);
    assert_int_equal(info.memory_bytes, 1 << 20);
    assert_int_equal(info.free_bytes, 1 << 19);
    /* The driver reports an H200's clocks but is a simulator, so they are ignored. */
    assert_int_equal(info.memory_clock_khz, 0);
    assert_int_equal(info.memory_bus_bits, 0);
    assert_true(info.peak_gbps == 0);
    assert_int_equal(wl_get_device_info(context, NULL), WL_ERROR_INVALID_ARGUMENT);
    wl_close(context);
}

static void memory(void **state) {
    (void)state;
    wl_context *context;
    wl_devptr a, b;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &a, 0), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &b, 0), WL_ERROR_OK);
    assert_true(a && b && a != b);
    assert_int_equal(wl_free(context, a), WL_ERROR_OK);
    assert_int_equal(wl_free(context, b), WL_ERROR_OK);
    assert_int_equal(wl_free(context, 0), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &a, (size_t)1 << 40), WL_ERROR_OUT_OF_MEMORY);
    assert_true(a == 0);
    assert_non_null(strstr(wl_message(), "1099511627776"));
    assert_int_equal(wl_alloc(context, &a, 100), WL_ERROR_OK);
    char sent[100] = "moved", back[100] = "";
    assert_int_equal(wl_upload(context, a, sent, 100), WL_ERROR_OK);
    assert_int_equal(wl_download(context, back, a, 100), WL_ERROR_OK);
    assert_memory_equal(sent, back, 100);
    assert_int_equal(wl_upload(context, 0, sent, 1), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_download(context, NULL, a, 1), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_upload(context, 0, NULL, 0), WL_ERROR_OK);
    assert_int_equal(wl_fill(context, 0, 1, 1, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_free(context, a), WL_ERROR_OK);
    wl_close(context);
}

static void faults_are_told(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    fake->fail_next = 700;
    assert_int_equal(wl_synchronize(context), WL_ERROR_KERNEL_FAULT);
    assert_non_null(strstr(wl_message(), "CUDA_ERROR_ILLEGAL_ADDRESS"));
    assert_non_null(strstr(wl_message(), "a fault told by the simulator"));
    fake->fail_next = 999;
    assert_int_equal(wl_synchronize(context), WL_ERROR_DRIVER);
    assert_null(strstr(wl_message(), "a fault told by the simulator"));
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    wl_close(context);
}

static wl_error two_copies(void *context, wl_stream stream) {
    wl_error error = wl_copy(context, 4096, 8192, 16, stream);
    return error ? error : wl_copy(context, 4096, 8192, 16, stream);
}

static wl_error refuses(void *context, wl_stream stream) {
    return wl_copy(context, 4096, 4100, 16, stream); /* they overlap */
}

static void replays(void **state) {
    (void)state;
    wl_context *context;
    wl_replay *replay;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    assert_int_equal(wl__replay_create(context, two_copies, context, &replay), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 0);
    assert_int_equal(wl__replay_launch(replay, NULL), WL_ERROR_OK);
    assert_int_equal(wl__replay_launch(replay, NULL), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 4);
    fake->fail_next = 700;
    assert_int_equal(wl__replay_launch(replay, NULL), WL_ERROR_KERNEL_FAULT);
    wl__replay_destroy(replay);
    wl__replay_destroy(NULL);
    assert_int_equal(wl__replay_create(context, refuses, context, &replay), WL_ERROR_INVALID_ARGUMENT);
    assert_null(replay);
    fake->fail_next = 801;
    assert_int_not_equal(wl__replay_create(context, two_copies, context, &replay), WL_ERROR_OK);
    assert_null(replay);
    assert_int_equal(wl__replay_create(NULL, two_copies, context, &replay), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fake->depth, 0);
    wl_close(context);
}

static void occupancy_of_the_last_launch(void **state) {
    (void)state;
    wl_context *context;
    struct wl_occupancy occupancy;
    unsigned char uuid[16] = {0};
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    wl__forget_launch();
    assert_int_equal(wl__last_occupancy(context, &occupancy), WL_ERROR_OK);
    assert_int_equal(occupancy.most_warps, 0);
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OK);
    assert_int_equal(wl__last_occupancy(context, &occupancy), WL_ERROR_OK);
    assert_int_equal(occupancy.blocks * fake->launches[0].block[0], 2048);
    assert_int_equal(occupancy.warps, 64);
    fake->fail_next = 1;
    assert_int_not_equal(wl__last_occupancy(context, &occupancy), WL_ERROR_OK);
    assert_int_equal(wl__device_uuid(context, uuid), WL_ERROR_OK);
    assert_int_equal(uuid[15], uuid[0]);
    wl_close(context);
}

static void counters_and_events(void **state) {
    (void)state;
    wl_context *context;
    wl_counters counters;
    wl_event *from, *to;
    float milliseconds = 0;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    assert_int_equal(wl_set_arch(context, "fermi"), WL_ERROR_OK);
    assert_int_equal(wl_set_arch(context, "riva128"), WL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(wl_message(), "riva128"));
    const char *name = NULL;
    int proved = 0;
    assert_int_equal(wl_arch_at(context, 0, &name, &proved), WL_ERROR_OK);
    assert_string_equal(name, "sm_90");
    assert_int_equal(proved, 1);
    assert_int_equal(wl_arch_at(context, 1, &name, &proved), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OK);
    assert_int_equal(wl_get_counters(context, &counters), WL_ERROR_OK);
    assert_int_equal(counters.launches, 1);
    assert_int_equal(wl_reset_counters(context), WL_ERROR_OK);
    assert_int_equal(wl__event_create(context, &from), WL_ERROR_OK);
    assert_int_equal(wl__event_create(context, &to), WL_ERROR_OK);
    assert_int_equal(wl__event_record(from, NULL), WL_ERROR_OK);
    assert_int_equal(wl__event_record(to, NULL), WL_ERROR_OK);
    assert_int_equal(wl__event_elapsed(from, to, &milliseconds), WL_ERROR_OK);
    assert_true(milliseconds == 1.5f);
    fake->fail_next = 700;
    assert_int_equal(wl__event_elapsed(from, to, &milliseconds), WL_ERROR_KERNEL_FAULT);
    wl__event_destroy(from);
    wl__event_destroy(to);
    wl__event_destroy(NULL);
    wl_close(context);
}

static void lines_are_released(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    fake->releases = 0;
    assert_int_equal(wl__cache_release(context), WL_ERROR_OK);
    assert_int_equal(fake->releases, 1);
    fake->release = 801; /* CUDA_ERROR_NOT_SUPPORTED: this GPU has no such lines */
    assert_int_equal(wl__cache_release(context), WL_ERROR_OK);
    fake->release = 999;
    assert_int_equal(wl__cache_release(context), WL_ERROR_DRIVER);
    assert_non_null(strstr(wl_message(), "cuCtxResetPersistingL2Cache"));
    fake->release = 0;
    fake->fail_next = 700;
    assert_int_equal(wl__cache_release(context), WL_ERROR_KERNEL_FAULT);
    assert_int_equal(fake->releases, 3);
    wl_close(context);
}

static void copy_refuses_and_chooses(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    assert_int_equal(wl_copy(context, 4096, 4096, 1, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_copy(context, 4096, 4100, 5, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_copy(context, 4100, 4096, 5, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_copy(context, 0, 4096, 5, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_copy(context, UINT64_MAX - 3, 4096, 5, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_copy(context, 4096, 4096, 0, NULL), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 0);
    /* Neighbours do not overlap.  Columns: the line that contains `to`, the source's byte for it, the first
     * byte in that line to be written, and the number of whole slots. */
    const struct {
        wl_devptr to, from;
        uint64_t line, source, lead, end, whole, whole_end;
        const char *choice;
    } cases[] = {
        {4096, 8192, 4096, 8192, 0, 1000, 0, 62, "aligned"},
        {4097, 8193, 4096, 8192, 1, 1001, 1, 62, "aligned"},
        {4223, 8192, 4096, 8065, 127, 1127, 8, 69, "shifted"},
        {4096, 8200, 4096, 8200, 0, 1000, 1, 62, "shifted"},
        {4100, 8192, 4096, 8188, 4, 1004, 1, 62, "shifted"},
        {4096, 5096, 4096, 5096, 0, 1000, 1, 62, "shifted"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fake->launch_count = 0;
        assert_int_equal(wl_copy(context, cases[i].to, cases[i].from, 1000, (wl_stream)&cases), WL_ERROR_OK);
        assert_int_equal(fake->launch_count, 1);
        const struct fake_launch *launch = &fake->launches[0];
        assert_string_equal(launch->kernel, "wl_copy_any");
        const uint64_t expected[] = {cases[i].line, cases[i].source, cases[i].lead,
                                     cases[i].end,  cases[i].whole,  cases[i].whole_end};
        for (size_t k = 0; k < sizeof(expected) / sizeof(expected[0]); k++)
            assert_true(launch->arguments[k] == expected[k]);
        assert_ptr_equal(launch->stream, &cases);
        assert_non_null(strstr(wl_explain(), cases[i].choice));
    }
    wl_close(context);
}

/* Addresses that the driver does not know are refused only if the host can read them: nobody knows the memory
 * of a graph that is being recorded yet. */
static void pageable_memory_is_refused(void **state) {
    (void)state;
    wl_context *context;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    fake->host = (uint64_t)(uintptr_t)pages;
    fake->host_bytes = 2 * page;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    for (size_t offset = 0; offset < page; offset += page - 1) {
        assert_int_equal(wl_copy(context, fake->host + offset, 8192, 16, NULL), WL_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(wl_message(), "wl_copy: to is 0x"));
        assert_non_null(strstr(wl_message(), "pageable host memory"));
        assert_int_equal(wl_copy(context, 8192, fake->host + offset, 16, NULL), WL_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(wl_message(), "wl_copy: from is 0x"));
    }
    assert_int_equal(fake->launch_count, 0);
    assert_int_equal(wl_copy(context, fake->host + page, 8192, 16, NULL), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 1);
    wl_close(context);
    assert_int_equal(munmap(pages, 2 * page), 0);
}

/* A query to the driver costs as much as the rest of a small call. */
static void arrays_of_a_page_are_asked_for_once(void **state) {
    (void)state;
    wl_context *context;
    const wl_devptr page = (wl_devptr)2 << 20;
    wl_devptr streams[32];
    for (unsigned i = 0; i < 32; i++)
        streams[i] = 5 * page + 4096 * i;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    unsigned before = fake->pointer_questions;
    assert_int_equal(wl_deinterleave(context, 4, 32, streams, 5 * page + 4096 * 32, 32, NULL), WL_ERROR_OK);
    assert_int_equal(fake->pointer_questions - before, 1);
    assert_int_equal(wl_interleave(context, 4, 32, 9 * page, streams, 32, NULL), WL_ERROR_OK);
    assert_int_equal(fake->pointer_questions - before, 1 + 2);
    assert_int_equal(wl_add(context, WL_TYPE_F32, page, 2 * page, 4 * page - 4, 1, NULL), WL_ERROR_OK);
    assert_int_equal(fake->pointer_questions - before, 1 + 2 + 3);
    /* Nothing is known about the very first page. */
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OK);
    assert_int_equal(fake->pointer_questions - before, 1 + 2 + 3 + 2);
    wl_close(context);
}

/* Rows with more accesses than 32 bits can number, and single rows as long as that. */
static void more_rows_than_a_launch_numbers(void **state) {
    (void)state;
    wl_context *context;
    const wl_devptr to = 4096, from = (wl_devptr)1 << 50;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    assert_int_equal(wl_copy_2d(context, to, 32, from, 48, 16, (size_t)1 << 36, NULL), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 32);
    for (unsigned i = 0; i < fake->launch_count; i++) {
        assert_string_equal(fake->launches[i].kernel, "wl_copy_rows_16_16");
        assert_int_equal(fake->launches[i].grid[0], 1 << 24);
        assert_true(fake->launches[i].arguments[0] == to + ((uint64_t)i << 31) * 32);
    }
    fake->launch_count = 0;
    assert_int_equal(
        wl_copy_2d(context, to, (size_t)1 << 41, from, (size_t)3 << 40, (size_t)1 << 40, 3, NULL),
        WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 3);
    for (unsigned i = 0; i < fake->launch_count; i++) {
        assert_string_equal(fake->launches[i].kernel, "wl_copy_any");
        assert_int_equal(fake->launches[i].grid[0], 1 << 29);
        assert_true(fake->launches[i].arguments[0] == to + ((uint64_t)i << 41));
        assert_true(fake->launches[i].arguments[1] == from + i * ((uint64_t)3 << 40));
    }
    fake->launch_count = 0;
    fake->fail_next = 700;
    assert_int_not_equal(wl_copy_2d(context, to, 32, from, 48, 16, (size_t)1 << 36, NULL), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 0);
    wl_close(context);
}

static void modules_load_once(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    assert_int_equal(fake->loads, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OK);
    assert_int_equal(fake->loads, 1);
    wl_close(context);
}

/* Loading switches to the relaxed mode and restores the thread's mode, also if it fails; a failed load is
 * tried again. */
static void loading_keeps_the_capture_mode(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    fake->capture_mode = 1; /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */
    fake->fail_load = true;
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(wl_message(), "loading the kernels"));
    assert_int_equal(fake->capture_mode, 1);
    assert_int_equal(fake->launch_count, 0);
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OK);
    assert_int_equal(fake->capture_mode, 1);
    assert_int_equal(fake->launch_count, 1);
    assert_int_equal(fake->depth, 0);
    wl_close(context);
}

/* If the library's context is current in the thread, a launch pushes none. */
static void launches_where_the_context_is_current(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OK);
    unsigned pushes = fake->pushes;
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OK);
    assert_int_equal(fake->pushes, pushes + 1);
    fake->current = true;
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_OK);
    assert_int_equal(fake->pushes, pushes + 1);
    assert_int_equal(fake->launch_count, 3);
    fake->fail_next = 700;
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_KERNEL_FAULT);
    fake->current = false;
    fake->fail_next = 700;
    assert_int_equal(wl_copy(context, 4096, 8192, 16, NULL), WL_ERROR_KERNEL_FAULT);
    assert_int_equal(fake->depth, 0);
    wl_close(context);
}

static const struct wl_rung *rung(const char *experiment, const char *name) {
    size_t count;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rungs[i].experiment, experiment) == 0 && strcmp(rungs[i].name, name) == 0)
            return &rungs[i];
    fail_msg("no rung %s %s", experiment, name);
    return NULL;
}

/* 2^33 elements in blocks of one thread: more blocks than a grid can have. */
static void more_blocks_than_a_grid_holds(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    struct wl_problem problem = {
        .n = (uint64_t)1 << 33, .block_x = 1, .in = {4096}, .out = {(uint64_t)1 << 40}};
    assert_int_equal(rung("copy", "scalar")->launch(context, &problem, NULL), WL_ERROR_OK);
    uint64_t done = 0;
    assert_int_equal(fake->launch_count, 5);
    for (unsigned i = 0; i < fake->launch_count; i++) {
        assert_true(fake->launches[i].arguments[3] == done);
        done += fake->launches[i].grid[0];
    }
    assert_true(done == problem.n);
    fake->launch_count = 0;
    problem.block_x = 0;
    assert_int_equal(rung("copy", "vec4")->launch(context, &problem, NULL), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 1);
    assert_int_equal(fake->launches[0].grid[0], 1 << 24);
    fake->launch_count = 0;
    /* 2^24 rows of one element: more than 65535 blocks of 8 rows in y. */
    problem.rows = (uint64_t)1 << 24;
    problem.cols = 1;
    assert_int_equal(rung("transpose", "shared")->launch(context, &problem, NULL), WL_ERROR_OK);
    assert_int_equal(fake->launch_count, 9);
    assert_int_equal(fake->launches[0].grid[1], 65535);
    assert_int_equal(fake->launches[8].grid[1], (1 << 24) / 32 - 8 * 65535);
    wl_close(context);
}

static void launches_refuse(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    const struct wl_rung *scalar = rung("copy", "scalar");
    struct wl_problem problem = {.n = 100, .in = {4096}, .out = {8192}, .block_x = 64, .block_y = 32};
    assert_non_null(strstr(scalar->applicable(context, &problem), "2048 threads"));
    assert_int_equal(scalar->launch(context, &problem, NULL), WL_ERROR_NOT_APPLICABLE);
    problem.block_y = 16;
    assert_null(scalar->applicable(context, &problem));
    assert_int_equal(scalar->launch(context, &problem, NULL), WL_ERROR_OK);
    /* 65536 x 65536 threads would wrap to 0 in 32 bits. */
    problem.block_x = problem.block_y = 65536;
    assert_int_equal(scalar->launch(context, &problem, NULL), WL_ERROR_NOT_APPLICABLE);
    problem.block_x = problem.block_y = 0;
    problem.in[0] = 4097;
    assert_int_equal(scalar->launch(context, &problem, NULL), WL_ERROR_INVALID_ARGUMENT);
    problem.in[0] = 0;
    assert_int_equal(scalar->launch(context, &problem, NULL), WL_ERROR_INVALID_ARGUMENT);
    problem.in[0] = 4096;
    problem.n = UINT64_MAX / 3;
    assert_int_equal(scalar->launch(context, &problem, NULL), WL_ERROR_INVALID_ARGUMENT);
    problem.rows = problem.cols = (uint64_t)1 << 32;
    assert_int_equal(rung("transpose", "naive-row")->launch(context, &problem, NULL),
                     WL_ERROR_INVALID_ARGUMENT);
    problem.n = 100;
    problem.stride = 0;
    assert_int_equal(rung("stride", "load")->launch(context, &problem, NULL), WL_ERROR_INVALID_ARGUMENT);
    fake->fail_next = 700;
    assert_int_equal(scalar->launch(context, &problem, NULL), WL_ERROR_KERNEL_FAULT);
    wl_close(context);
}

/* Empty problems launch nothing; every rung is asked whether it applies. */
static void empty_problems(void **state) {
    (void)state;
    wl_context *context;
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    size_t count;
    const struct wl_rung *rungs = wl__ladder(&count);
    const struct wl_problem empty = {.stride = 1, .width = 4, .rank = 1, .out = {4096, 4096, 4096, 4096}};
    /* Those of several devices need open devices: test_several.c. */
    for (size_t i = 0; i < count; i++)
        if (strcmp(rungs[i].experiment, "redistribute") && rungs[i].launch(context, &empty, NULL))
            fail_msg("%s %s: %s", rungs[i].experiment, rungs[i].name, wl_message());
    assert_int_equal(fake->launch_count, 0);
    /* The column starts of an empty matrix are one zero. */
    assert_int_equal(fake->last_memset_bytes, 4);
    wl_close(context);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(unknown_names),
        TEST(environment_overrides_auto_only),
        TEST(numbered_simulators),
        TEST(simulator_not_found),
        TEST(library_that_is_no_driver),
        TEST(gpu_or_advice),
        TEST(device_info),
        TEST(memory),
        TEST(faults_are_told),
        TEST(replays),
        TEST(occupancy_of_the_last_launch),
        TEST(counters_and_events),
        TEST(lines_are_released),
        TEST(copy_refuses_and_chooses),
        TEST(pageable_memory_is_refused),
        TEST(arrays_of_a_page_are_asked_for_once),
        TEST(more_rows_than_a_launch_numbers),
        TEST(modules_load_once),
        TEST(loading_keeps_the_capture_mode),
        TEST(launches_where_the_context_is_current),
        TEST(more_blocks_than_a_grid_holds),
        TEST(launches_refuse),
        TEST(empty_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
