/* For programs that cannot run: one built without PTX, and one stripped of its symbols. */
#include "say.h"

__global__ void nothing() {}

int main() {
    nothing<<<1, 1>>>();
    SAY_LAUNCH("launch");
    nothing<<<1, 1>>>();
    SAY_LAUNCH("again");
    return 0;
}
