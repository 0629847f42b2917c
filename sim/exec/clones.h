/* Two versions of a hot function from one source: for x86-64 with AVX2 and FMA, and for any processor.  The
 * loader picks.  ("arch=haswell" would pick by the processor's name, and leave other makers' out.)
 */
#ifndef WIDELOAD_SIM_CLONES_H
#define WIDELOAD_SIM_CLONES_H

/* Sanitizers and ifuncs do not go together: those run before the sanitizer is ready. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) &&              \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(SIM_NO_CLONES)
#define SIM_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SIM_CLONES
#endif

#endif
