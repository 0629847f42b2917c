#include "lib/choice.h"

#include <inttypes.h>
#include <stdio.h>

enum { WORDS = 512 };

static _Thread_local struct wl__choice last;
static _Thread_local unsigned held;

/* Cuts off what is longer than WORDS. */
static void put_in_words(const struct wl__choice *choice, char words[WORDS]) {
    words[0] = '\0';
    if (!choice->operation)
        return;
    size_t used = (size_t)snprintf(words, WORDS, "%s", choice->operation);
    for (unsigned i = 0; i < WL_CHOICE_FACTS && choice->facts[i].name && used < WORDS; i++)
        used += (size_t)snprintf(words + used, WORDS - used, "%s%s %" PRIu64, i ? ", " : ": ",
                                 choice->facts[i].name, choice->facts[i].value);
    if (used < WORDS)
        snprintf(words + used, WORDS - used, ": %s: %s", choice->kernel, choice->why);
}

void wl__chose(const wl_context *context, const struct wl__choice *choice) {
    if (held)
        return;
    last = *choice;
    if (!context->log)
        return;
    /* Uses its own buffer: the words that wl_explain() returned must stay until it is called again.  One call
     * of fprintf keeps lines of several threads whole. */
    char words[WORDS];
    put_in_words(choice, words);
    fprintf(stderr, "wideload: %s\n", words);
}

void wl__choice_begin(const wl_context *context, const struct wl__choice *choice) {
    wl__chose(context, choice);
    held++;
}

void wl__choice_end(void) {
    held--;
}

bool wl__choice_is_held(void) {
    return held > 0;
}

const char *wl_explain(void) {
    static _Thread_local char words[WORDS];
    put_in_words(&last, words);
    return words;
}
