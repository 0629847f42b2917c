/* A request in numbers. */
#include "picture/figures.h"

#include "sim/count/lane_set.h"

static struct count_result cost_of(const struct picture_request *request) {
    switch (request->space) {
    case PICTURE_SHARED:
        return count_shared(request->rules, &request->access);
    case PICTURE_LOCAL:
        return count_local(request->rules, &request->access);
    default:
        return count_global(request->rules, &request->access);
    }
}

struct count_split picture__split(const struct picture_request *request) {
    switch (request->space) {
    case PICTURE_SHARED:
        return count_split_shared(request->rules, &request->access);
    case PICTURE_LOCAL:
        return count_split_local(request->rules, &request->access);
    default:
        return count_split_global(request->rules, &request->access);
    }
}

/* The lanes of one group, as bits. */
static uint32_t group_of(const struct count_access *access, unsigned first, unsigned lanes) {
    return access->mask & (uint32_t)(((1ull << lanes) - 1) << first);
}

unsigned picture__distinct(const struct count_access *access) {
    return lane_set_count(access->address, access->mask, 0);
}

/* A group of lanes takes a transaction at least, and as many as its distinct bytes fill; in local memory one
 * for each word of a lane.  A compare and swap takes two wavefronts wherever its word lies. */
static unsigned least_of(const struct picture_request *request, struct count_split split) {
    const struct count_access *access = &request->access;
    const unsigned each = request->space == PICTURE_SHARED && access->compare ? 2 : 1;
    unsigned least = 0;
    for (unsigned first = 0; first < 32; first += split.lanes) {
        const uint32_t group = group_of(access, first, split.lanes);
        const unsigned values = lane_set_count(access->address, group, 0);
        if (request->space == PICTURE_LOCAL)
            least += group ? count_local_requests(access->width) : 0;
        else
            least += each * ((values * access->width + split.block - 1) / split.block);
    }
    return least;
}

static void find_stride(const struct count_access *access, struct picture_figures *figures) {
    const unsigned first = (unsigned)__builtin_ctz(access->mask);
    uint32_t left = access->mask & (access->mask - 1);
    if (!left)
        return;
    const unsigned second = (unsigned)__builtin_ctz(left);
    const int64_t apart = (int64_t)(access->address[second] - access->address[first]);
    if (apart % (int64_t)(second - first))
        return;
    const int64_t stride = apart / (int64_t)(second - first);
    for (; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (access->address[lane] - access->address[first] != (uint64_t)stride * (lane - first))
            return;
    }
    figures->has_stride = true;
    figures->stride = stride;
}

unsigned picture__runs(const struct count_access *access, const struct picture_figures *figures) {
    unsigned before = (unsigned)__builtin_ctz(access->mask), runs = 1;
    for (uint32_t left = access->mask & (access->mask - 1); left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        runs += access->address[lane] - access->address[before] !=
                picture__step(access, figures) * (lane - before);
        before = lane;
    }
    return runs;
}

struct picture__fold picture__fold(const struct count_access *access) {
    const uint64_t *address = access->address;
    for (unsigned lanes = 16; lanes > 1; lanes /= 2) {
        if (!(access->mask & access->mask >> 1 & access->mask >> lanes & 1))
            continue;
        const uint64_t stride = address[1] - address[0], pitch = address[lanes] - address[0];
        bool fits = true;
        for (uint32_t left = access->mask; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            fits &= address[lane] - address[0] == stride * (lane % lanes) + pitch * (lane / lanes);
        }
        if (fits)
            return (struct picture__fold){lanes, (int64_t)stride, (int64_t)pitch};
    }
    return (struct picture__fold){0, 0, 0};
}

struct picture_figures picture_figures(const struct picture_request *request) {
    const struct count_split split = picture__split(request);
    struct picture_figures figures = {
        .cost = cost_of(request),
        .unit = split.block,
        .least = least_of(request, split),
        .lanes = (unsigned)__builtin_popcount(request->access.mask),
    };
    find_stride(&request->access, &figures);
    return figures;
}

const char *picture__unit_name(const struct picture_request *request, unsigned unit) {
    return request->space == PICTURE_SHARED ? "wavefront" : unit == 32 ? "sector" : "line";
}
