#include "sim/cudart/jitlink.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cudart/runtime.h"

/* Defined if the driver is the simulator; otherwise nothing here is used. */
extern const char *wlSimLastError(void) __attribute__((weak));
extern int wlSimLinkCreate(unsigned max_registers, CUlinkState *out) __attribute__((weak));

/* nvJitLink.h's numbers; the header is not always installed. */
enum {
    SUCCESS = 0,
    INVALID_INPUT = 3,
    PTX_COMPILE = 4,
    INTERNAL = 6,
    UNRECOGNIZED_INPUT = 8,
    NULL_INPUT = 10,
    INPUT_CUBIN = 1,
    INPUT_PTX = 2,
    INPUT_LTOIR = 3,
    INPUT_FATBIN = 4,
    INPUT_OBJECT = 5,
    INPUT_LIBRARY = 6,
    INPUT_ANY = 10,
};

enum { LIBRARIES = 4 }; /* copies of nvJitLink in one process: a toolkit's, a Python package's */

const char *const jitlink_names[JITLINK_FUNCTIONS] = {
    "Create",          "Destroy",          "AddData",
    "AddFile",         "Complete",         "GetLinkedCubinSize",
    "GetLinkedCubin",  "GetLinkedPtxSize", "GetLinkedPtx",
    "GetErrorLogSize", "GetErrorLog"};

static struct jitlink_originals libraries[LIBRARIES];
static size_t library_count;

/* Link-time code, kept for a possible second link. */
struct input {
    int type;
    size_t size;
    char *name; /* NULL if it has none */
    struct input *next;
    char data[];
};

