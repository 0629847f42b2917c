/* Helpers that must become part of the loop that calls them, or it is not vectorised. */
#ifndef WIDELOAD_SIM_INLINE_H
#define WIDELOAD_SIM_INLINE_H

#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define SIM_INLINE static inline __attribute__((always_inline))
#else
#define SIM_INLINE static inline
#endif

#endif
