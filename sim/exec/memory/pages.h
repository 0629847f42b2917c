/* Device memory as a GPU maps it: pages of 2 MiB, side by side in one range of addresses, each new piece of
 * memory below those before; small pieces share a page.  What runs over the end of an array mostly lands in
 * the rest of its page, or in what was allocated before, and faults only where no page is.
 *
 * Thread-safety: sim_pages_hold() may be called from any thread; all else by one at a time. */
#ifndef WIDELOAD_SIM_PAGES_H
#define WIDELOAD_SIM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_PAGE_BYTES ((uint64_t)2 << 20)

struct sim_pages;
struct sim_shared;

/* Reserves addresses, as near to so many bytes of them as the process may have; NULL where it may not.
 * bytes: at most SIZE_MAX / 2. */
struct sim_pages *sim_pages_create(uint64_t bytes);
/* Gives all of it back. */
void sim_pages_destroy(struct sim_pages *pages);
/* Aligned to 512; 0: there is no room.  Contents are undefined.  size: at most SIZE_MAX / 2.  apart: it
 * shares pages only with others that were taken so. */
uint64_t sim_pages_take(struct sim_pages *pages, size_t size, bool apart);
/* Pages that map shared ones, from their beginning on; 0: there is no room, or no mapping is left. */
uint64_t sim_pages_map(struct sim_pages *pages, const struct sim_shared *shared);
/* Gives back pages of sim_pages_map(): those under [address, address + size). */
void sim_pages_unmap(struct sim_pages *pages, uint64_t address, size_t size, bool running);
/* size: as it was taken.  running: kernels run, which may still touch it; then it stays memory of the
 * device's, though sim_pages_hold() denies it. */
void sim_pages_give(struct sim_pages *pages, uint64_t base, size_t size, bool running);
/* Whether there are pages, taken by whomever, under all of [address, address + size). */
bool sim_pages_hold(const struct sim_pages *pages, uint64_t address, size_t size);

#endif
