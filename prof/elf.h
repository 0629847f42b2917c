/* Reads as much of an executable file as is needed to say why it cannot run, or ran no kernel. */
#ifndef WIDELOAD_PROF_ELF_H
#define WIDELOAD_PROF_ELF_H

#include "prof/program.h"

enum prof_elf {
    PROF_ELF_GOOD,
    PROF_ELF_32_BITS,
    PROF_ELF_OTHER_MACHINE,
    PROF_ELF_NO_PROGRAM, /* neither ELF nor a script */
    PROF_ELF_UNREADABLE,
};

/* Fills all but the path.  A damaged file is not an error here: the operating system refuses to run it. */
enum prof_elf prof_elf_read(struct prof_program *program);

#endif
