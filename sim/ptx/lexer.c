#include "sim/ptx/lexer.h"

#include "sim/ptx/parser.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_TOKEN 48 /* bytes of a token that a message quotes */

enum {
    FIRST = 1,  /* begins a name */
    FOLLOW = 2, /* continues one */
    BLANK = 4,
    MARK = 8,
};

static const unsigned char classes[256] = {
    ['a' ... 'z'] = FIRST | FOLLOW,
    ['A' ... 'Z'] = FIRST | FOLLOW,
    ['_'] = FIRST | FOLLOW,
    ['$'] = FIRST | FOLLOW,
    ['0' ... '9'] = FOLLOW,
    [' '] = BLANK,
    ['\t' ... '\r'] = BLANK,
    ['{'] = MARK,
    ['}'] = MARK,
    ['['] = MARK,
    [']'] = MARK,
    ['('] = MARK,
    [')'] = MARK,
    ['<'] = MARK,
    ['>'] = MARK,
    [','] = MARK,
    [';'] = MARK,
    [':'] = MARK,
    ['+'] = MARK,
    ['-'] = MARK,
    ['*'] = MARK,
    ['/'] = MARK,
    ['%'] = MARK,
    ['&'] = MARK,
    ['|'] = MARK,
    ['^'] = MARK,
    ['~'] = MARK,
    ['!'] = MARK,
    ['@'] = MARK,
    ['='] = MARK,
};

static bool is(char c, int class) {
    return (classes[(unsigned char)c] & class) != 0;
}

static struct ptx_pos position(const struct ptx_parser *p, const char *at) {
    return (struct ptx_pos){p->line, (uint32_t)(at - p->line_start) + 1};
}

/* blank = { space | "//" ... newline | "/" "*" ... "*" "/" } */
static bool skip_blanks(struct ptx_parser *p) {
    const char *at = p->cursor;
    for (;;) {
        if (*at == '\n') {
            p->line++;
            p->line_start = ++at;
        } else if (is(*at, BLANK)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            while (*at != '\n' && *at != '\0')
                at++;
        } else if (at[0] == '/' && at[1] == '*') {
            struct ptx_pos opened = position(p, at);
            for (at += 2; !(at[0] == '*' && at[1] == '/'); at++) {
                if (*at == '\0')
                    return ptx_error_set(p->error, p->module, opened, "this comment is never closed");
                if (*at == '\n') {
                    p->line++;
                    p->line_start = at + 1;
                }
            }
            at += 2;
        } else {
            break;
        }
    }
    p->cursor = at;
    return true;
}

/* Both stop at the text's final NUL, which belongs to no class. */
static const char *name_end(const char *at) {
    while (is(*at, FOLLOW))
        at++;
    return at;
}

