#include "lib/arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/error.h"

wl_error wl__check_context(const char *call, const wl_context *context) {
    return context ? WL_ERROR_OK : wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: the context is NULL", call);
}

wl_error wl__check_width(const char *call, unsigned width) {
    if (width && width <= 16 && (width & (width - 1)) == 0)
        return WL_ERROR_OK;
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: width is %u bytes: it must be 1, 2, 4, 8 or 16", call,
                    width);
}

/* Whether this process can read the byte at an address.  The kernel checks, so nothing faults; if it cannot
 * be asked, the answer is yes. */
static bool host_can_read(wl_devptr address) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return true;
    /* Not write(), in which sanitizers look at the address themselves. */
    bool fault = syscall(SYS_write, ends[1], (uintptr_t)address, (size_t)1) < 0 && errno == EFAULT;
    close(ends[0]);
    close(ends[1]);
    return !fault;
}

/* Takes about 50 ns per question on an H200; a launch takes 3,300.  Nothing is cached between calls: the
 * driver gives addresses of freed memory back to the system, which may place pageable memory there. */
static wl_error check_reachable(const char *call, struct wl__reach *reach, const struct wl__array *array) {
    const uint64_t page = array->address / WL__PAGE_BYTES;
    if ((page && page == reach->page) || reach->context->host)
        return WL_ERROR_OK;
    const struct wl__driver *driver = &reach->context->driver;
    unsigned type = 0, managed = 0;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *answers[] = {&type, &managed};
    CUresult result = driver->cuPointerGetAttributes(2, attributes, answers, array->address);
    if (result)
        return wl__driver_check(driver, result, "cuPointerGetAttributes");
    if (type == CU_MEMORYTYPE_DEVICE && !managed)
        reach->page = page;
    if (type)
        return WL_ERROR_OK;
    /* NVIDIA's driver does not know the memory of a graph's allocation nodes while the graph is recorded,
     * though its address is fixed by then.  No host memory lies there. */
    if (!host_can_read(array->address))
        return WL_ERROR_OK;
    return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                    "%s: %s is 0x%llx, which is pageable host memory: the device reaches device, managed and "
                    "pinned memory only",
                    call, array->name, (unsigned long long)array->address);
}

wl_error wl__check_any_array(const char *call, struct wl__reach *reach, const struct wl__array *array,
                             unsigned alignment) {
    unsigned long long address = array->address;
    if (array->bytes == 0)
        return WL_ERROR_OK;
    if (!address)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call, array->name);
    if (address & (alignment - 1))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                        "%s: %s is 0x%llx, which is not a multiple of the element size, %u bytes", call,
                        array->name, address, alignment);
    /* Addresses are in effect 64-bit signed. */
    if (array->bytes > INT64_MAX || array->bytes - 1 > UINT64_MAX - address)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s goes past the end of the address space", call,
                        array->name);
    return check_reachable(call, reach, array);
}

wl_error wl__fail_overlap(const char *call, const struct wl__array *a, const struct wl__array *b) {
    return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                    "%s: %s and %s overlap: %llu bytes at 0x%llx and %llu bytes at 0x%llx", call, a->name,
                    b->name, (unsigned long long)a->bytes, (unsigned long long)a->address,
                    (unsigned long long)b->bytes, (unsigned long long)b->address);
}
