#include "bench/cases.h"

#include <string.h>

#include "base/nearest.h"
#include "bench/list.h"
#include "bench/permute_cases.h"

#define VALUES(...)                                                                                          \
    { __VA_ARGS__ }

static const struct {
    const char *name;
    uint32_t width;
    unsigned rank;
    uint64_t sizes[WL_RANK_MAX];
    unsigned char order[WL_RANK_MAX];
} cases[] = {
#define CASE(name, width, rank, sizes, order) {name, width, rank, VALUES sizes, VALUES order},
    WL_PERMUTE_CASE_MAP(CASE)
#undef CASE
};
enum { CASES = sizeof cases / sizeof *cases };

const char *bench_case_at(size_t i, struct bench_size *out) {
    if (i >= CASES)
        return NULL;
    *out = (struct bench_size){
        .dimensions = cases[i].rank, .width = cases[i].width, .order = {.rank = cases[i].rank}};
    memcpy(out->extent, cases[i].sizes, sizeof out->extent);
    memcpy(out->order.axis, cases[i].order, sizeof out->order.axis);
    return cases[i].name;
}

bool bench_take_case(const char *option, const char *word, struct bench_sizes *list,
                     struct base_error *error) {
    const char *names[CASES + 2] = {[CASES] = "cases", "text"}, *name;
    bool all = strcmp(word, "cases") == 0, found = false;
    struct bench_size size;
    for (size_t i = 0; (name = bench_case_at(i, &size)) != NULL; i++) {
        names[i] = name;
        if (!all && strcmp(word, name) != 0)
            continue;
        found = true;
        if (!bench_list_size(option, list, &size, error))
            return false;
    }
    const char *near = base_nearest(word, names, CASES + 2);
    return found ||
           base_usage(error, "%s: no size '%.40s'%s%s%s; `wideload list permute` has those with names",
                      option, word, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}
