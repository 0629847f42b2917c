#include "prof/records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cuda/record/records.h"

static bool refuse(struct base_error *error, const char *folder, int reason) {
    return base_failure(error, "no place for the records: %.400s: %s; set TMPDIR to another folder", folder,
                        strerror(reason));
}

/* Writes the whole account, so that its pages exist even if the disk becomes full. */
static bool put_account(FILE *file) {
    static const struct records_account account = {.magic = RECORDS_MAGIC};
    return fwrite(&account, sizeof account, 1, file) == 1 && fflush(file) == 0;
}

bool prof_records_create(struct prof_records *out, struct base_error *error) {
    *out = (struct prof_records){.file = NULL};
    const char *folder = getenv("TMPDIR");
    char full[PATH_MAX];
    if (!folder || !*folder)
        folder = "/tmp";
    if (!realpath(folder, full))
        return refuse(error, folder, errno);
    if (snprintf(out->path, sizeof out->path, "%s/wideload-prof-XXXXXX", full) >= (int)sizeof out->path) {
        out->path[0] = 0;
        return refuse(error, full, ENAMETOOLONG);
    }
    int file = mkostemp(out->path, O_CLOEXEC);
    if (file < 0) {
        out->path[0] = 0;
        return refuse(error, full, errno);
    }
    out->file = fdopen(file, "w+");
    if (out->file && put_account(out->file))
        return true;
    int reason = errno;
    if (!out->file)
        close(file);
    prof_records_close(out);
    return refuse(error, full, reason);
}

bool prof_records_open(struct prof_records *out, const char *path, struct base_error *error) {
    *out = (struct prof_records){.file = fopen(path, "re")};
    return out->file || base_failure(error, "--read: %.400s: %s", path, strerror(errno));
}

void prof_records_close(struct prof_records *records) {
    if (records->file)
        fclose(records->file);
    if (records->path[0])
        unlink(records->path);
    *records = (struct prof_records){.file = NULL};
}
