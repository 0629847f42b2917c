#include "sim/cuda/record/profile_origins.h"

#include <string.h>
#include <unistd.h>

#include "sim/cuda/memory/memory.h"
#include "sim/cuda/record/records.h"

/* A program with more arrays has some recorded again. */
enum { TOLD = 1024 };

static uint64_t told[TOLD]; /* serials of arrays that are recorded */
static unsigned next_told;

void profile_origins_forget(void) {
    memset(told, 0, sizeof told);
}

static void put_frames(struct profile_text *text, const struct origin *origin) {
    bool more = false;
    profile_put_name(text, "frames");
    profile_put(text, "[");
    for (int i = 0; i < ORIGIN_FRAMES; i++) {
        struct origin_place place;
        if (!origin_place(origin->frame[i], &place))
            continue;
        profile_put(text, more ? ",{" : "{");
        profile_put_name(text, "module");
        profile_put_string(text, place.module);
        profile_put_name(text, "offset");
        profile_put_number(text, place.offset);
        profile_put(text, "}");
        more = true;
    }
    profile_put(text, "]");
}

static void put_allocation(struct profile_text *text, const struct sim_array *array) {
    static const char *const kinds[] = {
        [SIM_MEMORY_DEVICE] = "device", [SIM_MEMORY_HOST] = "host",     [SIM_MEMORY_MANAGED] = "managed",
        [SIM_MEMORY_MODULE] = "module", [SIM_MEMORY_SHARED] = "device",
    };
    struct sim_allocation found;
    if (!sim_memory_find(driver.memory, array->base, array->size, &found) || found.kind == SIM_MEMORY_HEAP)
        return;
    profile_put_name(text, "kind");
    profile_put_string(text, kinds[found.kind]);
    if (found.name) {
        profile_put_name(text, "name");
        profile_put_string(text, found.name);
    }
    if (found.user)
        put_frames(text, &((const struct allocation *)found.user)->origin);
}

void profile_origin_tell(const struct sim_array *array) {
    for (int i = 0; i < TOLD; i++)
        if (told[i] == array->serial)
            return;
    struct profile_text text = {0};
    profile_put(&text, "{\"array\":{");
    profile_put_name(&text, "pid");
    profile_put_number(&text, (uint64_t)getpid());
    profile_put_name(&text, "serial");
    profile_put_number(&text, array->serial);
    profile_put_name(&text, "address");
    profile_put_number(&text, array->base);
    profile_put_name(&text, "size");
    profile_put_number(&text, array->size);
    put_allocation(&text, array);
    profile_put(&text, "}}");
    if (records_append(&text))
        told[next_told++ % TOLD] = array->serial;
    profile_text_free(&text);
}
