/* How a function gets its exported names.  Each is a jump to the library's own function, rt_<name>, for two
 * reasons: one function can be exported under the version nodes of both CUDA 12 and 13, and the library's own
 * calls never use a name that the program might define too.
 *
 * exports.map gives a plain name the node libcudart.so.13. */
#ifndef WIDELOAD_SIM_CUDART_EXPORTS_H
#define WIDELOAD_SIM_CUDART_EXPORTS_H

#if defined(__x86_64__)
#define RUNTIME_JUMP "jmp "
#elif defined(__aarch64__)
#define RUNTIME_JUMP "b "
#else
#error "no jump instruction is known for this processor"
#endif

#define RUNTIME_FUNCTION(name, target)                                                                       \
    ".text\n.p2align 4\n.globl " name "\n.type " name ", %function\n" name ":\n\t" RUNTIME_JUMP target       \
    "\n.size " name ", . - " name "\n"

#define RUNTIME_EXPORT_13(name) __asm__(RUNTIME_FUNCTION(#name, "rt_" #name));
#define RUNTIME_EXPORT_12(name, target)                                                                      \
    __asm__(RUNTIME_FUNCTION("at12_" #name, #target) ".symver at12_" #name ", " #name "@libcudart.so.12\n");
/* There are two jumps because the linker drops a plain name with the address of a versioned one. */
#define RUNTIME_EXPORT(name) RUNTIME_EXPORT_13(name) RUNTIME_EXPORT_12(name, rt_##name)

#endif