/* A link in progress.  As nvJitLink requires, only one thread at a time uses a handle. */
struct link {
    jitlink_handle handle;
    const struct jitlink_originals *library;
    struct link *next;
    CUlinkState
        state;      /* the driver's; NULL: the program wants the library's PTX, so only the library is used */
    bool plain;     /* the driver's linker received an input */
    char **options; /* the library's, for a second link; NULL after the last */
    struct input *link_time, **link_time_end;
    const void *result; /* owned by state; NULL until the link is complete */
    size_t size;
    char error[2048]; /* "": the library's message applies */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct link *links;

static struct link **find_locked(jitlink_handle handle) {
    struct link **at = &links;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

static struct link *find(jitlink_handle handle) {
    pthread_mutex_lock(&lock);
    struct link *link = *find_locked(handle);
    pthread_mutex_unlock(&lock);
    return link;
}

/* ---------------------------------------------------------------- errors */

static jitlink_result fail(struct link *link, jitlink_result result, const char *name, const char *why) {
    if (name)
        snprintf(link->error, sizeof link->error, "%s: %s", name, why);
    else
        snprintf(link->error, sizeof link->error, "%s", why);
    return result;
}

static jitlink_result driver_failure(struct link *link, CUresult error) {
    jitlink_result result = error == CUDA_ERROR_INVALID_PTX         ? PTX_COMPILE
                            : error == CUDA_ERROR_NO_BINARY_FOR_GPU ? INVALID_INPUT
                            : error == CUDA_ERROR_INVALID_IMAGE     ? UNRECOGNIZED_INPUT
                                                                    : INTERNAL;
    return fail(link, result, NULL, wlSimLastError());
}

/* ---------------------------------------------------------------- inputs */

static uint32_t read32(const unsigned char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static bool begins_with(const void *data, size_t size, const char *magic) {
    return size >= strlen(magic) && memcmp(data, magic, strlen(magic)) == 0;
}

static bool is_fatbin(const void *data, size_t size) {
    return begins_with(data, size, "\x50\xed\x55\xba");
}

/* Whether a fat binary contains link-time code but no PTX. */
static bool is_link_time_only(const unsigned char *data, size_t size) {
    enum { HEADER = 16, ENTRY = 64, KIND_PTX = 1, KIND_LINK_TIME = 8 };
    bool found = false;
    for (size_t at = HEADER; at < size && size - at >= ENTRY;) {
        uint64_t payload, header = read32(data + at + 4);
        memcpy(&payload, data + at + 8, sizeof payload);
        unsigned kind = read32(data + at) & 0xffff;
        if (kind == KIND_PTX)
            return false;
        found |= kind == KIND_LINK_TIME;
        if (header < ENTRY || header > size - at || payload > size - at - header)
            break;
        at += (size_t)(header + payload);
    }
    return found;
}

/* Determines the type of an input whose type the program leaves open. */
static int recognise(const void *data, size_t size) {
    if (begins_with(data, size, "\xed\x43\x4e\x7f"))
        return INPUT_LTOIR;
    if (is_fatbin(data, size))
        return INPUT_FATBIN;
    if (begins_with(data, size, "!<arch>\n"))
        return INPUT_LIBRARY;
    const unsigned char *bytes = data;
    enum { MACHINE = 18, MACHINE_CUDA = 190 };
    if (begins_with(data, size, "\177ELF"))
        return size > MACHINE && bytes[MACHINE] == MACHINE_CUDA ? INPUT_CUBIN : INPUT_OBJECT;
    return INPUT_PTX;
}

static CUjitInputType driver_type(int type) {
    switch (type) {
    case INPUT_PTX:
        return CU_JIT_INPUT_PTX;
    case INPUT_CUBIN: /* NVRTC's cubins are PTX */
        return CU_JIT_INPUT_CUBIN;
    case INPUT_OBJECT:
        return CU_JIT_INPUT_OBJECT;
    case INPUT_LIBRARY:
        return CU_JIT_INPUT_LIBRARY;
    default:
        return CU_JIT_INPUT_FATBINARY;
    }
}

static bool keep_input(struct link *link, int type, const void *data, size_t size, const char *name) {
    struct input *input = malloc(sizeof *input + size);
    char *copy = name ? strdup(name) : NULL;
    if (!input || (name && !copy)) {
        free(input);
        free(copy);
        return false;
    }
    *input = (struct input){.type = type, .size = size, .name = copy};
    memcpy(input->data, data, size);
    *link->link_time_end = input;
    link->link_time_end = &input->next;
    return true;
}

static jitlink_result add(struct link *link, int type, const void *data, size_t size, const char *name) {
    if (type == INPUT_ANY)
        type = recognise(data, size);
    bool known = type == INPUT_PTX || type == INPUT_CUBIN || type == INPUT_OBJECT || type == INPUT_LIBRARY ||
                 (type == INPUT_FATBIN && !is_link_time_only(data, size));
    if (!known) {
        jitlink_result result = link->library->add_data(link->handle, type, data, size, name);
        return result || keep_input(link, type, data, size, name) ? result : INTERNAL;
    }
    link->plain = true;
    CUresult error =
        cuLinkAddData(link->state, driver_type(type), (void *)(uintptr_t)data, size, name, 0, NULL, NULL);
    return error ? driver_failure(link, error) : SUCCESS;
}

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    if (length >= 0 && fseek(file, 0, SEEK_SET) == 0)
        data = malloc((size_t)length + 1);
    *size = data ? fread(data, 1, (size_t)length, file) : 0;
    if (file)
        fclose(file);
    if (data && *size == (size_t)length)
        return data;
    free(data);
    return NULL;
}

/* ---------------------------------------------------------------- replacements of the functions */

static bool has(const char *option, uint32_t count, const char *const *options) {
    for (uint32_t i = 0; options && i < count; i++)
        if (options[i] && strcmp(options[i], option) == 0)
            return true;
    return false;
}

/* A number that nvJitLink rejects gives nvJitLink's own error. */
static unsigned max_registers(uint32_t count, const char *const *options) {
    static const char name[] = "-maxrregcount=";
    unsigned registers = 0;
    for (uint32_t i = 0; options && i < count; i++)
        if (options[i] && strncmp(options[i], name, sizeof name - 1) == 0)
            registers = (unsigned)strtoul(options[i] + sizeof name - 1, NULL, 10);
    return registers;
}

/* Stores the options for a second link, which keeps functions that PTX may call.  nvJitLink itself has no
 * option for that, but passes this one to its compiler. */
static bool keep_options(struct link *link, uint32_t count, const char *const *options) {
    link->options = calloc(count + 2, sizeof *link->options);
    bool good = link->options != NULL;
    for (uint32_t i = 0; good && i <= count; i++) {
        link->options[i] = strdup(i < count ? options[i] : "-Xnvvm=--device-c");
        good = link->options[i] != NULL;
    }
    return good;
}

static void free_link(struct link *link) {
    for (char **option = link->options; option && *option; option++)
        free(*option);
    free(link->options);
    while (link->link_time) {
        struct input *input = link->link_time;
        link->link_time = input->next;
        free(input->name);
        free(input);
    }
    if (link->state)
        cuLinkDestroy(link->state);
    free(link);
}

static jitlink_result create(const struct jitlink_originals *library, jitlink_handle *handle, uint32_t count,
                             const char *const *options) {
    bool ours = !has("-ptx", count, options);
    unsigned registers = max_registers(count, options);
    struct link *link = calloc(1, sizeof *link);
    const char **more = malloc((count + 1) * sizeof *more);
    jitlink_result result = INTERNAL;
    if (link && more && (!ours || (!runtime_initialize() && !wlSimLinkCreate(registers, &link->state)))) {
        uint32_t total = count;
        for (uint32_t i = 0; options && i < count; i++)
            more[i] = options[i];
        if (ours && has("-lto", count, options))
            more[total++] = "-ptx";
        result = library->create(handle, total, options ? more : NULL);
        if (!result && total > count && !keep_options(link, total, more)) {
            library->destroy(handle);
            *handle = NULL;
            result = INTERNAL;
        }
    }
    free(more);
    if (result && link && link->state) {
        cuLinkDestroy(link->state);
        link->state = NULL;
    }
    /* A link whose options were rejected also has a handle, for its log. */
    if (!handle || !*handle || !link) {
        if (link)
            free_link(link);
        return result;
    }
    link->link_time_end = &link->link_time;
    link->handle = *handle;
    link->library = library;
    pthread_mutex_lock(&lock);
    link->next = links;
    links = link;
    pthread_mutex_unlock(&lock);
    return result;
}

/* A new handle does not show yet which library it belongs to. */
static jitlink_result create_0(jitlink_handle *handle, uint32_t count, const char *const *options) {
    return create(&libraries[0], handle, count, options);
}

static jitlink_result create_1(jitlink_handle *handle, uint32_t count, const char *const *options) {
    return create(&libraries[1], handle, count, options);
}

static jitlink_result create_2(jitlink_handle *handle, uint32_t count, const char *const *options) {
    return create(&libraries[2], handle, count, options);
}

static jitlink_result create_3(jitlink_handle *handle, uint32_t count, const char *const *options) {
    return create(&libraries[3], handle, count, options);
}

static jitlink_result destroy(jitlink_handle *handle) {
    if (!handle)
        return NULL_INPUT;
    pthread_mutex_lock(&lock);
    struct link **at = find_locked(*handle), *link = *at;
    if (link)
        *at = link->next;
    pthread_mutex_unlock(&lock);
    if (!link)
        return INVALID_INPUT;
    jitlink_result result = link->library->destroy(handle);
    free_link(link);
    return result;
}

static jitlink_result add_data(jitlink_handle handle, int type, const void *data, size_t size,
                               const char *name) {
    struct link *link = find(handle);
    if (!link || !data)
        return link ? NULL_INPUT : INVALID_INPUT;
    return link->state ? add(link, type, data, size, name)
                       : link->library->add_data(handle, type, data, size, name);
}

static jitlink_result add_file(jitlink_handle handle, int type, const char *path) {
    struct link *link = find(handle);
    if (!link || !path)
        return link ? NULL_INPUT : INVALID_INPUT;
    if (!link->state)
        return link->library->add_file(handle, type, path);
    size_t size;
    void *data = read_file(path, &size);
    if (!data)
        return fail(link, INVALID_INPUT, path, "it cannot be read");
    jitlink_result result = add(link, type, data, size, path);
    free(data);
    return result;
}

/* Repeats the library's link, keeping functions that nothing in the link-time code calls.  NULL on failure.
 */
static jitlink_handle link_again(struct link *link) {
    jitlink_handle handle = NULL;
    uint32_t count = 0;
    while (link->options[count])
        count++;
    if (link->library->create(&handle, count, (const char *const *)link->options))
        goto failed;
    for (struct input *input = link->link_time; input; input = input->next)
        if (link->library->add_data(handle, input->type, input->data, input->size, input->name))
            goto failed;
    if (!link->library->complete(handle))
        return handle;
failed:
    if (handle)
        link->library->destroy(&handle);
    return NULL;
}

/* Passes the library's result for link-time code on as an input.  Alone, the code is linked to what its
 * kernels need.  With other PTX, whose calls the library does not see, all its functions are kept. */
static jitlink_result take_optimised(struct link *link) {
    size_t size;
    jitlink_result result = link->library->complete(link->handle);
    jitlink_handle again = !result && link->plain && link->options ? link_again(link) : NULL;
    jitlink_handle handle = again ? again : link->handle;
    char *text = NULL;
    if (!result)
        result = link->library->ptx_size(handle, &size);
    if (!result && !(text = calloc(1, size + 1)))
        result = fail(link, INTERNAL, NULL, "out of memory for PTX");
    if (!result)
        result = link->library->ptx(handle, text);
    if (again)
        link->library->destroy(&again);
    if (!result)
        result = add(link, INPUT_PTX, text, strlen(text) + 1, "lto.ptx");
    free(text);
    return result;
}

static jitlink_result complete(jitlink_handle handle) {
    struct link *link = find(handle);
    if (!link)
        return INVALID_INPUT;
    if (!link->state)
        return link->library->complete(handle);
    if (link->error[0])
        return INTERNAL;
    jitlink_result result = link->link_time ? take_optimised(link) : SUCCESS;
    if (result)
        return result;
    void *cubin;
    CUresult error = cuLinkComplete(link->state, &cubin, &link->size);
    if (error == CUDA_ERROR_INVALID_VALUE)
        return fail(link, INTERNAL, NULL, "nothing was given to link");
    if (error) {
        driver_failure(link, error);
        return INTERNAL;
    }
    link->result = cubin;
    return SUCCESS;
}

static jitlink_result cubin_size(jitlink_handle handle, size_t *size) {
    struct link *link = find(handle);
    if (!link || !size)
        return link ? NULL_INPUT : INVALID_INPUT;
    if (!link->state)
        return link->library->cubin_size(handle, size);
    *size = link->result ? link->size : 0;
    return link->result ? SUCCESS : INTERNAL;
}

static jitlink_result cubin(jitlink_handle handle, void *out) {
    struct link *link = find(handle);
    if (!link || !out)
        return link ? NULL_INPUT : INVALID_INPUT;
    if (!link->state)
        return link->library->cubin(handle, out);
    if (link->result)
        memcpy(out, link->result, link->size);
    return link->result ? SUCCESS : INTERNAL;
}

/* Without the option -ptx there is no PTX to return. */
static jitlink_result ptx_size(jitlink_handle handle, size_t *size) {
    struct link *link = find(handle);
    return link && !link->state ? link->library->ptx_size(handle, size) : INVALID_INPUT;
}

static jitlink_result ptx(jitlink_handle handle, char *out) {
    struct link *link = find(handle);
    return link && !link->state ? link->library->ptx(handle, out) : INVALID_INPUT;
}

static jitlink_result error_size(jitlink_handle handle, size_t *size) {
    struct link *link = find(handle);
    if (!link || !size)
        return link ? NULL_INPUT : INVALID_INPUT;
    if (!link->error[0])
        return link->library->error_size(handle, size);
    *size = strlen(link->error) + 1;
    return SUCCESS;
}

static jitlink_result error_text(jitlink_handle handle, char *out) {
    struct link *link = find(handle);
    if (!link || !out)
        return link ? NULL_INPUT : INVALID_INPUT;
    if (!link->error[0])
        return link->library->error(handle, out);
    memcpy(out, link->error, strlen(link->error) + 1);
    return SUCCESS;
}

/* ---------------------------------------------------------------- the table */

int jitlink_function(const char *name) {
    name += strncmp(name, "__", 2) == 0 ? 2 : 0;
    static const char prefix[] = "nvJitLink";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return -1;
    name += sizeof prefix - 1;
    size_t length = strcspn(name, "_"); /* up to the version */
    for (int i = 0; i < JITLINK_FUNCTIONS; i++)
        if (strlen(jitlink_names[i]) == length && memcmp(jitlink_names[i], name, length) == 0)
            return i;
    return -1;
}

bool jitlink_keep(void *const originals[JITLINK_FUNCTIONS], void *replacements[JITLINK_FUNCTIONS]) {
    static jitlink_result (*const creates[LIBRARIES])(jitlink_handle *, uint32_t, const char *const *) = {
        create_0, create_1, create_2, create_3};
    void *const table[JITLINK_FUNCTIONS] = {NULL,
                                            (void *)destroy,
                                            (void *)add_data,
                                            (void *)add_file,
                                            (void *)complete,
                                            (void *)cubin_size,
                                            (void *)cubin,
                                            (void *)ptx_size,
                                            (void *)ptx,
                                            (void *)error_size,
                                            (void *)error_text};
    size_t index = 0;
    while (index < library_count && memcmp(&libraries[index], originals, sizeof libraries[index]) != 0)
        index++;
    if (index == LIBRARIES)
        return false;
    _Static_assert(sizeof libraries[0] == JITLINK_FUNCTIONS * sizeof(void *), "one pointer each");
    memcpy(&libraries[index], originals, sizeof libraries[index]);
    library_count += index == library_count;
    memcpy(replacements, table, sizeof table);
    replacements[0] = (void *)creates[index];
    return true;
}
