/* The same work as plain loops, always compiled by gcc -O2, whatever the build's flags. */
#ifndef WIDELOAD_TESTS_SPEED_HOST_H
#define WIDELOAD_TESTS_SPEED_HOST_H

void host_matmul(const int *a, const int *b, int *c, int n);
void host_vector_add(const float *a, const float *b, float *c, int n);

#endif
