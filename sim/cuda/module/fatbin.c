/* Finds PTX in a fat binary.  Images may be unaligned, truncated or hostile: every field is copied out and
 * every length is checked before use. */
#include "sim/cuda/module/fatbin.h"

#include <inttypes.h>
#include <lz4.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "sim/cuda/module/machine.h"

enum {
    WRAPPER_MAGIC = 0x466243b1,
    HEADER_SIZE = 16,
    ENTRY_SIZE = 64, /* the fixed part of an entry */
    KIND_PTX = 1,
    KIND_CODE = 2,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_SPECIFIC = 0x100000, /* sm_90a, compute_90a */
    FLAG_FAMILY = 0x200000,   /* sm_100f, compute_100f */
    MAX_PTX = 1 << 30,        /* bytes of PTX; a longer length is taken as corrupt, before allocating */
    MAX_LINKED = 4096,        /* parts of a device-linked program */
};
static const uint32_t HEADER_MAGIC = 0xBA55ED50;

/* The structure in .nvFatBinSegment. */
struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *linked; /* version 2: a NULL-terminated list of fat binaries */
};

struct entry {
    unsigned kind;
    struct architecture made_for;
    uint64_t flags, header, payload, compressed, uncompressed, name_offset, name_size;
    const unsigned char *start;
};

