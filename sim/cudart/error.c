/* Errors: each thread's last one, their names and texts, and the log. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cuda/record/records.h"
#include "sim/cudart/runtime.h"

static _Thread_local cudaError_t last_error;

/* "Not ready" is an answer, not a failure. */
cudaError_t runtime_result(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    return error;
}

cudaError_t runtime_driver_result(CUresult error) {
    return runtime_result((cudaError_t)error);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    return last_error;
}

struct error {
    int number;
    const char *name, *text;
};

static const struct error errors[] = {
#define RUNTIME_ERROR(number, name, text) {number, #name, text},
#include "sim/cudart/errors.inc"
#undef RUNTIME_ERROR
};

static const char unknown[] = "unrecognized error code";

static const struct error *find(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == (int)error)
            return &errors[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error) {
    const struct error *found = find(error);
    return found ? found->name : unknown;
}

const char *cudaGetErrorString(cudaError_t error) {
    const struct error *found = find(error);
    return found ? found->text : unknown;
}

/* Prints a line with one call of fprintf, so that lines of several threads do not mix. */
static void print(const char *format, va_list arguments) {
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "wideload: %.*s\n", (int)strcspn(text, "\n"), text);
}

void runtime_note(const char *format, ...) {
    const char *setting = getenv("WIDELOAD_LOG");
    if (!setting || !*setting || strcmp(setting, "0") == 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    print(format, arguments);
    va_end(arguments);
}

/* Writes to the records of `wideload prof`, which shows them to the user, as the driver's own errors. */
static bool record(const char *words) {
    if (!records_open() || !records_are_on())
        return false;
    struct profile_text text = {0};
    profile_put(&text, "{\"error\":{\"pid\":");
    profile_put_number(&text, (uint64_t)getpid());
    profile_put(&text, ",\"text\":");
    profile_put_string(&text, words);
    profile_put(&text, "}}");
    bool good = records_append(&text);
    profile_text_free(&text);
    return good;
}

void runtime_complain(const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!record(text))
        fprintf(stderr, "wideload: %.*s\n", (int)strcspn(text, "\n"), text);
}

cudaError_t runtime_unsupported(const char *name) {
    runtime_note("%s is not supported", name);
    return runtime_result(cudaErrorNotSupported);
}
