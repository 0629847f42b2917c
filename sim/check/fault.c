/* What a faulting thread is told of: its kernel, source line, block and thread, and what it did. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/check/hooks.h"
#include "sim/exec/worker.h"

/* A template's name may be thousands of characters, and what follows it matters more. */
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

/* The source line if the module has one, else the line of the PTX text. */
static const struct ptx_function *name_line(struct sim_fault *fault, const struct sim_warp *w,
                                            const struct sim_insn *in) {
    const struct sim_code *code = w->strand ? w->strand->frame->code : w->worker->code;
    const struct ptx_function *f = code->source;
    if (in->index >= f->instruction_count)
        return f;
    const struct ptx_instruction *ptx = &f->instructions[in->index];
    const struct ptx_module *m = code->module->ptx;
    if (ptx->source.file && ptx->source.file <= m->file_count && ptx->source.line) {
        fault->file = m->files[ptx->source.file - 1];
        fault->line = ptx->source.line;
    } else {
        fault->line = ptx->pos.line;
    }
    return f;
}

_Noreturn void sim_fault_raise(struct sim_warp *w, const struct sim_insn *in, unsigned lane,
                               enum sim_fault_kind kind, uint64_t address, const char *format, ...) {
    struct sim_fault *fault = &w->worker->fault;
    *fault = (struct sim_fault){.kind = kind, .address = address};
    name_thread(fault, w, lane);
    const struct ptx_function *f = name_line(fault, w, in);
    char what[320];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (w->check)
        sim_check_fault(w, in, lane, kind, address, what);
    char kernel[LONGEST_NAME], function[LONGEST_NAME];
    bool device = f != w->worker->code->source;
    fit_name(w->worker->code->source->name, kernel);
    fit_name(f->name, function);
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
