/* The report of a fault: the kernel, source line, block and thread, and the operation. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/exec/check/state.h"

/* A template's name may have thousands of characters, and the text after it is more important. */
enum { LONGEST_NAME = 100 };

static void fit_name(const char *name, char out[LONGEST_NAME]) {
    if (strlen(name) < LONGEST_NAME)
        strcpy(out, name);
    else
        snprintf(out, LONGEST_NAME, "%.*s..", LONGEST_NAME - 3, name);
}

static void name_thread(struct sim_fault *fault, const struct sim_warp *w, unsigned lane) {
    const uint32_t *size = w->worker->launch->block;
    uint32_t index = SIM_LANES * w->index + lane;
    memcpy(fault->block, w->block->id, sizeof fault->block);
    fault->thread[0] = index % size[0];
    fault->thread[1] = index / size[0] % size[1];
    fault->thread[2] = index / size[0] / size[1];
}

_Noreturn void sim_fault_raise(struct sim_warp *w, const struct sim_insn *in, unsigned lane,
                               enum sim_fault_kind kind, uint64_t address, const char *format, ...) {
    struct sim_fault *fault = &w->worker->fault;
    *fault = (struct sim_fault){.kind = kind, .address = address};
    name_thread(fault, w, lane);
    struct sim_finding_side at = {0};
    check_name_side(&at, check_code(w), in->index);
    fault->file = at.file;
    fault->line = at.line;
    char what[320];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (w->check)
        sim_check_fault(w, in, lane, kind, address, what);
    char kernel[LONGEST_NAME], function[LONGEST_NAME];
    bool device = check_code(w) != w->worker->code;
    fit_name(w->worker->code->source->name, kernel);
    fit_name(at.function, function);
    snprintf(fault->text, sizeof fault->text,
             "kernel %s, %s%s%s%s%s%u, block (%u,%u,%u), thread (%u,%u,%u): %.250s", kernel,
             device ? "in " : "", device ? function : "", device ? ", " : "",
             fault->file ? fault->file : "PTX line", fault->file ? ":" : " ", fault->line, fault->block[0],
             fault->block[1], fault->block[2], fault->thread[0], fault->thread[1], fault->thread[2], what);
    longjmp(w->worker->stop, 1);
}

_Noreturn void sim_fault_memory(struct sim_warp *w) {
    struct sim_fault *fault = &w->worker->fault;
    *fault = (struct sim_fault){.kind = SIM_FAULT_MEMORY};
    snprintf(fault->text, sizeof fault->text, "kernel %s: the simulator is out of memory",
             w->worker->code->source->name);
    longjmp(w->worker->stop, 1);
}
