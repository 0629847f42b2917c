/* Messages between the processes of the stand-in for NCCL. */
#ifndef WIDELOAD_TESTS_SOCKETS_H
#define WIDELOAD_TESTS_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOCKETS_MOST = 16 };

/* Goes ahead of a message's data. */
struct head {
    uint64_t bytes, kind;
};

struct message {
    bool sends;
    int rank; /* to whom, or from whom */
    size_t bytes;
    struct head head; /* as sent, or as expected */
    unsigned char *data;
    struct head got;
    size_t done; /* bytes of head and data */
};

/* Connects a rank to all others that use the same words; false: not all came within 20 seconds. */
bool sockets_connect(int *sockets, int ranks, int rank, const char *words);

/* Sends and receives all messages; those of a pair of ranks in the order of the list.  `dies`: the process
 * ends once about half of it is sent. */
enum sockets_end { SOCKETS_DONE, SOCKETS_LATE, SOCKETS_GONE };
enum sockets_end sockets_exchange(const int *sockets, struct message *messages, unsigned count,
                                  unsigned patience_ms, bool dies);

#endif
