// The public header in C++: declarations that C++ takes, C linkage, and calls with the conversions that C++ has.
#include "wideload.h"

#include <cstddef>
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <type_traits>

struct particle {
    float position[3];
    double mass;
    int32_t id;
};

static_assert(std::is_same<wl_devptr, uint64_t>::value, "a device address is a number");
static_assert(std::is_same<decltype(&wl_copy), wl_error (*)(wl_context *, wl_devptr, wl_devptr, std::size_t,
                                                            wl_stream)>::value,
              "wl_copy is what the header says");
static_assert(sizeof(wl_counters) % sizeof(uint64_t) == 0, "counters are numbers");

static int failures;

static void need(wl_error error, const char *call) {
    if (error == WL_ERROR_OK)
        return;
    std::printf("%s: %s: %s\n", call, wl_error_name(error), wl_message());
    failures++;
}

int main() {
    const wl_field fields[] = {{offsetof(particle, position), 12}, {offsetof(particle, mass), 8}};
    const wl_transpose_layout layout{};
    wl_context *context = nullptr;
    wl_devptr memory = 0;
    unsigned char got[64];
    (void)fields, (void)layout;
    need(wl_open(&context, "sim"), "wl_open");
    if (!context)
        return 1;
    need(wl_alloc(context, &memory, 64), "wl_alloc");
    need(wl_fill(context, memory, 0x42, 32, nullptr), "wl_fill");
    need(wl_copy(context, memory + 32, memory, 32, nullptr), "wl_copy");
    need(wl_synchronize(context), "wl_synchronize");
    need(wl_download(context, got, memory, 64), "wl_download");
    for (unsigned char byte : got)
        failures += byte != 0x42;
    failures += wl_copy(context, memory, 0, 1, nullptr) != WL_ERROR_INVALID_ARGUMENT;
    failures += std::strstr(wl_message(), "from is NULL") == nullptr;
    failures += std::strcmp(wl_version(), WL_VERSION_STRING) != 0;
    need(wl_free(context, memory), "wl_free");
    wl_close(context);
    return failures != 0;
}
