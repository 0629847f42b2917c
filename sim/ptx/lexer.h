/* PTX's tokens.  The parser never holds more than the current one. */
#ifndef WIDELOAD_SIM_PTX_LEXER_H
#define WIDELOAD_SIM_PTX_LEXER_H

#include "sim/ptx/ptx.h"

struct ptx_parser;

enum ptx_token_kind {
    PTX_TOKEN_END,     /* end of the text */
    PTX_TOKEN_NAME,    /* "ld", "%r1", "$L__BB0_1", "_" */
    PTX_TOKEN_WORD,    /* ".reg", ".u32", ".L1::no_allocate" */
    PTX_TOKEN_INTEGER, /* "12", "0x1fU": bits, is_unsigned */
    PTX_TOKEN_F32,     /* "0f3F800000": bits */
    PTX_TOKEN_F64,     /* "0d3FF0000000000000", "1.5": bits */
    PTX_TOKEN_STRING,  /* "\"copy.cu\"": start and length without the quotes */
    PTX_TOKEN_MARK,    /* mark: ';', or two characters as in PTX_MARK('<', '<') */
};

#define PTX_MARK(first, second) ((first) << 8 | (second))

struct ptx_token {
    enum ptx_token_kind kind;
    int mark;
    const char *start;
    size_t length;
    struct ptx_pos pos;
    uint64_t bits;
    bool is_unsigned; /* ends in U, or is too large for a signed integer */
};

/* Moves to the next token.  false: the text is not a token, and the parser's error is set. */
bool ptx__next(struct ptx_parser *p);

/* Extends a name by the words that follow it without a space: "%tid" to "%tid.x", "ld" to "ld.global.f32". */
void ptx__join_words(struct ptx_parser *p);

/* The first character of the token after this one; 0 at the end, '/' at a comment. */
int ptx__peek(struct ptx_parser *p);

/* Whether the token is this one. */
bool ptx__at_mark(const struct ptx_parser *p, int mark);
bool ptx__at_word(const struct ptx_parser *p, const char *word);
bool ptx__at_name(const struct ptx_parser *p, const char *name);

/* Sets the error "expected WHAT, found 'TOKEN'" at the token; returns false. */
bool ptx__expected(struct ptx_parser *p, const char *what);

/* Moves past the mark; anything else is an error. */
bool ptx__skip_mark(struct ptx_parser *p, int mark);

#endif