/* words = { "." follow { follow | "::" follow } } */
static const char *words_end(const char *at) {
    while (at[0] == '.' && is(at[1], FOLLOW)) {
        at = name_end(at + 1);
        while (at[0] == ':' && at[1] == ':' && is(at[2], FOLLOW))
            at = name_end(at + 2);
    }
    return at;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static bool malformed(struct ptx_parser *p, const char *end) {
    size_t length = (size_t)(end - p->token.start);
    return ptx_error_set(p->error, p->module, p->token.pos, "malformed number '%.*s'%s",
                         (int)(length < SHOWN_TOKEN ? length : SHOWN_TOKEN), p->token.start,
                         length < SHOWN_TOKEN ? "" : "...");
}

/* Reads digits of the base up to end. */
static bool digits(struct ptx_parser *p, const char *at, const char *end, unsigned base) {
    uint64_t value = 0;
    if (at == end)
        return malformed(p, end);
    for (; at < end; at++) {
        unsigned digit = (unsigned)digit_value(*at);
        if (digit >= base)
            return malformed(p, end);
        if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
            return ptx_error_set(p->error, p->module, p->token.pos, "the number does not fit in 64 bits");
    }
    p->token.bits = value;
    return true;
}

/* "0f" 8 digits | "0d" 16 digits: a float's bits. */
static bool float_bits(struct ptx_parser *p, const char *end, enum ptx_token_kind kind) {
    const char *at = p->token.start + 2;
    int wanted = kind == PTX_TOKEN_F32 ? 8 : 16;
    p->token.kind = kind;
    if (end - at != wanted)
        return ptx_error_set(p->error, p->module, p->token.pos,
                             "expected %d hexadecimal digits after '%.2s', found %td", wanted, p->token.start,
                             end - at);
    return digits(p, at, end, 16);
}

/* A sign belongs to an exponent only directly after its e. */
static const char *decimal_end(const char *at) {
    const char *start = at;
    while (is(*at, FOLLOW) || *at == '.' ||
           ((*at == '+' || *at == '-') && at > start && (at[-1] | 0x20) == 'e'))
        at++;
    return at;
}

/* Uses the C locale whatever the program has set, because the locale defines the decimal point. */
static bool decimal_float(struct ptx_parser *p) {
    const char *end = decimal_end(p->token.start);
    char *stop;
    p->token.kind = PTX_TOKEN_F64;
    p->token.length = (size_t)(end - p->token.start);
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return ptx__out_of_memory(p);
    double value = strtod_l(p->token.start, &stop, c_locale);
    freelocale(c_locale);
    if (stop != end)
        return malformed(p, end);
    if (value > 1.7976931348623157e308)
        return ptx_error_set(p->error, p->module, p->token.pos, "the number is too large for a 64-bit float");
    memcpy(&p->token.bits, &value, sizeof value);
    p->cursor = end;
    return true;
}

/* number = "0x" hex ["U"] | "0b" binary ["U"] | "0" octal ["U"] | decimal ["U"] | float */
static bool number(struct ptx_parser *p) {
    struct ptx_token *token = &p->token;
    const char *start = token->start, *end = name_end(start);
    char prefix = start[0] == '0' ? (char)(start[1] | 0x20) : '\0';
    p->cursor = end;
    token->length = (size_t)(end - start);
    if (prefix == 'f')
        return float_bits(p, end, PTX_TOKEN_F32);
    if (prefix == 'd')
        return float_bits(p, end, PTX_TOKEN_F64);
    if (prefix != 'x' && prefix != 'b') {
        if (*end == '.')
            return decimal_float(p);
        for (const char *at = start; at < end; at++)
            if (*at == 'e' || *at == 'E')
                return decimal_float(p);
    }
    token->kind = PTX_TOKEN_INTEGER;
    const char *last = end;
    if (last[-1] == 'U' || last[-1] == 'u')
        last--;
    bool ok;
    if (prefix == 'x')
        ok = digits(p, start + 2, last, 16);
    else if (prefix == 'b')
        ok = digits(p, start + 2, last, 2);
    else
        ok = digits(p, start, last, start[0] == '0' ? 8 : 10);
    token->is_unsigned = last < end || token->bits > INT64_MAX;
    return ok;
}

static bool string(struct ptx_parser *p) {
    const char *at = p->token.start + 1;
    while (*at != '"') {
        if (*at == '\0' || *at == '\n')
            return ptx_error_set(p->error, p->module, p->token.pos, "this string is never closed");
        at += at[0] == '\\' && at[1] != '\0' && at[1] != '\n' ? 2 : 1;
    }
    p->token.kind = PTX_TOKEN_STRING;
    p->token.start++;
    p->token.length = (size_t)(at - p->token.start);
    p->cursor = at + 1;
    return true;
}

static bool mark(struct ptx_parser *p) {
    static const int doubles[] = {
        PTX_MARK('<', '<'), PTX_MARK('>', '>'), PTX_MARK('<', '='), PTX_MARK('>', '='),
        PTX_MARK('=', '='), PTX_MARK('!', '='), PTX_MARK('&', '&'), PTX_MARK('|', '|'),
    };
    const char *start = p->token.start;
    p->token.kind = PTX_TOKEN_MARK;
    p->token.mark = start[0];
    p->token.length = 1;
    for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++) {
        if (PTX_MARK(start[0], start[1]) == doubles[i]) {
            p->token.mark = doubles[i];
            p->token.length = 2;
        }
    }
    p->cursor = start + p->token.length;
    return true;
}

