#include "sim/ptx/parser.h"

#define MAX_NESTING 64

static bool refuse(struct ptx_parser *p, struct ptx_pos pos, const char *why) {
    return ptx_error_set(p->error, p->module, pos, "%s", why);
}

static bool primary(struct ptx_parser *p, struct ptx_constant *out) {
    const struct ptx_token *token = &p->token;
    switch (token->kind) {
    case PTX_TOKEN_INTEGER:
        *out = (struct ptx_constant){PTX_OPERAND_INTEGER, token->bits, token->is_unsigned};
        return ptx__next(p);
    case PTX_TOKEN_F32:
        *out = (struct ptx_constant){PTX_OPERAND_F32, token->bits, false};
        return ptx__next(p);
    case PTX_TOKEN_F64:
        *out = (struct ptx_constant){PTX_OPERAND_F64, token->bits, false};
        return ptx__next(p);
    default:
        break;
    }
    if (!ptx__at_mark(p, '('))
        return ptx__expected(p, "a constant");
    return ptx__next(p) && ptx__constant(p, PTX_ANY_OPERATOR, out) && ptx__skip_mark(p, ')');
}

static bool negate(struct ptx_parser *p, struct ptx_constant *value, int sign, struct ptx_pos pos) {
    if (value->kind == PTX_OPERAND_INTEGER) {
        if (sign == '-')
            value->bits = 0 - value->bits;
        else if (sign == '~')
            value->bits = ~value->bits;
        else if (sign == '!')
            value->bits = value->bits == 0;
        return true;
    }
    if (sign != '-' && sign != '+')
        return refuse(p, pos, "this operator needs an integer");
    if (sign == '-')
        value->bits ^= value->kind == PTX_OPERAND_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    return true;
}

/* unary = { "+" | "-" | "~" | "!" } ( INTEGER | F32 | F64 | "(" constant ")" ) */
static bool unary(struct ptx_parser *p, struct ptx_constant *out) {
    struct ptx_pos pos = p->token.pos;
    int sign = p->token.kind == PTX_TOKEN_MARK ? p->token.mark : 0;
    if (p->constant_depth == MAX_NESTING)
        return refuse(p, pos, "a constant is nested deeper than 64");
    p->constant_depth++;
    bool ok;
    if (sign == '+' || sign == '-' || sign == '~' || sign == '!')
        ok = ptx__next(p) && unary(p, out) && negate(p, out, sign, pos);
    else
        ok = primary(p, out);
    p->constant_depth--;
    return ok;
}

/* C's operators and their binding powers. */
static const struct {
    int mark, binding;
} operators[] = {
    {PTX_MARK('|', '|'), 1},
    {PTX_MARK('&', '&'), 2},
    {'|', 3},
    {'^', 4},
    {'&', 5},
    {PTX_MARK('=', '='), 6},
    {PTX_MARK('!', '='), 6},
    {'<', 7},
    {'>', 7},
    {PTX_MARK('<', '='), 7},
    {PTX_MARK('>', '='), 7},
    {PTX_MARK('<', '<'), 8},
    {PTX_MARK('>', '>'), 8},
    {'+', 9},
    {'-', 9},
    {'*', PTX_ABOVE_SUM},
    {'/', PTX_ABOVE_SUM},
    {'%', PTX_ABOVE_SUM},
};

/* 0: the token is not an operator. */
static int binding_of(const struct ptx_parser *p) {
    if (p->token.kind == PTX_TOKEN_MARK)
        for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
            if (operators[i].mark == p->token.mark)
                return operators[i].binding;
    return 0;
}

