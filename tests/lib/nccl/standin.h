/* A stand-in for NCCL, for tests without GPUs: libnccl.so.2 with the functions that the library uses, between
 * processes of one machine, over Unix sockets.
 *
 * It is strict.  Messages have a head with their kind and length, so a send that does not fit its receive
 * ends the process with a message; so does each use of a communicator after its end.
 *
 * What it does not imitate: the simulator does a call's work in the call, so a group's messages are sent and
 * received in ncclGroupEnd, which waits for the other ranks.  NCCL's would return, and a kernel would wait.
 * Where that kernel would wait for ever, ncclGroupEnd returns success here, no receiving buffer is written,
 * and the process is stuck: standin_is_stuck() says so until the communicator is aborted.  A test has the
 * driver's events say the same.  There are no channels, no connections made late, no sends to oneself, and
 * no captures. */
#ifndef WIDELOAD_TESTS_STANDIN_H
#define WIDELOAD_TESTS_STANDIN_H

struct standin {
    unsigned patience_ms; /* a group waits so long for another rank before it is stuck; 0: 20 s */
    unsigned delay_us;    /* a group starts after a random time up to this */
    unsigned progress;    /* so many questions are answered "in progress" after each group */
    int tells;            /* a lost rank is an error of the communicator; otherwise the group is stuck */
    unsigned groups;      /* so many have ended */
    unsigned die_at;      /* in this group, counted from 1, the process dies with half of it sent; 0: never */
    unsigned hang_at;     /* from this group on, nothing is sent or received */
    unsigned fail_at;     /* the end of this group is an error */
    int error;            /* what every communicator reports, an ncclResult_t */
    _Atomic int abort_hangs; /* ncclCommAbort does not return while this is so */
};

typedef struct standin *standin_settings_fn(void);
typedef int standin_is_stuck_fn(void);

/* The process's settings, for tests to change. */
struct standin *standin_settings(void);
int standin_is_stuck(void);

#endif
