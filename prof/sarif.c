/* SARIF 2.1.0, which code hosts and editors read; docs/prof.md says what becomes of it there. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"
#include "prof/annotations.h"
#include "prof/demangle.h"
#include "wideload.h"

enum { FORM = JSON_COMPACT };

/* ---------------------------------------------------------------- texts */

/* A message.  "[words](target)" would be a link and "{0}" a placeholder, and the words may be a program's. */
static json_t *message(const char *text) {
    char *safe = malloc(2 * strlen(text) + 1), *to = safe;
    for (; safe && *text; text++) {
        *to++ = *text;
        if (*text == '{' || *text == '}') /* two stand for one */
            *to++ = *text;
        else if (text[0] == ']' && text[1] == '(')
            *to++ = ' ';
    }
    if (safe)
        *to = '\0';
    json_t *object = json_object();
    json_t *result = base_json_if(safe && base_json_set(object, "text", base_json_text(safe)), object);
    free(safe);
    return result;
}

/* ---------------------------------------------------------------- rules */

static const struct {
    const char *description, *help;
} rules[PROF_RULES] = {
    [PROF_RULE_MEMORY] =
        {"An access outside memory that the program has",
         "A kernel or a copy accesses memory past the end of an allocation, after it was freed, or at "
         "an address that its size does not divide. Compare the index with the array's length "
         "before the access."},
    [PROF_RULE_RACE] =
        {"Two threads access the same memory without an order",
         "At least one of the two accesses is a store, and no barrier, fence or atomic access orders "
         "them, so the result depends on timing. Put a barrier between the two lines, or use an "
         "atomic operation."},
    [PROF_RULE_INIT] =
        {"A read of memory that was never written",
         "Neither the host nor a kernel has written these bytes. Write them first, for instance with "
         "cudaMemset()."},
    [PROF_RULE_SYNC] =
        {"A barrier or a warp's exchange that not all of its threads reach",
         "Part of a warp or block waits at a barrier that the others do not reach, or a mask names "
         "lanes that are elsewhere. Move the barrier out of the branch, or correct the mask."},
    [PROF_RULE_LEAK] =
        {"Device memory that was never freed",
         "The program ended without freeing this allocation. Free it when nothing uses it any more."},
    [PROF_RULE_FAULT] =
        {"A kernel that faulted",
         "The launch stopped here, as it would on a GPU. wideload prof --check memory,sync tells more of "
         "faulty addresses and of deadlocks."},
    [PROF_RULE_GATE] =
        {"A metric beyond the bound of --fail-if",
         "The kernel's metric is one that the command was told to fail for. The line is the one that "
         "wastes most in the kernel."},
    [PROF_RULE_WASTE] =
        {"Memory accesses that move more than they use",
         "The line needs more transactions than its bytes fill. Let neighbouring threads access "
         "neighbouring addresses, from an aligned one on; in shared memory, different banks."},
};

static json_t *rule_object(unsigned rule) {
    json_t *object = json_object();
    return base_json_if(base_json_set(object, "id", json_string(prof_rule_names[rule])) &&
                            base_json_set(object, "shortDescription", message(rules[rule].description)) &&
                            base_json_set(object, "help", message(rules[rule].help)),
                        object);
}

static json_t *tool_object(void) {
    json_t *tool = json_object(), *driver = json_object(), *array = json_array();
    bool right = true;
    for (unsigned rule = 0; right && rule < PROF_RULES; rule++)
        right = base_json_add(array, rule_object(rule));
    right = base_json_set(driver, "name", json_string("wideload")) &&
            base_json_set(driver, "version", json_string(WL_VERSION_STRING)) && right;
    right = base_json_set(driver, "rules", array) && right;
    right = base_json_set(tool, "driver", driver) && right;
    return base_json_if(right, tool);
}

/* ---------------------------------------------------------------- places */

#define ROOT "%SRCROOT%"

/* An absolute path without "." and "..", by its words alone, as the file may be another machine's.  The
 * caller frees it.  NULL: out of memory. */
static char *absolute(const char *path, const char *folder) {
    const size_t before = path[0] == '/' ? 0 : strlen(folder);
    char *joined = malloc(before + strlen(path) + 2), *to = joined;
    if (!joined)
        return NULL;
    sprintf(joined, "%.*s/%s", (int)before, folder, path);
    for (const char *from = joined; *from;) {
        const size_t slash = strspn(from, "/"), length = strcspn(from + slash, "/");
        const char *part = from + slash;
        from = part + length;
        if (length == 2 && memcmp(part, "..", 2) == 0) {
            while (to > joined && *--to != '/')
                ;
        } else if (length && !(length == 1 && *part == '.')) {
            *to++ = '/';
            memmove(to, part, length);
            to += length;
        }
    }
    *to = '\0';
    return joined;
}

