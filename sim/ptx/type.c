#include "sim/ptx/ptx.h"

#include <string.h>

static const struct {
    const char *name;
    unsigned bytes;
} types[] = {[PTX_TYPE_NONE] = {"none", 0},
#define PTX_TYPE_ROW(id, text, size) [PTX_TYPE_##id] = {text, size},
             PTX_TYPE_MAP(PTX_TYPE_ROW)
#undef PTX_TYPE_ROW
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

enum ptx_type ptx_type_find(const char *name) {
    for (size_t i = PTX_TYPE_NONE + 1; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0)
            return (enum ptx_type)i;
    return PTX_TYPE_NONE;
}

const char *ptx_type_name(enum ptx_type type) {
    return (size_t)type < TYPE_COUNT ? types[type].name : types[PTX_TYPE_NONE].name;
}

unsigned ptx_type_bytes(enum ptx_type type) {
    return (size_t)type < TYPE_COUNT ? types[type].bytes : 0;
}