bool ptx__next(struct ptx_parser *p) {
    if (!skip_blanks(p))
        return false;
    const char *start = p->cursor;
    p->token = (struct ptx_token){.start = start, .pos = position(p, start)};
    if (*start == '\0') {
        p->token.kind = PTX_TOKEN_END;
        return true;
    }
    if (is(*start, FIRST) || (*start == '%' && is(start[1], FOLLOW))) {
        p->token.kind = PTX_TOKEN_NAME;
        p->cursor = name_end(start + 1);
        p->token.length = (size_t)(p->cursor - start);
        return true;
    }
    if (*start == '.' && is(start[1], FOLLOW)) {
        p->token.kind = PTX_TOKEN_WORD;
        p->cursor = name_end(start + 1);
        while (p->cursor[0] == ':' && p->cursor[1] == ':' && is(p->cursor[2], FOLLOW))
            p->cursor = name_end(p->cursor + 2);
        p->token.length = (size_t)(p->cursor - start);
        return true;
    }
    if (is(*start, FOLLOW))
        return number(p);
    if (*start == '"')
        return string(p);
    if (is(*start, MARK))
        return mark(p);
    if (isprint((unsigned char)*start))
        return ptx_error_set(p->error, p->module, p->token.pos, "unexpected character '%c'", *start);
    return ptx_error_set(p->error, p->module, p->token.pos, "unexpected byte 0x%02x", (unsigned char)*start);
}

void ptx__join_words(struct ptx_parser *p) {
    p->cursor = words_end(p->cursor);
    p->token.length = (size_t)(p->cursor - p->token.start);
}

int ptx__peek(struct ptx_parser *p) {
    const char *at = p->cursor;
    while (is(*at, BLANK))
        at++;
    return (unsigned char)*at;
}

static bool same_text(const struct ptx_parser *p, const char *text) {
    return strlen(text) == p->token.length && memcmp(p->token.start, text, p->token.length) == 0;
}

bool ptx__at_mark(const struct ptx_parser *p, int wanted) {
    return p->token.kind == PTX_TOKEN_MARK && p->token.mark == wanted;
}

bool ptx__at_word(const struct ptx_parser *p, const char *word) {
    return p->token.kind == PTX_TOKEN_WORD && same_text(p, word);
}

bool ptx__at_name(const struct ptx_parser *p, const char *name) {
    return p->token.kind == PTX_TOKEN_NAME && same_text(p, name);
}

bool ptx__expected(struct ptx_parser *p, const char *what) {
    const struct ptx_token *token = &p->token;
    if (token->kind == PTX_TOKEN_END)
        return ptx_error_set(p->error, p->module, token->pos, "expected %s, found the end of the text", what);
    if (token->kind == PTX_TOKEN_STRING)
        return ptx_error_set(p->error, p->module, token->pos, "expected %s, found a string", what);
    bool cut = token->length > SHOWN_TOKEN;
    return ptx_error_set(p->error, p->module, token->pos, "expected %s, found '%.*s%s'", what,
                         cut ? SHOWN_TOKEN : (int)token->length, token->start, cut ? "..." : "");
}

bool ptx__skip_mark(struct ptx_parser *p, int wanted) {
    if (ptx__at_mark(p, wanted))
        return ptx__next(p);
    char what[] = {'\'', (char)wanted, '\'', '\0'};
    return ptx__expected(p, what);
}
