#include "sim/ptx/special.h"

#include <stddef.h>
#include <string.h>

/* Vectors of four components, named alone or with .x .y .z .w. */
static const char *const vectors[] = {
    "%tid", "%ntid", "%ctaid", "%nctaid", "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid",
};

static const char *const scalars[] = {
    "WARP_SZ",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
};

/* prefix, a decimal number below count without leading zeros, suffix */
static const struct {
    const char *prefix, *suffix;
    unsigned count;
} numbered[] = {
    {"%envreg", "", 32},
    {"%pm", "", 8},
    {"%pm", "_64", 8},
};

static bool is_numbered(const char *name, const char *prefix, const char *suffix, unsigned count) {
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return false;
    const char *digits = name + length;
    size_t digit_count = strspn(digits, "0123456789");
    if (digit_count == 0 || digit_count > 2 || (digit_count == 2 && digits[0] == '0'))
        return false;
    unsigned number = 0;
    for (size_t i = 0; i < digit_count; i++)
        number = number * 10 + (unsigned)(digits[i] - '0');
    return number < count && strcmp(digits + digit_count, suffix) == 0;
}

bool ptx__is_special(const char *name) {
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        size_t length = strlen(vectors[i]);
        if (strncmp(name, vectors[i], length) != 0)
            continue;
        const char *rest = name + length;
        if (rest[0] == '\0' ||
            (rest[0] == '.' && rest[1] != '\0' && strchr("xyzw", rest[1]) && rest[2] == '\0'))
            return true;
    }
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (strcmp(name, scalars[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof numbered / sizeof numbered[0]; i++)
        if (is_numbered(name, numbered[i].prefix, numbered[i].suffix, numbered[i].count))
            return true;
    return false;
}
