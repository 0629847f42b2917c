/* Following what the dynamic loader maps.  It calls one empty function for debuggers' sake, _r_debug.r_brk,
 * each time its list of objects begins to change and each time the change is complete, which is before
 * anything of the new objects runs: that function is made to jump to ours.
 *
 * Wrapping dlopen would not do: the loader searches where its caller's RUNPATH says, and runs constructors,
 * which register kernels, before it returns.  An auditor (LD_AUDIT) lives in a world of its own, where it
 * does not reach the program's libraries. */
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

/* How long the instruction at a place is, if it does nothing and only fills: a form of nop, or int3.  0: it
 * is something else. */
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

/* Whether it is an empty function with nothing behind it for as long as a jump is. */
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
    /* The loader may be called while its code is writable, so it has to stay executable. */
    if (mprotect((void *)first, size, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    patch_jump(at, (void *)(uintptr_t)changed);
    (void)mprotect((void *)first, size, PROT_READ | PROT_EXEC);
    return true;
}
