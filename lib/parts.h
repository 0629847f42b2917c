/* Where the rest of Wideload lies. */
#ifndef WIDELOAD_LIB_PARTS_H
#define WIDELOAD_LIB_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* Folders that may hold the simulator and what else stands beside the shared library; each with its last
 * slash.  The i-th of them, false past the last or when it is unknown.  They are: the folder of the file that
 * this code was loaded from; and where that is a program, the folders of libraries of a build and of an
 * installation, as they lie from the program's. */
bool wl__parts_folder(unsigned i, char *folder, size_t size);

#endif
