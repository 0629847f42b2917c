/* Matrix instructions: mma, wmma, ldmatrix, stmatrix, movmatrix.  Private to sim/exec.
 *
 * A warp holds a matrix in pieces, one fragment per lane.  The unit is an 8 x 8 core of 32-bit words (or of
 * doubles): lane i holds the word at row i / 4, column i % 4, which is 1 tf32, 2 halves, 4 bytes, 8 nibbles
 * or 32 bits along k.  Larger operands are several cores, one per register.  Of an accumulator, lane i holds
 * the elements 2 (i % 4) and 2 (i % 4) + 1 of row i / 4 of each 8 x 8 core.  PTX documents this layout for
 * mma, except m8n8k4 with f16, which has its own.  For wmma PTX leaves the layout open; here it is the same,
 * and surplus registers hold copies of cores.
 */
#ifndef WIDELOAD_SIM_MATRIX_H
#define WIDELOAD_SIM_MATRIX_H

#include "sim/exec/program.h"
#include "sim/exec/warp.h"

#define SIM_MATRIX_REGISTERS 8

/* Name in PTX, bits per element. */
#define SIM_ELEMENT_MAP(X)                                                                                   \
    X(F16, "f16", 16)                                                                                        \
    X(BF16, "bf16", 16)                                                                                      \
    X(TF32, "tf32", 32)                                                                                      \
    X(E4M3, "e4m3", 8)                                                                                       \
    X(E5M2, "e5m2", 8)                                                                                       \
    X(F64, "f64", 64)                                                                                        \
    X(S8, "s8", 8)                                                                                           \
    X(U8, "u8", 8)                                                                                           \
    X(S4, "s4", 4)                                                                                           \
    X(U4, "u4", 4)                                                                                           \
    X(B1, "b1", 1)                                                                                           \
    X(F32, "f32", 32)                                                                                        \
    X(S32, "s32", 32)

enum sim_element {
#define SIM_ELEMENT_ENUM(id, name, bits) SIM_##id##_ELEMENT,
    SIM_ELEMENT_MAP(SIM_ELEMENT_ENUM)
#undef SIM_ELEMENT_ENUM
};

/* A matrix in the lanes' registers.  The elements' places are computed when the module is loaded. */
struct sim_fragment {
    enum sim_element element;
    uint8_t bits;      /* per element */
    uint8_t rows;      /* m for A, n for B, m for C and D */
    uint8_t registers; /* named by an instruction */
    uint8_t cores;     /* distinct registers (the rest are copies); for C and D: elements per lane */
    uint8_t step;      /* distance between the elements of a register */
    uint16_t columns;  /* k for A and B; n for C and D */
    int32_t reg[SIM_MATRIX_REGISTERS];
    /* Places, row by row: of a register's first element; for C and D, of each element. */
    uint16_t at[SIM_MATRIX_REGISTERS][SIM_LANES];
};

enum sim_matrix_bits { SIM_MATRIX_XOR, SIM_MATRIX_AND };

/* D = A B + C */
struct sim_multiply {
    struct sim_fragment a, b, c, d;
    bool saturate;
    uint8_t products;         /* 4 for m8n8k4 with f16: one per pair of quads */
    enum sim_matrix_bits how; /* how single bits are combined */
};

/* One access per lane in wmma.load or .store. */
struct sim_matrix_access {
    struct sim_memop op;
    uint8_t reg;   /* index of the register */
    uint8_t first; /* first element in it */
    uint8_t count; /* number of elements */
    bool across;   /* a core of halves whose lines are its columns: loaded as is, then transposed */
};

struct sim_matrix_move {
    struct sim_fragment fragment;
    char matrix;         /* 'a', 'b', 'c' (and d) */
    bool by_column;      /* as the instruction says */
    int32_t stride;      /* operand: elements from line to line */
    uint32_t tight;      /* the same as a number, if stride is -1 */
    struct sim_memop at; /* the address operand */
    size_t access_count;
    struct sim_matrix_access access[2 * SIM_MATRIX_REGISTERS];
};

/* ldmatrix, stmatrix: matrices of 8 rows of 16 bytes. */
struct sim_matrix_rows {
    struct sim_memop op; /* one row's */
    uint8_t matrices;
    bool transpose;
    int32_t reg[4];
};

/* matrix_dot.c: sums of products as computed by the H200's tensor cores.  a, b: count exact values and their
 * exponents (SIM_NO_EXPONENT: zero); c likewise.  half: rounds to nearest f16; otherwise truncates to f32. */
#define SIM_NO_EXPONENT (-20000)
enum { SIM_DOT_WIDTH = 32 };
struct sim_dot_rules {
    unsigned width;    /* products added at once; more take several steps */
    unsigned fraction; /* bits that addends keep below the largest exponent */
    bool apart;        /* C is added last, as an f32 */
};
const struct sim_dot_rules *sim_dot_rules_of(enum sim_element element);
double sim_dot(const struct sim_dot_rules *rules, const double *a, const int *a_exponent, const double *b,
               const int *b_exponent, unsigned count, double c, bool half);
/* For halves: a chain of fma, with c added last. */
float sim_dot_chain(const double *a, const double *b, unsigned count, float c);
/* The device's f64 fma, including the choice among NaNs. */
double sim_dot_fma(double a, double b, double c);

#endif
