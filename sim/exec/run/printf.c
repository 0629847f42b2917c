/* printf in kernels: formats at once, stores the text, and prints it when the launch has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/handlers.h"
#include "sim/exec/run/call.h"

/* ---------------------------------------------------------------- stored prints */

struct sim_print {
    struct sim_print *next;
    uint64_t block, order; /* among its worker's prints */
    size_t size, cost;
    bool error;
    char text[];
};

static void drop_first(struct sim_prints *prints) {
    struct sim_print *first = prints->first;
    prints->first = first->next;
    if (!prints->first)
        prints->last = NULL;
    prints->cost -= first->cost;
    prints->count--;
    free(first);
}

void sim_prints_free(struct sim_prints *prints) {
    while (prints->first)
        drop_first(prints);
    free(prints->scratch[0]);
    free(prints->scratch[1]);
}

void sim_print(struct sim_warp *w, bool error, const char *text, size_t size, size_t cost) {
    struct sim_prints *prints = &w->worker->prints;
    if (!w->worker->launch->print)
        return;
    struct sim_print *print = malloc(sizeof *print + size);
    if (!print)
        sim_fault_memory(w);
    *print = (struct sim_print){.block = w->block->linear,
                                .order = prints->last ? prints->last->order + 1 : 0,
                                .size = size,
                                .cost = cost,
                                .error = error};
    memcpy(print->text, text, size);
    if (prints->last)
        prints->last->next = print;
    else
        prints->first = print;
    prints->last = print;
    prints->count++;
    prints->cost += cost;
    /* Discards what cannot fit in the buffer, even without the other workers' prints. */
    while (prints->cost > w->worker->launch->print_bytes && prints->first != print)
        drop_first(prints);
}

static int compare(const void *x, const void *y) {
    const struct sim_print *a = *(struct sim_print *const *)x, *b = *(struct sim_print *const *)y;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void sim_prints_deliver(struct sim_worker *const *workers, unsigned count, uint64_t last_block) {
    const struct sim_launch *launch = workers[0]->launch;
    size_t total = 0, cost = 0, n = 0;
    for (unsigned i = 0; i < count; i++)
        total += workers[i]->prints.count;
    if (!total)
        return;
    struct sim_print **all = malloc(total * sizeof *all);
    if (!all)
        return; /* the launch itself succeeded; its output is lost, as if the buffer had been full */
    for (unsigned i = 0; i < count; i++)
        for (struct sim_print *p = workers[i]->prints.first; p; p = p->next)
            if (p->block <= last_block) {
                all[n++] = p;
                cost += p->cost;
            }
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; i < n; i++) {
        if (cost > launch->print_bytes && !all[i]->error)
            cost -= all[i]->cost;
        else
            launch->print(launch->print_argument, all[i]->error, all[i]->text, all[i]->size);
    }
    free(all);
}

/* ---------------------------------------------------------------- formatting */

enum {
    MAX_FIELD = 4096, /* larger widths and precisions are clamped to this */
    RECORD = 16,      /* bytes of the buffer per printf, besides arguments and strings */
};

struct printer {
    struct sim_warp *w;
    const struct sim_insn *in;
    unsigned lane;
    uint64_t arguments; /* address of the packed arguments */
    size_t offset;      /* of the next one */
    unsigned taken;     /* arguments consumed */
    unsigned which;     /* the worker's scratch buffer in use: 0 while reading the format, 1 for the text */
    char *text;         /* that buffer */
    size_t size;
    size_t cost;
};

static void reserve(struct printer *p, size_t more) {
    struct sim_prints *prints = &p->w->worker->prints;
    if (p->size + more > prints->capacity[p->which]) {
        size_t capacity = 2 * prints->capacity[p->which] + more + 256;
        char *grown = realloc(prints->scratch[p->which], capacity);
        if (!grown)
            sim_fault_memory(p->w);
        prints->scratch[p->which] = grown;
        prints->capacity[p->which] = capacity;
    }
    p->text = prints->scratch[p->which];
}