/* A path as a URI, `before` it.  Bytes other than a URI's unreserved characters and slashes become %XX. */
static json_t *uri(const char *before, const char *path, const char *after) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    char *text = malloc(strlen(before) + 3 * strlen(path) + strlen(after) + 1);
    if (!text)
        return NULL;
    char *to = stpcpy(text, before);
    for (; *path; path++)
        if (strchr(plain, *path))
            *to++ = *path;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*path);
    strcpy(to, after);
    json_t *string = json_string(text);
    free(text);
    return string;
}

struct writer {
    FILE *file;
    const char *folder; /* the command's */
    char *root;         /* the sources', absolute */
    bool right;         /* false: out of memory */
    bool any;           /* a result has been written */
};

static json_t *artifact(const struct writer *writer, const char *file) {
    char *path = absolute(file, writer->folder);
    const char *rest = path ? prof_path_below(path, writer->root) : NULL;
    json_t *object = json_object();
    bool right = path && base_json_set(object, "uri", rest ? uri("", rest, "") : uri("file://", path, "")) &&
                 (!rest || base_json_set(object, "uriBaseId", json_string(ROOT)));
    free(path);
    return base_json_if(right, object);
}

static json_t *physical(const struct writer *writer, const char *file, unsigned line, unsigned column) {
    json_t *object = json_object();
    bool right = base_json_set(object, "artifactLocation", artifact(writer, file));
    if (right && line) {
        json_t *region = json_object();
        right = base_json_set(region, "startLine", json_integer(line)) &&
                (!column || base_json_set(region, "startColumn", json_integer(column)));
        right = base_json_set(object, "region", region) && right;
    }
    return base_json_if(right, object);
}

static json_t *logical(const char *kernel) {
    char *name = prof_demangle(kernel);
    json_t *array = json_array(), *object = json_object();
    bool right = name && base_json_set(object, "fullyQualifiedName", base_json_text(name)) &&
                 base_json_set(object, "decoratedName", base_json_text(kernel)) &&
                 base_json_set(object, "kind", json_string("function"));
    right = base_json_add(array, object) && right;
    free(name);
    return base_json_if(right, array);
}

/* file, kernel: NULL where unknown. */
static json_t *location(const struct writer *writer, const char *file, unsigned line, unsigned column,
                        unsigned ptx_line, const char *kernel) {
    json_t *object = json_object();
    bool right = !kernel || base_json_set(object, "logicalLocations", logical(kernel));
    if (right && file) {
        right = base_json_set(object, "physicalLocation", physical(writer, file, line, column));
    } else if (right && ptx_line) {
        char words[40];
        snprintf(words, sizeof words, "PTX line %u", ptx_line);
        right = base_json_set(object, "message", message(words));
    }
    return base_json_if(right, object);
}

/* ---------------------------------------------------------------- results */

/* FNV-1a of what tells a result from others and stays when lines move. */
static json_t *fingerprints(const struct prof_annotation *annotation) {
    const char *const parts[] = {prof_rule_names[annotation->rule],
                                 annotation->kernel ? annotation->kernel : "", annotation->what};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const char *at = parts[i];; at++) {
            hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
            if (!*at)
                break;
        }
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    json_t *object = json_object();
    return base_json_if(base_json_set(object, "wideload/v1", json_string(text)), object);
}

/* The other access of a race, or where else a warp waits; NULL: there is none. */
static const struct prof_place *other_place(const struct prof_annotation *annotation) {
    const struct prof_place *other = annotation->finding ? &annotation->finding->what.other : NULL;
    return other && (other->file || other->ptx_line) ? other : NULL;
}

static json_t *related(const struct writer *writer, const struct prof_annotation *annotation) {
    const struct prof_place *other = other_place(annotation);
    json_t *array = json_array(), *object = location(writer, other->file, other->line, 0, other->ptx_line,
                                                     other->kernel ? other->kernel : annotation->kernel);
    const char *words = annotation->rule == PROF_RULE_RACE ? "the other access" : "and here";
    /* Without a file its message is the line of the PTX. */
    bool right = object && (!other->file || base_json_set(object, "message", message(words)));
    right = base_json_add(array, object) && right;
    return base_json_if(right, array);
}

static json_t *locations(const struct writer *writer, const struct prof_annotation *annotation) {
    json_t *array = json_array();
    const bool known = annotation->file || annotation->kernel || annotation->ptx_line;
    return base_json_if(!known || base_json_add(array, location(writer, annotation->file, annotation->line,
                                                                annotation->column, annotation->ptx_line,
                                                                annotation->kernel)),
                        array);
}