/* -1, 0, 1: as in C, signed unless one of the two is unsigned. */
static int compare(uint64_t a, uint64_t b, bool is_unsigned) {
    if (a == b)
        return 0;
    if (is_unsigned)
        return a < b ? -1 : 1;
    return (int64_t)a < (int64_t)b ? -1 : 1;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder) {
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* INT64_MIN / -1 wraps */
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static bool apply(struct ptx_parser *p, int mark, struct ptx_constant *left, const struct ptx_constant *right,
                  struct ptx_pos pos) {
    if (left->kind != PTX_OPERAND_INTEGER || right->kind != PTX_OPERAND_INTEGER)
        return refuse(p, pos, "this operator needs integers");
    uint64_t a = left->bits, b = right->bits, result;
    bool is_unsigned = left->is_unsigned || right->is_unsigned;
    bool shifts = mark == PTX_MARK('<', '<') || mark == PTX_MARK('>', '>');
    if (shifts && b > 63)
        return refuse(p, pos, "a constant is shifted by more than 63 bits");
    if ((mark == '/' || mark == '%') && b == 0)
        return refuse(p, pos, "a constant is divided by zero");
    switch (mark) {
    case '+':
        result = a + b;
        break;
    case '-':
        result = a - b;
        break;
    case '*':
        result = a * b;
        break;
    case '/':
        result = divide(a, b, is_unsigned, false);
        break;
    case '%':
        result = divide(a, b, is_unsigned, true);
        break;
    case '&':
        result = a & b;
        break;
    case '|':
        result = a | b;
        break;
    case '^':
        result = a ^ b;
        break;
    case '<':
        result = compare(a, b, is_unsigned) < 0;
        break;
    case '>':
        result = compare(a, b, is_unsigned) > 0;
        break;
    case PTX_MARK('<', '='):
        result = compare(a, b, is_unsigned) <= 0;
        break;
    case PTX_MARK('>', '='):
        result = compare(a, b, is_unsigned) >= 0;
        break;
    case PTX_MARK('=', '='):
        result = a == b;
        break;
    case PTX_MARK('!', '='):
        result = a != b;
        break;
    case PTX_MARK('&', '&'):
        result = a != 0 && b != 0;
        break;
    case PTX_MARK('|', '|'):
        result = a != 0 || b != 0;
        break;
    case PTX_MARK('<', '<'):
        result = a << b;
        break;
    default: /* >> */
        result = left->is_unsigned ? a >> b : (uint64_t)((int64_t)a >> b);
    }
    left->bits = result;
    left->is_unsigned = shifts ? left->is_unsigned : is_unsigned;
    return true;
}

/* constant = unary { OPERATOR unary }, where an operator of lower binding power ends it. */
bool ptx__constant(struct ptx_parser *p, int binding, struct ptx_constant *out) {
    if (!unary(p, out))
        return false;
    for (;;) {
        struct ptx_pos pos = p->token.pos;
        int mark = p->token.mark, own = binding_of(p);
        struct ptx_constant right;
        if (own == 0 || own < binding)
            return true;
        if (!ptx__next(p) || !ptx__constant(p, own + 1, &right) || !apply(p, mark, out, &right, pos))
            return false;
    }
}

bool ptx__offset(struct ptx_parser *p, int64_t *offset) {
    while (ptx__at_mark(p, '+') || ptx__at_mark(p, '-')) {
        bool minus = p->token.mark == '-';
        struct ptx_pos pos = p->token.pos;
        struct ptx_constant term;
        if (!ptx__next(p) || !ptx__constant(p, PTX_ABOVE_SUM, &term))
            return false;
        if (term.kind != PTX_OPERAND_INTEGER)
            return refuse(p, pos, "an offset is an integer");
        *offset = (int64_t)((uint64_t)*offset + (minus ? 0 - term.bits : term.bits));
    }
    return true;
}

bool ptx__count(struct ptx_parser *p, const char *what, uint64_t limit, uint64_t *out) {
    struct ptx_pos pos = p->token.pos;
    struct ptx_constant value;
    if (!ptx__constant(p, PTX_ANY_OPERATOR, &value))
        return false;
    if (value.kind != PTX_OPERAND_INTEGER)
        return ptx_error_set(p->error, p->module, pos, "%s must be an integer", what);
    if (value.bits > limit)
        return ptx_error_set(p->error, p->module, pos, "%s must be 0 to %llu", what,
                             (unsigned long long)limit);
    *out = value.bits;
    return true;
}
