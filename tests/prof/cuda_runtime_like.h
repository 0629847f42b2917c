/* Named as CUDA's headers are: a place in it is not the user's. */
static inline __attribute__((always_inline)) uintptr_t inlined_address(void) {
    __label__ here;
here:
    return (uintptr_t) && here;
}
