/* The second inclusion of an ops_*.h list: each line becomes a row of the table.  See lanes_handlers.h. */
#undef OP1
#undef OP2
#undef OP3
#undef OP4
#undef SLOW1
#undef SLOW2
#undef SLOW3
#undef PREDICATE1
#undef PREDICATE2
#undef RUN
#undef SYNC

#define SIM_ROW(text, run, D, E, A, B, C, F, ...)                                                            \
    {.pattern = text,                                                                                        \
     .body = run,                                                                                            \
     .d = PTX_TYPE_##D,                                                                                      \
     .e = PTX_TYPE_##E,                                                                                      \
     .a = PTX_TYPE_##A,                                                                                      \
     .b = PTX_TYPE_##B,                                                                                      \
     .c = PTX_TYPE_##C,                                                                                      \
     .f = PTX_TYPE_##F,                                                                                      \
     __VA_ARGS__},

#define OP1(pattern, D, A, value)          SIM_ROW(pattern, SIM_ID, D, NONE, A, NONE, NONE, NONE, .small = 0)
#define OP2(pattern, D, A, B, value)       SIM_ROW(pattern, SIM_ID, D, NONE, A, B, NONE, NONE, .small = 0)
#define OP3(pattern, D, A, B, C, value)    SIM_ROW(pattern, SIM_ID, D, NONE, A, B, C, NONE, .small = 0)
#define OP4(pattern, D, A, B, C, F, value) SIM_ROW(pattern, SIM_ID, D, NONE, A, B, C, F, .small = 0)
#define SLOW1(pattern, D, A, value)                                                                          \
    SIM_ROW(pattern, SIM_ID, D, NONE, A, NONE, NONE, NONE, .flags = SIM_ROW_FALLBACK)
#define SLOW2(pattern, D, A, B, value)                                                                       \
    SIM_ROW(pattern, SIM_ID, D, NONE, A, B, NONE, NONE, .flags = SIM_ROW_FALLBACK)
#define SLOW3(pattern, D, A, B, C, value)                                                                    \
    SIM_ROW(pattern, SIM_ID, D, NONE, A, B, C, NONE, .flags = SIM_ROW_FALLBACK)
#define PREDICATE1(pattern, value) SIM_ROW(pattern, SIM_ID, PRED, NONE, PRED, NONE, NONE, NONE, .small = 0)
#define PREDICATE2(pattern, value) SIM_ROW(pattern, SIM_ID, PRED, NONE, PRED, PRED, NONE, NONE, .small = 0)
#define RUN(pattern, body, D, E, A, B, C, F, parameter)                                                      \
    SIM_ROW(pattern, body, D, E, A, B, C, F, .small = parameter)
#define SYNC(pattern, body, D, E, A, B, C, F, parameter, who)                                                \
    SIM_ROW(pattern, body, D, E, A, B, C, F, .small = parameter, .flags = SIM_OP_SYNC, .member = who)
