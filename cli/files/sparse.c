#include "base/place.h"
#include "cli/files/operations.h"
#include "cli/files/session.h"
#include "cli/unfinished.h"
#include "matrix/matrix.h"

static void show(void *argument, const char *what, uint64_t done, uint64_t total) {
    struct cli_progress *progress = argument;
    double seconds;
    if (cli_progress_due(progress, &seconds))
        cli_progress_show(progress, "sparse-transpose: %s, %.0f %%", what,
                          total ? 100 * (double)done / (double)total : 100.0);
}

static bool read_transposed(const char *path, struct matrix *transposed, const struct matrix_watch *watch,
                            struct base_error *error) {
    struct matrix matrix;
    if (!matrix_read(&matrix, path, watch, error))
        return false;
    show(watch->argument, "transposes", 0, matrix.entries);
    struct base_error reason;
    const bool good = matrix_transpose(transposed, &matrix, &reason) ||
                      base_failure(error, "%.400s: its transpose: %s", path, reason.text);
    matrix_free(&matrix);
    return good;
}

static bool transpose(const char *from, const char *to, struct files_output *output,
                      const struct matrix_watch *watch, struct base_error *error) {
    struct matrix transposed;
    if (!read_transposed(from, &transposed, watch, error))
        return false;
    const bool good = matrix_write(&transposed, output->output.file, to, watch, error) &&
                      files_outputs_commit(output, 1, error);
    matrix_free(&transposed);
    return good;
}

static bool check_places(const char *from, const char *to, struct base_error *error) {
    const struct base_place places[] = {{.name = "the input", .path = from, .read = true},
                                        {.name = "the output", .path = to}};
    enum matrix_format format;
    return matrix_format_of(&format, from, error) && matrix_format_of(&format, to, error) &&
           files_output_check(to, error) && base_places_check(places, 2, error);
}

bool files_sparse_transpose(const char *from, const char *to, struct base_error *error) {
    struct cli_progress progress;
    struct files_output output;
    const struct matrix_watch watch = {show, &progress};
    if (!check_places(from, to, error))
        return false;
    cli_guard_unfinished();
    if (!base_output_open(&output.output, "the output", to, error))
        return false;
    cli_note_unfinished(0, &output.output.temporary);
    cli_progress_open(&progress);
    const bool good = transpose(from, to, &output, &watch, error);
    cli_progress_clear(&progress);
    base_output_close(&output.output);
    cli_note_unfinished(0, NULL);
    return good;
}