static void put(struct printer *p, const char *text, size_t size) {
    if (!size)
        return;
    reserve(p, size);
    memcpy(p->text + p->size, text, size);
    p->size += size;
}

static void bad_pointer(struct printer *p, const char *what, uint64_t address) {
    sim_fault_raise(p->w, p->in, p->lane, SIM_FAULT_ADDRESS, address,
                    "printf: the %s at 0x%llx is out of bounds", what, (unsigned long long)address);
}

/* Arguments are aligned to their size. */
static uint64_t next_argument(struct printer *p, size_t size) {
    uint64_t value = 0;
    p->offset = (p->offset + size - 1) / size * size;
    if (!sim_generic_read(p->w, p->lane, p->arguments + p->offset, &value, size))
        bad_pointer(p, "argument", p->arguments + p->offset);
    p->offset += size;
    p->taken++;
    return value;
}

/* Appends up to limit bytes of a device string and NUL-terminates the text. */
static void put_device_string(struct printer *p, const char *what, uint64_t address, size_t limit) {
    for (size_t n = 0, step = 64; n < limit;) {
        /* Reads many bytes at once, except near the end of accessible memory. */
        reserve(p, step + 1);
        char *to = &p->text[p->size];
        if (step > limit - n)
            step = limit - n;
        if (!sim_generic_read(p->w, p->lane, address + n, to, step)) {
            if (step == 1)
                bad_pointer(p, what, address + n);
            step = 1;
            continue;
        }
        size_t length = strnlen(to, step);
        p->size += length;
        n += length;
        if (length < step)
            break;
    }
    reserve(p, 1);
    p->text[p->size] = 0;
}

struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    bool wide;            /* l, ll, z, j, t: 64 bits */
    char narrow;          /* 'h', or 'H' for hh */
    char type;
};

static int field(struct printer *p, const char **at, bool *left) {
    if (**at == '*') {
        ++*at;
        int value = (int)(uint32_t)next_argument(p, 4);
        *left = value < 0;
        if (value < 0)
            value = value < -MAX_FIELD ? MAX_FIELD : -value;
        return value < MAX_FIELD ? value : MAX_FIELD;
    }
    int value = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        value = value < MAX_FIELD ? 10 * value + **at - '0' : value;
    return value < MAX_FIELD ? value : MAX_FIELD;
}

/* *at is after the '%'.  False if kernels do not have this conversion. */
static bool parse(struct printer *p, const char **at, struct conversion *c) {
    *c = (struct conversion){.width = -1, .precision = -1};
    size_t flags = 0;
    bool left = false;
    for (; **at && strchr("-+ #0", **at); ++*at)
        if (!strchr(c->flags, **at)) /* each flag once: at most five */
            c->flags[flags++] = **at;
    if (**at == '*' || (**at >= '1' && **at <= '9'))
        c->width = field(p, at, &left);
    if (left && !strchr(c->flags, '-'))
        c->flags[flags++] = '-';
    if (**at == '.') {
        ++*at;
        c->precision = field(p, at, &left);
        if (left)
            c->precision = -1;
    }
    for (; **at && strchr("hlLqjzt", **at); ++*at) {
        if (**at == 'h')
            c->narrow = c->narrow ? 'H' : 'h';
        else
            c->wide |= **at != 'L';
    }
    c->type = **at;
    if (!c->type || !strchr("cdiouxXpeEfFgGaAsn", c->type))
        return false;
    ++*at;
    return true;
}

