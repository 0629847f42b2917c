/* Follows what the dynamic loader maps.  The loader has an empty function for debuggers, _r_debug.r_brk.  It
 * calls this whenever its list of objects begins to change and whenever the change is complete, before any
 * code of the new objects runs.  That function is patched to jump to ours.
 *
 * Wrapping dlopen would not work: the loader searches its caller's RUNPATH, and runs the constructors that
 * register kernels before it returns.  An auditor (LD_AUDIT) runs in its own namespace and cannot reach the
 * program's libraries. */
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/cudart/patch.h"
#include "sim/cudart/runtime.h"

static void (*call_mapped)(void);

static void changed(void) {
    int error = errno;
    if (_r_debug.r_state == RT_CONSISTENT)
        call_mapped();
    errno = error;
}

/* The length of the instruction at a place if it is only filler: a nop of any form, or int3.  Otherwise 0. */
static size_t filler(const unsigned char *at) {
    size_t prefixes = 0;
    while (prefixes < 8 && (at[prefixes] == 0x66 || at[prefixes] == 0x2e))
        prefixes++;
    at += prefixes;
    if (at[0] == 0x90 || (at[0] == 0xcc && prefixes == 0))
        return prefixes + 1;
    if (at[0] != 0x0f || at[1] != 0x1f)
        return 0;
    switch (at[2]) {
    case 0x00:
        return prefixes + 3;
    case 0x40:
        return prefixes + 4;
    case 0x44:
        return prefixes + 5;
    case 0x80:
        return prefixes + 7;
    case 0x84:
        return prefixes + 8;
    default:
        return 0;
    }
}

/* Whether it is an empty function, followed by enough filler for a jump. */
static bool is_empty(const unsigned char *at) {
    static const unsigned char branch_target[4] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
    size_t length = memcmp(at, branch_target, sizeof branch_target) == 0 ? sizeof branch_target : 0;
    if (at[length++] != 0xc3)
        return false;
    while (length < JUMP_SIZE) {
        size_t more = filler(at + length);
        if (more == 0)
            return false;
        length += more;
    }
    return true;
}

bool loader_follow(void (*mapped)(void)) {
    unsigned char *at = (unsigned char *)(uintptr_t)_r_debug.r_brk;
    if (!at || !is_empty(at))
        return false;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at / page * page;
    size_t size = ((uintptr_t)at + JUMP_SIZE + page - 1) / page * page - first;
    call_mapped = mapped;
    /* The loader may be called while its code is writable, so the code must stay executable. */
    if (mprotect((void *)first, size, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    patch_jump(at, (void *)(uintptr_t)changed);
    (void)mprotect((void *)first, size, PROT_READ | PROT_EXEC);
    return true;
}