static uint32_t read32(const unsigned char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t read64(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static struct entry read_entry(const unsigned char *at) {
    uint64_t flags = read64(at + 40);
    return (struct entry){
        .kind = read32(at) & 0xffff,
        .header = read32(at + 4),
        .payload = read64(at + 8),
        .compressed = read32(at + 16),
        .made_for = {read32(at + 28), flags & FLAG_SPECIFIC ? ARCHITECTURE_SPECIFIC
                                      : flags & FLAG_FAMILY ? ARCHITECTURE_FAMILY
                                                            : ARCHITECTURE_PLAIN},
        .name_offset = read32(at + 32),
        .name_size = read32(at + 36),
        .flags = flags,
        .uncompressed = read64(at + 56),
        .start = at,
    };
}

static enum fatbin_status corrupt(char *reason, size_t size, const char *what) {
    snprintf(reason, size, "corrupt fat binary: %s", what);
    return FATBIN_CORRUPT;
}

/* PTX contains no NUL, and nvcc terminates it with one, so the text ends at the first NUL. */
static void set_text(struct fatbin_ptx *out, const char *text, size_t size) {
    out->text = text;
    out->size = strnlen(text, size);
}

/* The entry's uncompressed bytes in an allocation of their own. */
static enum fatbin_status decompress(const struct entry *entry, char **out, size_t *out_size, char *reason,
                                     size_t reason_size) {
    const char *payload = (const char *)entry->start + entry->header;
    if (entry->compressed > entry->payload || entry->compressed > INT32_MAX)
        return corrupt(reason, reason_size, "the compressed part is longer than its entry");
    if (!entry->uncompressed || entry->uncompressed > MAX_PTX)
        return corrupt(reason, reason_size, "the uncompressed size is out of range");
    size_t size = (size_t)entry->uncompressed;
    char *plain = malloc(size);
    if (!plain) {
        snprintf(reason, reason_size, "out of memory for %zu bytes of a fat binary", size);
        return FATBIN_NO_MEMORY;
    }
    bool good;
    if (entry->flags & FLAG_ZSTD)
        good = ZSTD_decompress(plain, size, payload, (size_t)entry->compressed) == size;
    else
        good = LZ4_decompress_safe(payload, plain, (int)entry->compressed, (int)size) == (int)size;
    if (!good) {
        free(plain);
        return corrupt(reason, reason_size, "a part does not decompress");
    }
    *out = plain;
    *out_size = size;
    return FATBIN_OK;
}

/* The entry's bytes, decompressed if necessary; the caller frees *owned. */
static enum fatbin_status contents(const struct entry *entry, const char **data, size_t *size, char **owned,
                                   char *reason, size_t reason_size) {
    *owned = NULL;
    if (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
        enum fatbin_status status = decompress(entry, owned, size, reason, reason_size);
        *data = *owned;
        return status;
    }
    *data = (const char *)entry->start + entry->header;
    *size = (size_t)entry->payload;
    return FATBIN_OK;
}

static enum fatbin_status extract(const struct entry *entry, struct fatbin_ptx *out, char *reason,
                                  size_t reason_size) {
    *out = (struct fatbin_ptx){.made_for = entry->made_for};
    if (entry->name_size && entry->name_offset >= ENTRY_SIZE && entry->name_offset <= entry->header &&
        entry->name_size <= entry->header - entry->name_offset)
        snprintf(out->name, sizeof out->name, "%.*s",
                 (int)(entry->name_size < sizeof out->name ? entry->name_size : sizeof out->name - 1),
                 (const char *)entry->start + entry->name_offset);
    const char *text;
    size_t size;
    enum fatbin_status status = contents(entry, &text, &size, &out->owned, reason, reason_size);
    if (status == FATBIN_OK)
        set_text(out, text, size);
    return status;
}

struct choice {
    struct entry ptx, code; /* start is NULL if there is none */
    struct entry other_ptx; /* PTX that the device does not accept */
    unsigned others;        /* entries other than PTX */
};

/* The PTX that the machine code was compiled from.  The code gives the number.  As in nvcc's short forms,
 * code for one device only is taken to come from PTX for that device only. */
static struct architecture compiled_from(const struct entry *code) {
    const char *data;
    char *owned, reason[256];
    size_t size;
    struct architecture from = code->made_for;
    if (contents(code, &data, &size, &owned, reason, sizeof reason) == FATBIN_OK) {
        unsigned number = machine_compiled_from(data, size);
        if (number && number != from.number)
            from = (struct architecture){number, ARCHITECTURE_PLAIN};
    }
    free(owned);
    return from;
}

/* Reads the entry at *at, in data that stops at `end`, and moves *at past it.  False: damaged, see reason. */
static bool next_entry(const unsigned char *image, uint64_t *at, uint64_t end, struct entry *out,
                       char *reason, size_t reason_size) {
    const char *damage = NULL;
    if (end - *at < ENTRY_SIZE)
        damage = "truncated in an entry's header";
    else
        *out = read_entry(image + *at);
    if (!damage &&
        (out->header < ENTRY_SIZE || out->header > end - *at || out->payload > end - *at - out->header))
        damage = "an entry is longer than the whole";
    if (damage) {
        (void)corrupt(reason, reason_size, damage);
        return false;
    }
    *at += out->header + out->payload;
    return true;
}

/* A driver takes machine code that the device runs, else it compiles PTX.  The simulator runs PTX: if
 * available, the PTX that the machine code came from. */
static enum fatbin_status choose(const unsigned char *image, size_t size, unsigned capability,
                                 struct choice *out, char *reason, size_t reason_size) {
    *out = (struct choice){0};
    if (size < HEADER_SIZE)
        return corrupt(reason, reason_size, "truncated in its header");
    uint64_t header = read32(image + 4) >> 16, body = read64(image + 8);
    if ((read32(image + 4) & 0xffff) != 1 || header != HEADER_SIZE)
        return corrupt(reason, reason_size, "unknown version");
    if (body > size - HEADER_SIZE || body > (uint64_t)INT64_MAX / 2)
        return corrupt(reason, reason_size, "truncated: its header promises more bytes than there are");
    uint64_t at = HEADER_SIZE, end = HEADER_SIZE + body;
    struct entry entry;
    while (at < end) {
        if (!next_entry(image, &at, end, &entry, reason, reason_size))
            return FATBIN_CORRUPT;
        if (entry.kind != KIND_PTX)
            out->others++;
        if (entry.kind == KIND_CODE && architecture_runs_code(entry.made_for, capability) &&
            architecture_comes_first(entry.made_for, out->code.made_for, capability))
            out->code = entry;
    }
    struct architecture wanted = {capability, ARCHITECTURE_SPECIFIC};
    if (out->code.start)
        wanted = compiled_from(&out->code);
    for (at = HEADER_SIZE; at < end && next_entry(image, &at, end, &entry, reason, reason_size);) {
        if (entry.kind != KIND_PTX)
            continue;
        struct entry *rival =
            architecture_takes_ptx(entry.made_for, capability) ? &out->ptx : &out->other_ptx;
        if (architecture_is_nearer(entry.made_for, rival->made_for, wanted))
            *rival = entry;
    }
    return FATBIN_OK;
}

/* newer: if the device runs machine code, PTX that the device would reject stands in for that code. */
static enum fatbin_status find_in_binary(const unsigned char *image, size_t size, unsigned capability,
                                         bool newer, struct fatbin_ptx *out, char *reason,
                                         size_t reason_size) {
    struct choice choice;
    enum fatbin_status status = choose(image, size, capability, &choice, reason, reason_size);
    if (status != FATBIN_OK)
        return status;
    if (choice.ptx.start)
        return extract(&choice.ptx, out, reason, reason_size);
    /* A GPU runs the machine code.  Programs for all devices, and CuPy, come with PTX of only the newest. */
    if (newer && choice.code.start && choice.other_ptx.start &&
        choice.other_ptx.made_for.kind == ARCHITECTURE_PLAIN)
        return extract(&choice.other_ptx, out, reason, reason_size);
    char name[16];
    if (choice.other_ptx.start)
        snprintf(
            reason, reason_size,
            "the fat binary's PTX is for compute_%s, which a device of compute capability %u.%u does not "
            "take: compile with -gencode arch=compute_75,code=compute_75, or choose another device "
            "(WIDELOAD_ARCH)",
            architecture_name(choice.other_ptx.made_for, name), capability / 10, capability % 10);
    else
        snprintf(reason, reason_size,
                 "the fat binary holds %s but no PTX, which the simulator runs: compile with "
                 "-gencode arch=compute_75,code=compute_75",
                 choice.others ? "machine code" : "nothing");
    return FATBIN_NO_PTX;
}

/* Compares byte by byte, so that it never reads past the end of a short text. */
static bool begins_with(const unsigned char *image, size_t size, uint32_t magic) {
    for (size_t i = 0; i < sizeof magic; i++)
        if (i == size || image[i] != (magic >> 8 * i & 0xff))
            return false;
    return true;
}

void fatbin_free_parts(struct fatbin_ptx *parts, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(parts[i].owned);
    free(parts);
}

/* A device-linked program: the PTX of each part.  Some parts, such as NVIDIA's own, are only machine code. */
static enum fatbin_status find_in_linked(const void *const *linked, unsigned capability,
                                         struct fatbin_ptx **parts, size_t *count, char *reason,
                                         size_t reason_size) {
    size_t total = 0;
    while (total < MAX_LINKED && linked[total])
        total++;
    *count = 0;
    *parts = calloc(total + 1, sizeof **parts);
    if (!*parts) {
        snprintf(reason, reason_size, "out of memory for a device-linked program");
        return FATBIN_NO_MEMORY;
    }
    enum fatbin_status status = FATBIN_NO_PTX;
    snprintf(reason, reason_size, "the device-linked program is empty");
    for (size_t i = 0; i < total; i++) {
        enum fatbin_status found = FATBIN_CORRUPT;
        if (begins_with(linked[i], SIZE_MAX, HEADER_MAGIC))
            found = find_in_binary(linked[i], SIZE_MAX, capability, false, &(*parts)[*count], reason,
                                   reason_size);
        else
            corrupt(reason, reason_size, "a device-linked part is no fat binary");
        if (found == FATBIN_OK) {
            ++*count;
            status = FATBIN_OK;
        } else if (found != FATBIN_NO_PTX) {
            status = found;
            break;
        }
    }
    if (status != FATBIN_OK) {
        fatbin_free_parts(*parts, *count);
        *parts = NULL;
        *count = 0;
    }
    return status;
}

/* A wrapper contains addresses, so it means nothing if it comes from a file. */
static bool is_wrapper(const void *image, size_t size, struct wrapper *out) {
    if (size != SIZE_MAX || !begins_with(image, size, WRAPPER_MAGIC))
        return false;
    memcpy(out, image, sizeof *out);
    return true;
}

enum fatbin_status fatbin_find_ptx(const void *image, size_t size, unsigned capability,
                                   struct fatbin_ptx *out, char *reason, size_t reason_size) {
    *out = (struct fatbin_ptx){0};
    snprintf(reason, reason_size, "not a fat binary");
    if (begins_with(image, size, HEADER_MAGIC))
        return find_in_binary(image, size, capability, true, out, reason, reason_size);
    struct wrapper wrapper;
    if (!is_wrapper(image, size, &wrapper))
        return FATBIN_OTHER;
    if (wrapper.version == 2 && wrapper.linked) {
        snprintf(reason, reason_size, "a device-linked program");
        return FATBIN_LINKED;
    }
    if ((wrapper.version != 1 && wrapper.version != 2) || !wrapper.data)
        return corrupt(reason, reason_size, "unknown kind of wrapper");
    if (!begins_with(wrapper.data, SIZE_MAX, HEADER_MAGIC))
        return corrupt(reason, reason_size, "the wrapper points at no fat binary");
    return find_in_binary(wrapper.data, SIZE_MAX, capability, true, out, reason, reason_size);
}

enum fatbin_status fatbin_find_parts(const void *image, size_t size, unsigned capability,
                                     struct fatbin_ptx **parts, size_t *count, char *reason,
                                     size_t reason_size) {
    struct wrapper wrapper;
    *parts = NULL;
    *count = 0;
    if (is_wrapper(image, size, &wrapper) && wrapper.version == 2 && wrapper.linked)
        return find_in_linked(wrapper.linked, capability, parts, count, reason, reason_size);
    struct fatbin_ptx one;
    enum fatbin_status status = fatbin_find_ptx(image, size, capability, &one, reason, reason_size);
    if (status != FATBIN_OK)
        return status;
    *parts = malloc(sizeof **parts);
    if (!*parts) {
        free(one.owned);
        snprintf(reason, reason_size, "out of memory for a fat binary");
        return FATBIN_NO_MEMORY;
    }
    **parts = one;
    *count = 1;
    return FATBIN_OK;
}

static bool find_code_in_binary(const unsigned char *image, size_t size, unsigned capability,
                                struct fatbin_code *out) {
    struct choice choice;
    char reason[256], *owned;
    const char *data;
    if (choose(image, size, capability, &choice, reason, sizeof reason) != FATBIN_OK || !choice.code.start ||
        contents(&choice.code, &data, &out->size, &owned, reason, sizeof reason) != FATBIN_OK)
        return false;
    out->code = data;
    out->owned = owned;
    out->made_for = choice.code.made_for.number;
    return true;
}

bool fatbin_find_code(const void *image, size_t size, unsigned capability, struct fatbin_code *out) {
    struct wrapper wrapper;
    *out = (struct fatbin_code){0};
    if (is_wrapper(image, size, &wrapper)) {
        image = wrapper.data;
        if (!image)
            return false;
    }
    return begins_with(image, size, HEADER_MAGIC) && find_code_in_binary(image, size, capability, out);
}
