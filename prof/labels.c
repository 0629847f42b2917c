#include "prof/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/demangle.h"

/* A label that needs no arguments shows them if it is shorter than COMFORTABLE bytes. */
enum { COMFORTABLE = 44, MOST_DEPTH = 5 };

/* ---------------------------------------------------------------- text */

struct out {
    char *text;
    size_t size, length;
};

static void put(struct out *out, const char *text, size_t length) {
    size_t room = out->size - 1 - out->length;
    if (length > room)
        length = room;
    memcpy(out->text + out->length, text, length);
    out->length += length;
    out->text[out->length] = 0;
}

static void put_text(struct out *out, const char *text) {
    put(out, text, strlen(text));
}

/* Puts a name without scopes, also in its template arguments: "a::f<b::c<int> >" -> "f<c<int> >". */
static void put_simply(struct out *out, struct prof_text from) {
    enum { DEEPEST = 64 };
    static const char anonymous[] = "(anonymous namespace)";
    size_t starts[DEEPEST] = {out->length}, depth = 0;
    for (const char *c = from.at, *end = from.at + from.size; c < end; c++) {
        if ((size_t)(end - c) >= sizeof anonymous - 1 && memcmp(c, anonymous, sizeof anonymous - 1) == 0) {
            c += sizeof anonymous - 2;
        } else if (end - c >= 2 && c[0] == ':' && c[1] == ':') {
            out->length = starts[depth];
            out->text[out->length] = 0;
            c++;
        } else {
            depth -= depth && strchr(">)}]", *c);
            put(out, c, 1);
            depth += depth < DEEPEST - 1 && strchr("<({[", *c);
            if (strchr("<({[ ,*&", *c))
                starts[depth] = out->length;
        }
    }
}

/* ---------------------------------------------------------------- names with one base */

/* The parts in which names may differ: template arguments 0 to 29, tail and scope. */
enum { TAIL = PROF_NAME_ARGUMENTS, SCOPE, PARTS };

struct member {
    struct prof_name name;
    size_t index; /* in the caller's list */
    size_t class; /* members that agree in all chosen parts have the same class */
    size_t next;  /* the class with one more part */
};

static struct prof_text part_of(const struct member *m, size_t part) {
    if (part == TAIL)
        return m->name.tail;
    if (part == SCOPE)
        return m->name.scope;
    return part < m->name.argument_count ? m->name.arguments[part] : (struct prof_text){"", 0};
}

