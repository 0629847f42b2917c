/* A kernel that launches a kernel. */
#include "say.h"

__global__ void inner() {}

__global__ void outer() {
    inner<<<1, 1>>>();
}

int main() {
    outer<<<1, 1>>>();
    SAY_LAUNCH("launch");
    return 0;
}
