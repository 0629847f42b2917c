/* What would mend a request.  A remedy is named only if it holds: the counting rules are asked what the
 * request would cost with it.  Where that depends on the program, the words say "can". */
#include "picture/figures.h"
#include "picture/text.h"

struct patient {
    struct picture_text *text;
    const struct picture_request *request;
    const struct picture_figures *figures;
};

/* Transactions of the request with these addresses and lanes. */
static unsigned cost_with(const struct patient *p, const uint64_t address[32], uint32_t mask) {
    struct picture_request mended = *p->request;
    mended.access.address = address;
    mended.access.mask = mask;
    return picture_figures(&mended).cost.transactions;
}

/* Names a remedy if the request with these addresses and lanes costs less. */
static bool try(const struct patient *p, const char *words, const uint64_t address[32], uint32_t mask) {
    const unsigned then = cost_with(p, address, mask);
    if (then >= p->figures->cost.transactions)
        return false;
    picture__put(p->text, " ");
    picture__put(p->text, words);
    if (then <= p->figures->least) {
        picture__put(p->text, " would mend it.");
        return true;
    }
    picture__put(p->text, " would leave ");
    picture__put_number(p->text, then);
    picture__put(p->text, ".");
    return true;
}

/* Addresses of lanes that lie so many bytes apart. */
static void spread(uint64_t address[32], uint64_t stride) {
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = lane * stride;
}

static bool gather_lanes(const struct patient *p, const char *words) {
    uint64_t address[32];
    spread(address, p->request->access.width);
    return try(p, words, address, p->request->access.mask);
}

static bool reduce_first(const struct patient *p) {
    const struct count_access *access = &p->request->access;
    uint32_t first = access->mask;
    if (!picture__is_atomic(access))
        return false;
    for (unsigned lane = 1; lane < 32; lane++)
        for (unsigned before = 0; before < lane; before++)
            if (access->mask >> before & access->mask >> lane & 1 &&
                access->address[before] == access->address[lane])
                first &= ~(1u << lane);
    return try(p, "Reducing in the warp first, so that one lane updates each word,", access->address, first);
}

/* Runs of lanes begin at multiples of the unit; runs that go down end there. */
static bool align_runs(const struct patient *p) {
    const struct count_access *access = &p->request->access;
    const uint64_t step = picture__step(access, p->figures), end = step == access->width ? 0 : access->width;
    const unsigned runs = picture__runs(access, p->figures);
    const bool lines = p->figures->unit == 128;
    uint64_t address[32] = {0}, shift = 0;
    unsigned before = 32;
    if (runs > 1 && runs * 4 > p->figures->lanes)
        return false;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t at = access->address[lane];
        if (before == 32 || at - access->address[before] != step * (lane - before))
            shift = (at + end) % p->figures->unit;
        address[lane] = at - shift;
        before = lane;
    }
    if (runs > 1)
        return try(p,
                   lines ? "Rows that begin at multiples of 128 bytes"
                         : "Rows that begin at multiples of 32 bytes",
                   address, access->mask);
    return try(p,
               lines ? "Beginning at a multiple of 128 bytes, with a pitch rounded up to one,"
                     : "Beginning at a multiple of 32 bytes, with a pitch rounded up to one,",
               address, access->mask);
}

static bool sort_lanes(const struct patient *p) {
    const struct count_access *access = &p->request->access;
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = access->address[lane];
    for (uint32_t left = access->mask; left; left &= left - 1)
        for (uint32_t rest = left & (left - 1); rest; rest &= rest - 1) {
            const unsigned a = (unsigned)__builtin_ctz(left), b = (unsigned)__builtin_ctz(rest);
            if (address[a] > address[b]) {
                const uint64_t lower = address[b];
                address[b] = address[a];
                address[a] = lower;
            }
        }
    return try(p, "Lanes in the order of their addresses", address, access->mask);
}

static const char *closer(const struct count_access *access, uint64_t apart) {
    const bool atomic = picture__is_atomic(access), store = access->kind == COUNT_STORE;
    if (apart / access->width > 8)
        return atomic ? "Adding up in shared memory first, or exchanging the loops,"
                      : "A tile in shared memory, or exchanging the loops,";
    if (!atomic && apart <= 16 && !(apart & (apart - 1)))
        return store ? "One array per field, or storing the whole structure as a vector,"
                     : "One array per field, or loading the whole structure as a vector,";
    return atomic ? "One array per field" : "One array per field, or a tile in shared memory,";
}

/* Lanes that sit out, and whether the same transactions would serve them too. */
static void put_idle(const struct patient *p) {
    const struct count_access *access = &p->request->access;
    const unsigned lanes = p->figures->lanes, now = p->figures->cost.transactions;
    if (lanes == 32)
        return;
    picture__put(p->text, " ");
    picture__put_count(p->text, 32 - lanes, "lane");
    picture__put(p->text, lanes == 31 ? " is idle" : " are idle");
    if (p->figures->has_stride && p->figures->stride) {
        uint64_t address[32];
        const unsigned first = (unsigned)__builtin_ctz(access->mask);
        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = access->address[first] + (uint64_t)p->figures->stride * (lane - (uint64_t)first);
        if (cost_with(p, address, UINT32_MAX) <= now) {
            picture__put(p->text, ", which the same ");
            picture__put(p->text, picture__unit_name(p->request, p->figures->unit));
            picture__put(p->text, now == 1 ? " would serve too." : "s would serve too.");
            return;
        }
    }
    picture__put(p->text, ", by a branch or at an array's end.");
}

