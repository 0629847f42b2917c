/* The driver's last error, and its log. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/cuda/driver.h"
#include "sim/cuda/record/profile.h"
#include "sim/cuda/record/records.h"

enum { TEXT_SIZE = 2048 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last_error[TEXT_SIZE];

/* Prints with one call of fprintf, so that lines of several threads do not mix. */
static void print_first_line(const char *text) {
    if (driver.log)
        fprintf(stderr, "wideload-sim: %.*s\n", (int)strcspn(text, "\n"), text);
}

void log_error(const char *format, ...) {
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    memcpy(last_error, text, strlen(text) + 1);
    pthread_mutex_unlock(&lock);
    print_first_line(text);
    profile_message("error", text);
}

void log_note(const char *format, ...) {
    if (!driver.log && !records_are_on())
        return;
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_first_line(text);
    profile_message("note", text);
}

const char *log_last_error(void) {
    static _Thread_local char copy[TEXT_SIZE];
    pthread_mutex_lock(&lock);
    memcpy(copy, last_error, strlen(last_error) + 1);
    pthread_mutex_unlock(&lock);
    return copy;
}
