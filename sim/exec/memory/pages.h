/* Device memory as a GPU maps it: pages of 2 MiB, contiguous in one range of addresses, each new piece of
 * memory below the earlier ones; small pieces share a page.  An overrun of an array mostly lands in the rest
 * of its page, or in an earlier allocation, and faults only where there is no page.
 *
 * Thread-safety: sim_pages_hold() and sim_pages_owner() may be called from any thread; all other functions by
 * one thread at a time.
 */
#ifndef WIDELOAD_SIM_PAGES_H
#define WIDELOAD_SIM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_PAGE_BYTES ((uint64_t)2 << 20)

struct sim_pages;
struct sim_shared;

/* Reserves `bytes` of addresses, or as many as the process may have; NULL if it may have none.
 * bytes: at most SIZE_MAX / 2. */
struct sim_pages *sim_pages_create(uint64_t bytes);
/* Frees all pages and addresses. */
void sim_pages_destroy(struct sim_pages *pages);
/* Takes a piece, aligned to 512; 0 if there is no room.  Contents are undefined.  size: at most SIZE_MAX / 2.
 * owner: below 255; it shares pages only with pieces of the same owner. */
uint64_t sim_pages_take(struct sim_pages *pages, size_t size, unsigned owner);
/* Takes pages that map shared ones, from their beginning; 0 if there is no room or no mapping left. */
uint64_t sim_pages_map(struct sim_pages *pages, const struct sim_shared *shared, unsigned owner);
/* Frees pages of sim_pages_map(): those under [address, address + size). */
void sim_pages_unmap(struct sim_pages *pages, uint64_t address, size_t size, bool running);
/* Frees a piece.  size: as taken.  running: kernels run that may still touch it, so it stays accessible
 * although sim_pages_hold() denies it. */
void sim_pages_give(struct sim_pages *pages, uint64_t base, size_t size, bool running);
/* Whether there are pages, for whatever use, under all of [address, address + size). */
bool sim_pages_hold(const struct sim_pages *pages, uint64_t address, size_t size);
/* Whose the page is that holds the address; 0 if it is free meanwhile. */
unsigned sim_pages_owner(const struct sim_pages *pages, uint64_t address);

#endif
