/* Exclusive prefix sums of 32-bit counts on the device: ladder/csr_transpose/scan.cu. */
#ifndef WIDELOAD_LIB_SCAN_H
#define WIDELOAD_LIB_SCAN_H

#include "ladder/kernels.h"
#include "lib/launch.h"

/* Bytes of work for a scan of length counts; a multiple of 4. */
uint64_t wl__scan_work_bytes(uint64_t length);

/* out[i] = in[0] + ... + in[i - 1], modulo 2^32.  copy, if not 0, is a second output.  out and copy may each
 * equal in.  work: wl__scan_work_bytes(length) bytes, aligned to 4.  Asynchronous; allocates nothing. */
wl_error wl__scan(wl_context *context, wl_devptr out, wl_devptr copy, wl_devptr in, uint64_t length,
                  wl_devptr work, wl_stream stream);

#endif
