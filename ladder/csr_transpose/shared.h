/* The blocks of ladder/csr_transpose/shared.cu. */
#ifndef WIDELOAD_LADDER_SHARED_H
#define WIDELOAD_LADDER_SHARED_H

#define WL_SHARED_THREADS 256
#define WL_SHARED_TILE    2048 /* entries */

#endif
