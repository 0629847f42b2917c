#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---------------------------------------------------------------- connecting */

enum { CONNECT_MS = 20000 };

/* A name that is no file: it goes with the last process that has it open. */
static socklen_t address_of(struct sockaddr_un *address, const char *words, int rank) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int length =
        snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "%.64s-%d", words, rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int connect_to(const char *words, int rank, int own) {
    struct sockaddr_un address;
    const socklen_t length = address_of(&address, words, rank);
    for (const double start = now_ms(); now_ms() - start < CONNECT_MS;) {
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && !connect(fd, (const struct sockaddr *)&address, length) &&
            send(fd, &own, sizeof(own), MSG_NOSIGNAL) == sizeof(own))
            return fd;
        if (fd >= 0)
            close(fd);
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    return -1;
}

static bool accept_one(int listener, int *sockets, int ranks) {
    struct pollfd ready = {.fd = listener, .events = POLLIN};
    int rank = -1;
    if (poll(&ready, 1, CONNECT_MS) != 1)
        return false;
    const int fd = accept(listener, NULL, NULL);
    if (fd < 0 || recv(fd, &rank, sizeof(rank), MSG_WAITALL) != sizeof(rank) || rank < 0 || rank >= ranks)
        return false;
    sockets[rank] = fd;
    return true;
}

bool sockets_connect(int *sockets, int ranks, int rank, const char *words) {
    struct sockaddr_un address;
    const socklen_t length = address_of(&address, words, rank);
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool right = listener >= 0 && !bind(listener, (const struct sockaddr *)&address, length) &&
                 !listen(listener, SOCKETS_MOST);
    for (int r = 0; r < ranks; r++)
        sockets[r] = -1;
    for (int r = 0; r < rank && right; r++)
        right = (sockets[r] = connect_to(words, r, rank)) >= 0;
    for (int r = rank + 1; r < ranks && right; r++)
        right = accept_one(listener, sockets, ranks);
    for (int r = 0; r < ranks && right; r++)
        right = sockets[r] < 0 || fcntl(sockets[r], F_SETFL, O_NONBLOCK) == 0;
    close(listener);
    return right;
}

/* ---------------------------------------------------------------- exchanging */

/* The first message of a pair and a way that is not done. */
static struct message *first_open(struct message *messages, unsigned count, int rank, bool sends) {
    for (unsigned i = 0; i < count; i++)
        if (messages[i].rank == rank && messages[i].sends == sends &&
            messages[i].done < sizeof(struct head) + messages[i].bytes)
            return &messages[i];
    return NULL;
}

static void check_head(const struct message *message) {
    if (memcmp(&message->got, &message->head, sizeof(message->got)) == 0)
        return;
    fprintf(stderr,
            "the NCCL of the tests: rank %d sent %llu bytes by '%c', where %llu by '%c' are received\n",
            message->rank, (unsigned long long)message->got.bytes, (int)message->got.kind,
            (unsigned long long)message->head.bytes, (int)message->head.kind);
    abort();
}

/* Moves what the socket takes or has at once; false: the other process is gone. */
static bool progress(int fd, struct message *message) {
    const bool in_head = message->done < sizeof(struct head);
    const size_t done = in_head ? message->done : message->done - sizeof(struct head),
                 left = (in_head ? sizeof(struct head) : message->bytes) - done;
    unsigned char *head = (unsigned char *)(message->sends ? &message->head : &message->got),
                  *at = (in_head ? head : message->data) + done;
    const ssize_t moved =
        message->sends ? send(fd, at, left, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(fd, at, left, MSG_DONTWAIT);
    if (moved < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (moved == 0)
        return false;
    message->done += (size_t)moved;
    if (!message->sends && in_head && message->done == sizeof(struct head))
        check_head(message);
    return true;
}

/* Bytes that are sent, of all that are to be sent. */
static void die_when_half(const struct message *messages, unsigned count) {
    size_t done = 0, all = 0;
    for (unsigned i = 0; i < count; i++) {
        done += messages[i].sends ? messages[i].done : 0;
        all += messages[i].sends ? messages[i].bytes + sizeof(struct head) : 0;
    }
    if (done >= all / 2)
        raise(SIGKILL);
}

/* What the sockets can be waited for. */
static unsigned list_sockets(struct pollfd *list, const int *sockets, struct message *messages,
                             unsigned count) {
    unsigned used = 0;
    for (int r = 0; r < SOCKETS_MOST; r++) {
        const short events = (short)((first_open(messages, count, r, true) ? POLLOUT : 0) |
                                     (first_open(messages, count, r, false) ? POLLIN : 0));
        if (events)
            list[used++] = (struct pollfd){.fd = sockets[r], .events = events};
    }
    return used;
}

static bool progress_all(const int *sockets, struct message *messages, unsigned count, bool dies) {
    bool there = true;
    for (int r = 0; r < SOCKETS_MOST && there; r++)
        for (int sends = 0; sends < 2 && there; sends++) {
            struct message *message = first_open(messages, count, r, sends);
            if (dies)
                die_when_half(messages, count);
            there = !message || progress(sockets[r], message);
        }
    return there;
}

enum sockets_end sockets_exchange(const int *sockets, struct message *messages, unsigned count,
                                  unsigned patience_ms, bool dies) {
    struct pollfd list[SOCKETS_MOST];
    const double start = now_ms();
    for (unsigned used; (used = list_sockets(list, sockets, messages, count)) > 0;) {
        const double left = patience_ms - (now_ms() - start);
        if (left <= 0)
            return SOCKETS_LATE;
        (void)poll(list, used, left < 10 ? (int)left + 1 : 10);
        if (!progress_all(sockets, messages, count, dies))
            return SOCKETS_GONE;
    }
    if (dies)
        raise(SIGKILL);
    return SOCKETS_DONE;
}
