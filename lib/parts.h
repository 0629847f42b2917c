/* The places of the other parts of Wideload. */
#ifndef WIDELOAD_LIB_PARTS_H
#define WIDELOAD_LIB_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* Folders that may hold the simulator and other files installed next to the shared library, each with its
 * last slash.  Gives the i-th; false past the last, or if it is unknown.  They are: the folder of the file
 * that this code was loaded from; and if that is a program, the library folders of a build and of an
 * installation, relative to the program's. */
bool wl__parts_folder(unsigned i, char *folder, size_t size);

#endif
