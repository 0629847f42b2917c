/* An external program: copies bytes between odd addresses on the simulator, using only the public header. */
#include <stdio.h>
#include <string.h>
#include <wideload.h>

enum { BYTES = 4096, FROM = 3, TO = 5, COUNT = 1021 };

static int check(wl_error error, const char *what) {
    if (error == WL_ERROR_OK)
        return 0;
    fprintf(stderr, "%s: %s: %s\n", what, wl_error_name(error), wl_message());
    return 1;
}

static int copy(wl_context *context, wl_devptr from, wl_devptr to) {
    unsigned char source[BYTES], result[BYTES], expected[BYTES];
    for (int i = 0; i < BYTES; i++)
        source[i] = (unsigned char)(i * 167 + i / 256);
    memset(expected, 0xa5, sizeof expected);
    memcpy(expected + TO, source + FROM, COUNT);

    if (check(wl_upload(context, from, source, BYTES), "wl_upload") ||
        check(wl_fill(context, to, 0xa5, BYTES, NULL), "wl_fill") ||
        check(wl_copy(context, to + TO, from + FROM, COUNT, NULL), "wl_copy") ||
        check(wl_synchronize(context), "wl_synchronize") ||
        check(wl_download(context, result, to, BYTES), "wl_download"))
        return 1;
    for (int i = 0; i < BYTES; i++)
        if (result[i] != expected[i]) {
            fprintf(stderr, "byte %d is %#x, expected %#x\n", i, result[i], expected[i]);
            return 1;
        }
    return 0;
}

int main(void) {
    wl_context *context = NULL;
    if (strcmp(wl_version(), WL_VERSION_STRING) != 0) {
        fprintf(stderr, "library %s, header %s\n", wl_version(), WL_VERSION_STRING);
        return 1;
    }
    if (check(wl_open(&context, "sim"), "wl_open"))
        return 1;

    wl_devptr from = 0, to = 0;
    int failed = check(wl_alloc(context, &from, BYTES), "wl_alloc") ||
                 check(wl_alloc(context, &to, BYTES), "wl_alloc") || copy(context, from, to);

    wl_counters counters;
    if (!failed)
        failed = check(wl_get_counters(context, &counters), "wl_get_counters");
    if (!failed && counters.launches == 0) {
        fprintf(stderr, "the copy launched no kernel\n");
        failed = 1;
    }
    if (from && check(wl_free(context, from), "wl_free"))
        failed = 1;
    if (to && check(wl_free(context, to), "wl_free"))
        failed = 1;
    wl_close(context);
    if (!failed)
        printf("wideload %s: %d bytes copied\n", wl_version(), COUNT);
    return failed;
}
