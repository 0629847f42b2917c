/* Keeps tiles of 1- and 2-byte elements in shared memory; part of inplace_parts.cuh.
 *
 * If vectors were stored as they come, each element would be found at its own row's shift.  That takes six
 * instructions per element, and a vector has 8 or 16.  So rows are shifted when they are stored: element c of
 * row r lies WL_ROW r + WL_WIDTH c bytes into the tile, wherever the row began in a vector, and a vector of
 * the transpose is picked at constant distances from one address.  In front of each row, and of the tile, is
 * room for what its first vector has before it.  WL_ROW is an odd number of elements: so the rows of a
 * vector's first elements begin in eight banks.
 */
#define WL_FRONT  16
#define WL_ROW    WL_INPLACE_NARROW_PITCH(WL_WIDTH, WL_TILE)
#define WL_STRIDE WL_INPLACE_NARROW_STRIDE(WL_WIDTH, WL_TILE)

/* Stores vector v of row r, whose first byte goes to `at`.  Its words combine its own bytes with those of the
 * previous vector, which the previous lane has. */
static __device__ __forceinline__ void wl_place_vector(char *tile, int at, unsigned v, uint4 vector) {
    const unsigned bytes = at & 3, before = __shfl_up_sync(~0u, vector.w, 1);
    uint32_t *to = (uint32_t *)(tile + (at & ~3));
    to[0] = __funnelshift_l(before, vector.x, 8 * bytes);
    to[1] = __funnelshift_l(vector.x, vector.y, 8 * bytes);
    to[2] = __funnelshift_l(vector.y, vector.z, 8 * bytes);
    to[3] = __funnelshift_l(vector.z, vector.w, 8 * bytes);
    if (v < WL_VECTORS - 1)
        return;
        /* Bytes that no following lane stores. */
#pragma unroll
    for (unsigned b = 0; b < 4 - WL_WIDTH; b += WL_WIDTH)
        if (b < bytes)
            *(wl_word *)((char *)(to + 4) + b) = (wl_word)(vector.w >> (32 - 8 * (bytes - b)));
}

static __device__ __forceinline__ void wl_keep_part(char *tile, const struct wl_part *part,
                                                    const wl_tile_part loaded) {
    const unsigned v = threadIdx.x % WL_VECTORS;
#pragma unroll
    for (unsigned i = 0; i < WL_TILE / WL_STEP; i++) {
        unsigned r = threadIdx.x / WL_VECTORS + i * WL_STEP;
        wl_place_vector(tile, (int)(r * WL_ROW + 16 * v - wl_shift_of(part, r)), v, loaded[i]);
    }
}

/* Stores a row's last vector, of which the row has as many bytes as it is shifted by. */
static __device__ __forceinline__ void wl_keep_last(char *tile, const struct wl_part *part, unsigned r,
                                                    uint4 vector) {
    const unsigned word[4] = {vector.x, vector.y, vector.z, vector.w}, has = wl_shift_of(part, r);
    const int at = (int)(r * WL_ROW + 16 * WL_VECTORS - has);
    const unsigned bytes = at & 3;
    char *to = tile + (at & ~3);
    for (unsigned b = 0; b < 4 - bytes && b < has; b += WL_WIDTH)
        *(wl_word *)(to + bytes + b) = (wl_word)(vector.x >> 8 * b);
#pragma unroll
    for (unsigned i = 1; i < 4; i++)
        if (4 * i - bytes < has)
            ((uint32_t *)to)[i] = __funnelshift_l(word[i - 1], word[i], 8 * bytes);
    if (WL_WIDTH == 1)
        for (unsigned b = 16 - bytes; b < has; b++)
            to[bytes + b] = (char)(vector.w >> 8 * (b - 12));
}

/* The place of an element that is stored alone. */
static __device__ __forceinline__ wl_word *wl_place_of(char *tile, const struct wl_part *part, unsigned r,
                                                       unsigned c) {
    (void)part;
    return (wl_word *)(tile + r * WL_ROW) + c;
}

static __device__ __forceinline__ wl_word wl_pick(const char *tile, unsigned x, unsigned c) {
    return *(const wl_word *)(tile + x * WL_ROW + c * WL_WIDTH);
}

/* A vector of column c of rows x, x + 1, ... */
static __device__ __forceinline__ uint4 wl_pick_vector(const char *tile, const struct wl_part *part,
                                                       unsigned x, unsigned c) {
    (void)part;
    union {
        uint4 vector;
        wl_word element[WL_PART];
    } out;
#pragma unroll
    for (unsigned e = 0; e < WL_PART; e++)
        out.element[e] = wl_pick(tile, x + e, c);
    return out.vector;
}

/* Stores the transpose of a whole tile to rows at `to`: vectors, and single elements before and after them,
 * together as many as a vector has, or none. */
static __device__ __forceinline__ void wl_store_whole(uintptr_t to, uint64_t to_pitch,
                                                      const struct wl_part *part, const char *tile) {
#pragma unroll
    for (unsigned k = 0; k < WL_TILE / WL_STEP; k++) {
        unsigned r = threadIdx.x / WL_VECTORS + k * WL_STEP, v = threadIdx.x % WL_VECTORS;
        uintptr_t row = to + r * to_pitch;
        unsigned x = (unsigned)(-row / WL_WIDTH) % WL_PART + v * WL_PART;
        if (x + WL_PART <= WL_TILE)
            *(uint4 *)(row + x * WL_WIDTH) = wl_pick_vector(tile, part, x, r);
    }
#pragma unroll
    for (unsigned k = 0; k < WL_TILE * WL_PART / WL_THREADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS, r = i / WL_PART, x = i % WL_PART;
        uintptr_t row = to + r * to_pitch;
        unsigned head = (unsigned)(-row / WL_WIDTH) % WL_PART;
        x += x < head ? 0 : WL_TILE - WL_PART;
        if (head)
            ((wl_word *)row)[x] = wl_pick(tile, x, r);
    }
}

/* The same for a part. */
static __device__ __forceinline__ void wl_store_part(uintptr_t to, uint64_t to_pitch,
                                                     const struct wl_part *part, const char *tile) {
    const unsigned n = part->rows;
    if (n == WL_TILE && part->cols == WL_TILE) {
        wl_store_whole(to, to_pitch, part, tile);
        return;
    }
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < WL_TILE * WL_VECTORS; i += WL_THREADS) {
        unsigned r = i / WL_VECTORS, v = i % WL_VECTORS;
        uintptr_t row = to + r * to_pitch;
        unsigned x = (unsigned)(-row / WL_WIDTH) % WL_PART + v * WL_PART;
        if (r < part->cols && x + WL_PART <= n)
            *(uint4 *)(row + x * WL_WIDTH) = wl_pick_vector(tile, part, x, r);
    }
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < WL_TILE * 2 * WL_PART; i += WL_THREADS) {
        unsigned r = i / (2 * WL_PART), x = i % (2 * WL_PART);
        uintptr_t row = to + r * to_pitch;
        unsigned head = min((unsigned)(-row / WL_WIDTH) % WL_PART, n);
        x += x < head ? 0 : (n - head) / WL_PART * WL_PART;
        if (r < part->cols && x < n)
            ((wl_word *)row)[x] = wl_pick(tile, x, r);
    }
}