static json_t *properties(const struct prof_annotation *annotation) {
    json_t *object = json_object();
    return base_json_if(
        base_json_set(object, "kind", base_json_text(annotation->what)) &&
            base_json_set(object, "occurrences", json_integer((json_int_t)annotation->times)) &&
            base_json_set(object, "launches", json_integer((json_int_t)annotation->launches)),
        object);
}

static json_t *result_object(const struct writer *writer, const struct prof_annotation *annotation) {
    static const char *const levels[] = {
        [PROF_ERROR] = "error", [PROF_WARNING] = "warning", [PROF_NOTE] = "note"};
    json_t *object = json_object();
    return base_json_if(base_json_set(object, "ruleId", json_string(prof_rule_names[annotation->rule])) &&
                            base_json_set(object, "ruleIndex", json_integer(annotation->rule)) &&
                            base_json_set(object, "level", json_string(levels[annotation->level])) &&
                            base_json_set(object, "message", message(annotation->message)) &&
                            base_json_set(object, "locations", locations(writer, annotation)) &&
                            (!other_place(annotation) ||
                             base_json_set(object, "relatedLocations", related(writer, annotation))) &&
                            base_json_set(object, "partialFingerprints", fingerprints(annotation)) &&
                            base_json_set(object, "properties", properties(annotation)),
                        object);
}

/* A result a line, written at once: with --each there may be a million. */
static void put_result(void *argument, const struct prof_annotation *annotation) {
    struct writer *writer = argument;
    if (!writer->right)
        return;
    json_t *object = result_object(writer, annotation);
    writer->right = object && fputs(writer->any ? ",\n  " : "\n  ", writer->file) != EOF &&
                    json_dumpf(object, writer->file, FORM) == 0;
    writer->any = true;
    json_decref(object);
}

/* ---------------------------------------------------------------- the run */

static bool notify(json_t *notifications, const char *level, const char *text) {
    json_t *object = json_object();
    bool right =
        base_json_set(object, "level", json_string(level)) && base_json_set(object, "message", message(text));
    return base_json_add(notifications, object) && right;
}

/* Why no results are no good news; NULL: they are. */
static const char *failure(const struct prof_report *report) {
    if (prof_is_incomplete(report))
        return PROF_INCOMPLETE;
    if (!report->recording->process_count)
        return "no process opened the simulator: nothing was looked at";
    return report->gate_count && !report->rows->count ? "no launch was there to be held against --fail-if"
                                                      : NULL;
}

static json_t *invocations_array(const struct prof_report *report) {
    const struct prof_recording *recording = report->recording;
    const char *words = failure(report);
    json_t *array = json_array(), *object = json_object(), *notifications = json_array();
    bool right = base_json_set(object, "executionSuccessful", json_boolean(!words)) &&
                 (!words || notify(notifications, "error", words));
    for (size_t i = 0; right && i < recording->message_count; i++)
        if (recording->messages[i].error)
            right = notify(notifications, "warning", recording->messages[i].text);
    right = base_json_set(object, "toolExecutionNotifications", notifications) && right;
    right = base_json_add(array, object) && right;
    return base_json_if(right, array);
}

static json_t *bases_object(const char *root) {
    json_t *bases = json_object(), *base = json_object();
    bool right = base_json_set(base, "uri", uri("file://", root, "/"));
    right = base_json_set(bases, ROOT, base) && right;
    return base_json_if(right, bases);
}

static bool put_member(FILE *file, const char *name, json_t *value) {
    return base_json_put(file, name, value, FORM) && fputs(",\n", file) != EOF;
}

static bool put_run(struct writer *writer, const struct prof_report *report) {
    FILE *file = writer->file;
    writer->right = put_member(file, "tool", tool_object()) &&
                    put_member(file, "invocations", invocations_array(report)) &&
                    put_member(file, "originalUriBaseIds", bases_object(writer->root)) &&
                    fputs(" \"results\": [", file) != EOF;
    prof_annotate(report, put_result, writer);
    return writer->right && fputs("\n ]", file) != EOF;
}

bool prof_put_sarif(FILE *file, const struct prof_report *report) {
    char *folder = getcwd(NULL, 0);
    const char *workspace = getenv("GITHUB_WORKSPACE"), *here = folder && *folder == '/' ? folder : "/";
    struct writer writer = {
        .file = file, .folder = here, .root = absolute(workspace && *workspace ? workspace : here, here)};
    bool right =
        writer.root &&
        fputs("{\n \"$schema\": \"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
              "sarif-schema-2.1.0.json\",\n \"version\": \"2.1.0\",\n \"runs\": [{\n",
              file) != EOF &&
        put_run(&writer, report) && fputs("\n }]\n}\n", file) != EOF;
    free(writer.root);
    free(folder);
    return right;
}