/* Builds "%-+8.3" and the suffix, for the C library. */
static void build(const struct conversion *c, const char *suffix, char *format, size_t size) {
    char width[16] = "", precision[16] = "";
    if (c->width >= 0)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(format, size, "%%%s%s%s%s", c->flags, width, precision, suffix);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void put_number(struct printer *p, const struct conversion *c) {
    char format[64], suffix[4] = {'l', 'l', c->type, 0};
    /* The longest text is a double's in %f: 309 digits and the precision. */
    const size_t room = 2 * MAX_FIELD + 400;
    uint64_t bits = next_argument(p, strchr("eEfFgGaA", c->type) || c->type == 'p' || c->wide ? 8 : 4);
    reserve(p, room);
    char *at = p->text + p->size;
    int n;
    if (strchr("eEfFgGaA", c->type)) {
        double value;
        memcpy(&value, &bits, sizeof value);
        build(c, suffix + 2, format, sizeof format);
        n = snprintf(at, room, format, value);
    } else if (c->type == 'p') {
        build(c, "p", format, sizeof format);
        n = snprintf(at, room, format, (void *)(uintptr_t)bits);
    } else if (c->type == 'c') {
        build(c, "c", format, sizeof format);
        n = snprintf(at, room, format, (int)bits);
    } else {
        bool is_signed = c->type == 'd' || c->type == 'i';
        if (!c->wide && c->narrow == 'h')
            bits = is_signed ? (uint64_t)(int64_t)(int16_t)bits : (uint16_t)bits;
        else if (!c->wide && c->narrow == 'H')
            bits = is_signed ? (uint64_t)(int64_t)(int8_t)bits : (uint8_t)bits;
        else if (!c->wide && is_signed)
            bits = (uint64_t)(int64_t)(int32_t)bits;
        build(c, suffix, format, sizeof format);
        n = snprintf(at, room, format, (unsigned long long)bits);
    }
    p->size += n > 0 ? (size_t)n : 0;
}

#pragma GCC diagnostic pop

static void pad(struct printer *p, size_t count) {
    reserve(p, count);
    memset(p->text + p->size, ' ', count);
    p->size += count;
}

static void put_string(struct printer *p, const struct conversion *c) {
    uint64_t address = next_argument(p, 8);
    size_t start = p->size, limit = c->precision >= 0 ? (size_t)c->precision : SIZE_MAX;
    if (address)
        put_device_string(p, "string", address, limit);
    else
        put(p, "(null)", limit < 6 ? 0 : 6);
    size_t length = p->size - start, width = c->width > 0 ? (size_t)c->width : 0;
    p->cost += length;
    if (length >= width)
        return;
    pad(p, width - length);
    if (!strchr(c->flags, '-')) {
        memmove(p->text + start + width - length, p->text + start, length);
        memset(p->text + start, ' ', width - length);
    }
}

static void format_all(struct printer *p, const char *format) {
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        put(p, at, plain);
        at += plain;
        if (!*at)
            return;
        const char *start = at++;
        struct conversion c;
        if (*at == '%') {
            put(p, at++, 1);
        } else if (!parse(p, &at, &c)) {
            put(p, start, (size_t)(at - start)); /* unchanged */
        } else if (c.type == 's') {
            put_string(p, &c);
        } else if (c.type == 'n') {
            (void)next_argument(p, 8); /* kernels do not support %n: nothing is written */
        } else {
            put_number(p, &c);
        }
    }
}

static int print_lane(struct sim_warp *w, const struct sim_insn *in, unsigned lane, uint64_t address,
                      uint64_t arguments) {
    if (!address)
        return -1;
    struct printer p = {.w = w, .in = in, .lane = lane};
    put_device_string(&p, "format", address, SIZE_MAX);
    p = (struct printer){.w = w, .in = in, .lane = lane, .arguments = arguments, .which = 1};
    format_all(&p, w->worker->prints.scratch[0]);
    if (p.size)
        sim_print(w, false, p.text, p.size, RECORD + p.offset + p.cost);
    return (int)p.taken;
}

/* vprintf(format, packed arguments): returns the number of arguments. */
const struct sim_insn *sim_run_printf(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_call *call = in->extra;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        int taken =
            print_lane(w, in, lane, sim_call_argument(w, call, 0, lane), sim_call_argument(w, call, 1, lane));
        sim_call_return(w, call, lane, (uint32_t)taken);
    }
    return in + 1;
}
