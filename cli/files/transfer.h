/* Reads and writes boxes of arrays in files. */
#ifndef WIDELOAD_CLI_FILES_TRANSFER_H
#define WIDELOAD_CLI_FILES_TRANSFER_H

#include "cli/files/move.h"

/* Reads a box into memory, packed in the end's order. */
bool files_read_box(const struct files_end *end, const struct files_space *space, const struct files_box *box,
                    unsigned char *memory, struct base_error *error);
/* Writes it from there. */
bool files_write_box(const struct files_end *end, const struct files_space *space,
                     const struct files_box *box, const unsigned char *memory, struct base_error *error);
/* Writes bytes at an offset of the end's file. */
bool files_write_run(const struct files_end *end, const unsigned char *memory, uint64_t offset,
                     uint64_t length, struct base_error *error);

#endif
