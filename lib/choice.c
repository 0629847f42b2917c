#include "lib/choice.h"

#include <inttypes.h>
#include <stdio.h>

static _Thread_local struct wl__choice last;
static _Thread_local char words[512];

static const char *in_words(void) {
    if (!last.operation)
        return "";
    size_t used = (size_t)snprintf(words, sizeof(words), "%s", last.operation);
    for (unsigned i = 0; i < WL_CHOICE_FACTS && last.facts[i].name && used < sizeof(words); i++)
        used += (size_t)snprintf(words + used, sizeof(words) - used, "%s%s %" PRIu64, i ? ", " : ": ",
                                 last.facts[i].name, last.facts[i].value);
    if (used < sizeof(words))
        snprintf(words + used, sizeof(words) - used, ": %s: %s", last.kernel, last.why);
    return words;
}

void wl__chose(const wl_context *context, const struct wl__choice *choice) {
    last = *choice;
    if (context->log)
        fprintf(stderr, "wideload: %s\n", in_words());
}

const char *wl_explain(void) {
    return in_words();
}
