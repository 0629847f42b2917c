#include "matrix/share.h"

#ifdef _OPENMP
#include <omp.h>
#endif

size_t matrix_threads(void) {
#ifdef _OPENMP
    const int threads = omp_get_max_threads();
    return threads > 0 ? (size_t)threads : 1;
#else
    return 1;
#endif
}

void matrix_share(void (*work)(void *argument, size_t i), void *argument, size_t count) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)
#endif
    for (size_t i = 0; i < count; i++)
        work(argument, i);
}
