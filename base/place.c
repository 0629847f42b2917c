#include "base/place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A file; if it does not exist, its folder and its name in it. */
struct identity {
    bool known, exists;
    struct stat status; /* the file's, or the folder's */
    char name[NAME_MAX + 1];
};

/* "a/b" -> "a", "b"; "b" -> ".", "b"; "/b" -> "/", "b". */
static bool split(const char *path, char folder[PATH_MAX], char name[NAME_MAX + 1]) {
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    int length = !slash ? 0 : slash == path ? 1 : (int)(slash - path);
    return snprintf(folder, PATH_MAX, "%.*s", length ? length : 1, length ? path : ".") < PATH_MAX &&
           snprintf(name, NAME_MAX + 1, "%s", last) <= NAME_MAX;
}

bool base_place_follow(const char *given, char path[PATH_MAX]) {
    if (snprintf(path, PATH_MAX, "%s", given) >= PATH_MAX)
        return false;
    char target[PATH_MAX], folder[PATH_MAX], name[NAME_MAX + 1], next[2 * PATH_MAX];
    for (int links = 0; links < 40; links++) {
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0)
            return true;
        target[length] = 0;
        if (!split(path, folder, name))
            return false;
        int size = snprintf(next, sizeof next, "%s%s%s", target[0] == '/' ? "" : folder,
                            target[0] == '/' ? "" : "/", target);
        if (size >= PATH_MAX)
            return false;
        strcpy(path, next);
    }
    return false;
}

static struct identity identify_path(const char *given) {
    struct identity identity = {.known = true, .exists = true};
    char path[PATH_MAX], folder[PATH_MAX];
    if (stat(given, &identity.status) == 0)
        return identity;
    identity.exists = false;
    identity.known = errno == ENOENT && base_place_follow(given, path) &&
                     split(path, folder, identity.name) && stat(folder, &identity.status) == 0;
    return identity;
}

static struct identity identify(const struct base_place *place) {
    struct identity identity = {.known = false};
    if (place->path && strcmp(place->path, "-") != 0)
        return identify_path(place->path);
    identity.exists = true;
    if (place->path)
        identity.known = fstat(STDOUT_FILENO, &identity.status) == 0;
    else if (place->is_stream)
        identity.known = fstat(place->stream, &identity.status) == 0 && S_ISREG(identity.status.st_mode);
    return identity;
}

static bool is_null(const struct stat *status) {
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
}

/* A user who names standard output as a file means it, even if it is the same as another stream. */
static bool is_meant(const struct base_place *a, const struct base_place *b) {
    return (!a->path && b->path && base_place_is_stdout(b->path)) ||
           (!b->path && a->path && base_place_is_stdout(a->path));
}

static bool is_same(const struct identity *a, const struct identity *b) {
    return a->known && b->known && a->exists == b->exists && a->status.st_dev == b->status.st_dev &&
           a->status.st_ino == b->status.st_ino &&
           (a->exists ? !is_null(&a->status) : strcmp(a->name, b->name) == 0);
}

bool base_place_is_stdout(const char *path) {
    char folder[PATH_MAX], name[NAME_MAX + 1];
    struct stat given, streams;
    if (strcmp(path, "-") == 0)
        return true;
    if (!split(path, folder, name) || stat(folder, &given))
        return false;
    if (strcmp(name, "stdout") == 0)
        return stat("/dev", &streams) == 0 && given.st_dev == streams.st_dev &&
               given.st_ino == streams.st_ino;
    return strcmp(name, "1") == 0 && stat("/proc/self/fd", &streams) == 0 && given.st_dev == streams.st_dev &&
           given.st_ino == streams.st_ino;
}

static bool refuse(const struct base_place *a, const struct base_place *b, struct base_error *error) {
    /* b is an output; a is the place it collides with. */
    if (!a->read)
        return base_usage(error, "%s and %s: both go to %.200s; give two places", a->name, b->name, b->path);
    return base_usage(error, "%s: %.200s is %s; give another file", b->name, b->path, a->name);
}

bool base_places_check(const struct base_place *places, size_t count, struct base_error *error) {
    struct identity *identities = calloc(count + 1, sizeof *identities);
    bool good = identities || base_failure(error, "out of memory");
    for (size_t i = 0; good && i < count; i++)
        identities[i] = identify(&places[i]);
    for (size_t i = 0; good && i < count; i++)
        for (size_t j = 0; good && j < i; j++) {
            bool read_i = places[i].read, read_j = places[j].read;
            if ((!read_i || !read_j) && is_same(&identities[i], &identities[j]) &&
                !is_meant(&places[i], &places[j]))
                good = read_i ? refuse(&places[i], &places[j], error) : refuse(&places[j], &places[i], error);
        }
    free(identities);
    return good;
}
