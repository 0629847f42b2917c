/* What an executable file is: enough to say why a program cannot be run, or ran no kernel. */
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

/* Fills all but the path.  A damaged file is read as far as it makes sense: the kernel refuses it. */
enum prof_elf prof_elf_read(struct prof_program *program);

#endif
