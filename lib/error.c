#include "lib/error.h"

#include <stdarg.h>
#include <stdio.h>

/* Long enough for a driver's sentence and the simulator's line on a fault (512 bytes) after it. */
static _Thread_local char last_message[1536];

wl_error wl__fail(wl_error error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_message, sizeof(last_message), format, arguments);
    va_end(arguments);
    return error;
}

const char *wl_message(void) {
    return last_message;
}

const char *wl_error_name(wl_error error) {
    switch ((int)error) {
#define WL_ERROR_NAME(name, code, text)                                                                      \
    case code:                                                                                               \
        return "WL_ERROR_" #name;
        WL_ERROR_MAP(WL_ERROR_NAME)
#undef WL_ERROR_NAME
    }
    return "WL_ERROR_UNKNOWN";
}

const char *wl_error_text(wl_error error) {
    switch ((int)error) {
#define WL_ERROR_TEXT(name, code, text)                                                                      \
    case code:                                                                                               \
        return text;
        WL_ERROR_MAP(WL_ERROR_TEXT)
#undef WL_ERROR_TEXT
    }
    return "unknown error";
}

const char *wl_version(void) {
    return WL_VERSION_STRING;
}