static int compare_text(struct prof_text a, struct prof_text b) {
    size_t size = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.at, b.at, size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* A member with the text of one part, for sorting. */
struct keyed {
    struct member *member;
    struct prof_text text;
};

static int compare_keyed(const void *left, const void *right) {
    const struct keyed *a = left, *b = right;
    if (a->member->class != b->member->class)
        return a->member->class < b->member->class ? -1 : 1;
    return compare_text(a->text, b->text);
}

/* The number of classes if `part` is chosen too.  Sorts keyed by these classes. */
static size_t classes_with(struct member *members, size_t count, size_t part, struct keyed *keyed) {
    size_t classes = 1;
    for (size_t i = 0; i < count; i++)
        keyed[i] = (struct keyed){&members[i], part_of(&members[i], part)};
    qsort(keyed, count, sizeof *keyed, compare_keyed);
    for (size_t i = 1; i < count; i++)
        classes += compare_keyed(&keyed[i - 1], &keyed[i]) != 0;
    return classes;
}

static size_t longest_text(const struct member *members, size_t count, size_t part) {
    size_t longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = part_of(&members[i], part).size > longest ? part_of(&members[i], part).size : longest;
    return longest;
}

/* Chooses parts that distinguish the members.  Greedy: each step takes the part that makes most classes, the
 * shorter one of equals. */
static void choose(struct member *members, size_t count, bool chosen[PARTS], struct keyed *keyed) {
    size_t arguments = 0, classes = 1;
    for (size_t i = 0; i < count; i++) {
        members[i].class = 0;
        if (members[i].name.argument_count > arguments)
            arguments = members[i].name.argument_count;
    }
    while (classes < count) {
        size_t best = PARTS, most = classes;
        for (size_t part = 0; part < PARTS; part++) {
            if (chosen[part] || (part < TAIL && part >= arguments))
                continue;
            size_t now = classes_with(members, count, part, keyed);
            if (now > most || (now == most && best < PARTS &&
                               longest_text(members, count, part) < longest_text(members, count, best))) {
                most = now;
                best = part;
            }
        }
        if (best == PARTS)
            return;
        chosen[best] = true;
        classes_with(members, count, best, keyed);
        for (size_t i = 0, number = 0; i < count; i++) {
            number += i && compare_keyed(&keyed[i - 1], &keyed[i]) != 0;
            keyed[i].member->next = number;
        }
        for (size_t i = 0; i < count; i++)
            members[i].class = members[i].next;
        classes = most;
    }
}

static bool label(const struct prof_text *texts, size_t count, bool function, int depth,
                  char (*labels)[PROF_LABEL]);

/* Labels the members' texts of one part; equal texts get the same label. */
static bool label_part(struct member *members, size_t count, size_t part, int depth,
                       char (*labels)[PARTS][PROF_LABEL], struct keyed *keyed) {
    struct prof_text *texts = calloc(count, sizeof *texts);
    char(*their)[PROF_LABEL] = calloc(count, sizeof *their);
    bool good = texts && their;
    for (size_t i = 0; good && i < count; i++) {
        members[i].class = 0;
        their[i][0] = 0;
    }
    if (good) {
        size_t distinct = 0;
        classes_with(members, count, part, keyed);
        for (size_t i = 0; i < count; i++)
            if (i == 0 || compare_text(keyed[i - 1].text, keyed[i].text) != 0)
                texts[distinct++] = keyed[i].text;
        good = label(texts, distinct, false, depth + 1, their);
        for (size_t i = 0, d = 0; good && i < count; i++) {
            d += i && compare_text(keyed[i - 1].text, keyed[i].text) != 0;
            memcpy(labels[keyed[i].member - members][part], their[d], PROF_LABEL);
        }
    }
    free(texts);
    free(their);
    return good;
}

/* Labels a name whose base no other has, with its arguments if they are short. */
static void label_single(const struct prof_name *name, bool function, char text[PROF_LABEL]) {
    struct out out = {text, PROF_LABEL, 0};
    text[0] = 0;
    put(&out, name->base.at, name->base.size);
    for (size_t i = 0; i < name->argument_count; i++) {
        put_text(&out, i ? ", " : "<");
        put_simply(&out, name->arguments[i]);
    }
    if (name->argument_count && out.length >= COMFORTABLE) {
        out.length = 0;
        put(&out, name->base.at, name->base.size);
        put_text(&out, function ? "<.." : "");
    }
    if (name->argument_count && (function || out.length > name->base.size))
        put_text(&out, ">");
    if (!function)
        put_simply(&out, name->tail);
}

/* Puts a name with its chosen parts.  labels: of its parts. */
static void put_chosen(struct out *out, const struct member *m, bool function, const bool chosen[PARTS],
                       char labels[PARTS][PROF_LABEL]) {
    size_t shown = 0;
    /* A type that only its scope distinguishes is called by the scope. */
    if (chosen[SCOPE])
        put_text(out, labels[SCOPE]);
    if (chosen[SCOPE] && function)
        put_text(out, "::");
    if (!chosen[SCOPE] || function)
        put(out, m->name.base.at, m->name.base.size);
    for (size_t part = 0; part < m->name.argument_count; part++)
        if (chosen[part]) {
            put_text(out, shown++ ? ", " : "<");
            put_text(out, labels[part]);
        }
    if (function && shown < m->name.argument_count)
        put_text(out, shown ? ", .." : "<..");
    if (shown || (function && m->name.argument_count))
        put_text(out, ">");
    if (chosen[TAIL] || !function)
        put_simply(out, m->name.tail);
}

static bool label_group(struct member *members, size_t count, bool function, int depth,
                        char (*labels)[PROF_LABEL]) {
    if (count == 1) {
        label_single(&members[0].name, function, labels[members[0].index]);
        return true;
    }
    struct keyed *keyed = calloc(count, sizeof *keyed);
    char(*part_labels)[PARTS][PROF_LABEL] = calloc(count, sizeof *part_labels);
    bool chosen[PARTS] = {false}, good = keyed && part_labels;
    if (good)
        choose(members, count, chosen, keyed);
    for (size_t part = 0; good && part < PARTS; part++)
        if (chosen[part] && part != TAIL)
            good = label_part(members, count, part, depth, part_labels, keyed);
    for (size_t i = 0; good && i < count; i++) {
        struct out out = {labels[members[i].index], PROF_LABEL, 0};
        out.text[0] = 0;
        put_chosen(&out, &members[i], function, chosen, part_labels[i]);
    }
    free(keyed);
    free(part_labels);
    return good;
}

static int compare_bases(const void *left, const void *right) {
    const struct member *a = left, *b = right;
    int order = compare_text(a->name.base, b->name.base);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Thrust has one kernel for all its agents, so the agent's name is used. */
static void split(struct prof_text text, bool function, struct prof_name *out) {
    static const char agent[] = "_kernel_agent";
    prof_split_name(text, function, out);
    if (function && out->argument_count &&
        compare_text(out->base, (struct prof_text){agent, sizeof agent - 1}) == 0) {
        struct prof_text first = out->arguments[0];
        prof_split_name(first, false, out);
    }
}

/* function: the texts are names of functions; false: of types. */
static bool label(const struct prof_text *texts, size_t count, bool function, int depth,
                  char (*labels)[PROF_LABEL]) {
    if (depth > MOST_DEPTH) {
        for (size_t i = 0; i < count; i++) {
            struct out out = {labels[i], PROF_LABEL, 0};
            labels[i][0] = 0;
            put_simply(&out, texts[i]);
        }
        return true;
    }
    struct member *members = calloc(count + 1, sizeof *members);
    if (!members)
        return false;
    for (size_t i = 0; i < count; i++) {
        members[i].index = i;
        split(texts[i], function, &members[i].name);
    }
    qsort(members, count, sizeof *members, compare_bases);
    bool good = true;
    for (size_t i = 0, next; good && i < count; i = next) {
        for (next = i + 1; next < count && compare_text(members[i].name.base, members[next].name.base) == 0;
             next++)
            ;
        good = label_group(&members[i], next - i, function, depth, labels);
    }
    free(members);
    return good;
}

bool prof_labels_make(const char *const *names, size_t count, char (*labels)[PROF_LABEL]) {
    struct prof_text *texts = calloc(count + 1, sizeof *texts);
    if (!texts)
        return false;
    for (size_t i = 0; i < count; i++)
        texts[i] = (struct prof_text){names[i], strlen(names[i])};
    bool good = label(texts, count, true, 0, labels);
    free(texts);
    return good;
}

static bool is_of_a_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/* The label of a mangled name of `size` bytes; "" if it is not a mangled name.  False: out of memory. */
static bool label_mangled(const char *name, size_t size, char out[PROF_LABEL]) {
    char *mangled = strndup(name, size), *plain = mangled ? prof_demangle(mangled) : NULL;
    const char *const names[] = {plain};
    out[0] = 0;
    bool good =
        plain && (strcmp(plain, mangled) == 0 || prof_labels_make(names, 1, (char(*)[PROF_LABEL])out));
    free(mangled);
    free(plain);
    return good;
}

char *prof_demangle_words(const char *words, const char *known) {
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (!to)
        return NULL;
    bool good = true;
    for (const char *c = words; *c && good;) {
        size_t size = 0;
        if (strncmp(c, "_Z", 2) == 0 && (c == words || !is_of_a_name(c[-1])))
            while (is_of_a_name(c[size]))
                size++;
        char name[PROF_LABEL] = "";
        bool cut = size && strncmp(c + size, "..", 2) == 0;
        if (cut && known && strncmp(known, c, size) == 0)
            good = label_mangled(known, strlen(known), name);
        else if (size && !cut)
            good = label_mangled(c, size, name);
        if (name[0]) {
            fputs(name, to);
            c += size + (cut ? 2 : 0);
        } else {
            fwrite(c, 1, size ? size : 1, to);
            c += size ? size : 1;
        }
    }
    if (fclose(to) == 0 && good)
        return text;
    free(text);
    return NULL;
}
