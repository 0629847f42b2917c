/* Moves arrays from files to files, a box at a time: reads it, rearranges its elements in memory on the
 * library's host device, writes it. */
#ifndef WIDELOAD_CLI_FILES_MOVE_H
#define WIDELOAD_CLI_FILES_MOVE_H

#include "cli/files/plan.h"

/* A file that is open, and where it holds the elements. */
struct files_end {
    int file;         /* -1: none; what would be written is only used by the addition */
    const char *name; /* in messages */
    struct files_view view;
};

/* Bytes of each element that are moved: `bytes` from from_offset in an element of ends[from] to to_offset in
 * one of ends[to]. */
struct files_piece {
    unsigned from, to;
    uint64_t from_offset, to_offset, bytes;
};

struct files_job {
    struct files_space space;
    struct files_end *ends; /* those that are read, then those that are written */
    size_t from_count, to_count;
    struct files_piece *pieces; /* each byte that is written is in one */
    size_t piece_count;
    /* After the pieces, what the first written end gets is the sum of it and the second one. */
    bool adds;
    wl_type type;
    unsigned parts;  /* numbers of the type per element */
    uint64_t memory; /* how many bytes to take for boxes, if that is enough for an element */
    /* Called after each box with what has been written so far. */
    void (*progress)(void *argument, uint64_t bytes, uint64_t total);
    void *argument;
};

/* Does the job; changes its space and views to what they are merged to.  The files must not overlap. Messages
 * name the file that could not be read or written. */
bool files_move(struct files_job *job, struct base_error *error);

#endif