/* Groups of lanes that each want one value, far apart: the values beside each other. */
static bool gather_values(const struct patient *p, const struct picture__fold *fold) {
    const struct count_access *access = &p->request->access;
    uint64_t address[32];
    if (!fold->lanes || fold->stride || p->figures->has_stride)
        return false;
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = (uint64_t)access->width * (lane / fold->lanes);
    return try(p, closer(access, picture__size(fold->pitch)), address, access->mask);
}

static void mend_global(const struct patient *p) {
    const struct count_access *access = &p->request->access;
    const struct picture__fold fold = picture__fold(access);
    const uint64_t apart = picture__size(p->figures->has_stride ? p->figures->stride : fold.stride);
    if (reduce_first(p) || (apart > access->width && gather_lanes(p, closer(access, apart))) ||
        gather_values(p, &fold))
        return;
    if (align_runs(p) || sort_lanes(p))
        return;
    if (p->figures->has_stride) {
        put_idle(p);
        return;
    }
    picture__put(p->text, " Sorting the indices, or ");
    picture__put(p->text, picture__is_atomic(access)    ? "adding up in shared memory first"
                          : access->kind == COUNT_STORE ? "scattering in shared memory first"
                                                        : "gathering through shared memory");
    picture__put(p->text, ", can mend it.");
}

/* Addresses where rows are longer by so many elements.  Of the two distances the greater one is from row to
 * row. */
static void lengthen_rows(const struct patient *p, const struct picture__fold *fold, unsigned elements,
                          uint64_t address[32]) {
    const struct count_access *access = &p->request->access;
    const unsigned first = (unsigned)__builtin_ctz(access->mask); /* 0 if there are several groups */
    const uint64_t base = access->address[first] - (uint64_t)fold->stride * first;
    const uint64_t more = (uint64_t)elements * access->width;
    uint64_t stride = (uint64_t)fold->stride, pitch = (uint64_t)fold->pitch;
    if (picture__size(fold->stride) >= picture__size(fold->pitch))
        stride += fold->stride < 0 ? 0 - more : more;
    else
        pitch += fold->pitch < 0 ? 0 - more : more;
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = base + stride * (lane % fold->lanes) + pitch * (lane / fold->lanes);
}

/* Lanes in one column, or in one column for each group of them. */
static bool pad_rows(const struct patient *p) {
    static const char *const words[] = {"One more column of padding", "Two more columns of padding",
                                        "Three more columns of padding", "Four more columns of padding"};
    const struct picture__fold whole = {32, p->figures->stride, 0};
    const struct picture__fold fold = p->figures->has_stride ? whole : picture__fold(&p->request->access);
    const uint32_t mask = p->request->access.mask;
    uint64_t address[32];
    if (!fold.lanes || !fold.stride)
        return false;
    for (unsigned elements = 1; elements <= 4; elements++) {
        lengthen_rows(p, &fold, elements, address);
        if (cost_with(p, address, mask) > p->figures->least)
            continue;
        const bool swizzles = elements == 1 && p->figures->has_stride && fold.stride % 128 == 0;
        return try(p, swizzles ? "One more column of padding, or a swizzle," : words[elements - 1], address,
                   mask);
    }
    lengthen_rows(p, &fold, 1, address);
    return try(p, words[0], address, mask);
}

static bool part_fields(const struct patient *p, uint64_t apart) {
    uint64_t address[32];
    spread(address, apart + p->request->access.width);
    const bool pads = cost_with(p, address, p->request->access.mask) <= p->figures->least;
    return gather_lanes(p, pads ? "One array per field, or one element of padding per structure,"
                                : "One array per field");
}

static void mend_shared(const struct patient *p) {
    const struct count_access *access = &p->request->access;
    const uint64_t apart = picture__size(p->figures->stride);
    if (reduce_first(p) || (apart % 128 && apart / access->width <= 8 && part_fields(p, apart)) ||
        pad_rows(p))
        return;
    picture__put(p->text, " Lanes of one bank take turns; ");
    picture__put(p->text, picture__is_atomic(access)
                              ? "copies of the array in other banks can mend it."
                              : "padding, or a swizzle, can spread them over the banks.");
}

void picture__put_remedy(struct picture_text *text, const struct picture_request *request,
                         const struct picture_figures *figures) {
    const struct patient patient = {text, request, figures};
    if (request->space == PICTURE_LOCAL)
        picture__put(text, " Indexing the array with constants can keep it in registers.");
    else if (figures->cost.transactions > figures->least && request->space == PICTURE_SHARED)
        mend_shared(&patient);
    else if (figures->cost.transactions > figures->least)
        mend_global(&patient);
    else
        put_idle(&patient);
}
