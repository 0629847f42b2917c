#ifndef WIDELOAD_BASE_MEMORY_H
#define WIDELOAD_BASE_MEMORY_H

#include <stdint.h>

/* The bytes of memory that the kernel reports as available to a new program; UINT64_MAX: unknown. */
uint64_t base_available_memory(void);

#endif
