/* Memory for other processes: what is exported, and forged file names. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/exec/memory/share.h"

static struct sim_memory *memory;

enum { TABLE = SIM_SHARE_ENTRIES * 16, SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
enum { NONCE = 12345 };

static int setup(void **state) {
    (void)state;
    memory = sim_memory_create(UINT64_C(1) << 40);
    return memory ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    sim_memory_destroy(memory);
    return 0;
}

static unsigned char byte_at(size_t i) {
    return (unsigned char)(i * 31 + (i >> 12));
}

/* Memory of several lengths is unchanged, and another mapping of it shows the same bytes. */
static void exported(void **state) {
    (void)state;
    const size_t chunk = 2 << 20;
    const size_t sizes[] = {1, 4096, 4097, chunk - 4096, chunk, chunk + 1, chunk + 4096, 3 * chunk + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t base = sim_memory_alloc(memory, sizes[i], SIM_MEMORY_DEVICE);
        assert_true(base != 0);
        unsigned char *bytes = (unsigned char *)(uintptr_t)base;
        for (size_t k = 0; k < sizes[i]; k++)
            bytes[k] = byte_at(k);
        struct sim_share_name name, again;
        struct sim_shared shared;
        assert_true(sim_memory_export(memory, base, &name));
        assert_true(sim_memory_export(memory, base, &again));
        assert_memory_equal(&name, &again, sizeof name);
        assert_true(sim_share_open(&name, &shared));
        assert_int_equal(shared.size, sizes[i]);
        const uint64_t other = sim_memory_import(memory, &shared);
        assert_true(other != 0);
        close(shared.file);
        assert_memory_equal((const void *)(uintptr_t)other, bytes, sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(bytes[k], byte_at(k));
        bytes[sizes[i] - 1] ^= 0xff;
        assert_int_equal(((unsigned char *)(uintptr_t)other)[sizes[i] - 1], bytes[sizes[i] - 1]);
        assert_true(sim_memory_free(memory, other));
        assert_true(sim_memory_free(memory, base));
        assert_false(sim_share_open(&name, &shared));
    }
    struct sim_share_name name;
    assert_false(sim_memory_export(memory, sim_memory_alloc(memory, 0, SIM_MEMORY_DEVICE), &name));
    /* Nor can freed memory, although running kernels may still access it. */
    sim_memory_enter(memory);
    const uint64_t freed = sim_memory_alloc(memory, 4096, SIM_MEMORY_DEVICE);
    assert_true(sim_memory_free(memory, freed));
    assert_false(sim_memory_export(memory, freed, &name));
    sim_memory_leave(memory);
}

/* A process's files may not exceed its limit; growing one beyond it would end the process. */
static void limited_files(void **state) {
    (void)state;
    const uint64_t base = sim_memory_alloc(memory, 4096, SIM_MEMORY_DEVICE);
    const rlim_t needed = 4096 + TABLE;
    struct rlimit limit;
    struct sim_share_name name;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const struct rlimit less = {needed - 1, limit.rlim_max}, exact = {needed, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
    const bool made = sim_memory_export(memory, base, &name);
    setrlimit(RLIMIT_FSIZE, &exact);
    const bool made_then = sim_memory_export(memory, base, &name);
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_false(made);
    assert_true(made_then);
}

/* A forged file: of some length, with a row for the allocation at `offset`, `at` in it. */
static bool opens(size_t length, int seals, uint64_t at, uint64_t offset, uint64_t size, uint64_t nonce) {
    const int file = memfd_create("wideload-ipc", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(file >= 0);
    const uint64_t row[] = {nonce, size};
    assert_int_equal(ftruncate(file, (off_t)length), 0);
    if (at + sizeof row <= length)
        assert_int_equal(pwrite(file, row, sizeof row, (off_t)at), sizeof row);
    assert_int_equal(fcntl(file, F_ADD_SEALS, seals), 0);
    /* The secret of a name is copied from a real one. */
    struct sim_share_name name;
    const uint64_t base = sim_memory_alloc(memory, 1, SIM_MEMORY_DEVICE);
    assert_true(base && sim_memory_export(memory, base, &name));
    name.process = getpid();
    name.file = file;
    name.offset = offset;
    name.nonce = nonce;
    struct sim_shared shared;
    const bool good = sim_share_open(&name, &shared);
    if (good) {
        assert_int_equal(shared.size, size);
        close(shared.file);
    }
    close(file);
    assert_true(sim_memory_free(memory, base));
    return good;
}

static void made_by_anybody(void **state) {
    (void)state;
    enum { BYTES = 8192 };
    assert_true(opens(BYTES + TABLE, SEALS, BYTES, 0, BYTES, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES, 0, BYTES + 1, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES, 0, UINT64_MAX, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES, 0, 0, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES, 0, BYTES, 0));
    /* The last allocation, and one at the end of the pages. */
    assert_true(opens(BYTES + TABLE, SEALS, BYTES + 16 * (BYTES / 512 - 1), BYTES - 512, 512, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES + 16 * (BYTES / 512 - 1), BYTES - 512, 513, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES + 16 * (BYTES / 512), BYTES, 1, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES + 16, 511, 1, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES, 1, 1, NONCE));
    /* The table's last entry; there is none beyond it. */
    const uint64_t all = (uint64_t)SIM_SHARE_ENTRIES * 512;
    assert_true(opens(all + TABLE, SEALS, all + TABLE - 16, all - 512, 512, NONCE));
    assert_false(opens(all + 4096 + TABLE, SEALS, all + 4096 + TABLE - 16, all, 512, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES, UINT64_C(512) * SIM_SHARE_ENTRIES, 1, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES, UINT64_C(1) << 60, 1, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS, BYTES, UINT64_MAX - 511, 1, NONCE));
    /* Its pages must be whole. */
    assert_false(opens(BYTES + 512 + TABLE, SEALS, BYTES + 512, 0, 512, NONCE));
    /* Without a seal another process could truncate it while it is read. */
    assert_false(opens(BYTES + TABLE, 0, BYTES, 0, BYTES, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS & ~F_SEAL_SHRINK, BYTES, 0, BYTES, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS & ~F_SEAL_GROW, BYTES, 0, BYTES, NONCE));
    assert_false(opens(BYTES + TABLE, SEALS & ~F_SEAL_SEAL, BYTES, 0, BYTES, NONCE));
    /* No pages, and not even a table from which a row could be read. */
    assert_false(opens(TABLE, SEALS, 0, 0, 1, NONCE));
    assert_false(opens(TABLE - 4096, SEALS, 0, 256 * 512, 1, NONCE));
    assert_false(opens(0, SEALS, 0, 0, 1, NONCE));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(exported, setup, teardown),
        cmocka_unit_test_setup_teardown(limited_files, setup, teardown),
        cmocka_unit_test_setup_teardown(made_by_anybody, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
