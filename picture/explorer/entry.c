/* What docs/explorer.html calls: its request, set once, and then its figures, sentence and picture.
 * scripts/explorer.py compiles this for WebAssembly, with picture/ and sim/count/. */
#include "picture/picture.h"
#include "sim/count/lane_set.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

static uint64_t addresses[32];
static struct picture_request request;
static int32_t numbers[7];
static char words[PICTURE_SVG_MOST];

/* The 32 addresses, which the page writes. */
uint64_t *EXPORT(lane_addresses)(void);
uint64_t *EXPORT(lane_addresses)(void) {
    return addresses;
}

/* An architecture's name; NULL past the end of the table. */
const char *EXPORT(rules_name)(unsigned i);
const char *EXPORT(rules_name)(unsigned i) {
    const struct count_rules *rules = count_rules_at(i);
    return rules ? count_rules_name(rules) : NULL;
}

bool EXPORT(rules_proved)(unsigned i);
bool EXPORT(rules_proved)(unsigned i) {
    return count_rules_proved(count_rules_at(i));
}

enum { SKIPS_L1 = 1, INCREMENT = 2, COMPARE = 4 };

void EXPORT(set_request)(unsigned rules, unsigned space, unsigned kind, unsigned flags, unsigned width,
                         uint32_t mask);
void EXPORT(set_request)(unsigned rules, unsigned space, unsigned kind, unsigned flags, unsigned width,
                         uint32_t mask) {
    request = (struct picture_request){.rules = count_rules_at(rules), .space = (enum picture_space)space};
    request.access = (struct count_access){.kind = (enum count_kind)kind,
                                           .skips_l1 = flags & SKIPS_L1,
                                           .increment = flags & INCREMENT,
                                           .compare = flags & COMPARE,
                                           .width = width,
                                           .mask = mask,
                                           .address = addresses};
}

/* Transactions, moved bytes, useful bytes, bytes of a transaction, transactions at best, lanes, 128-byte
 * lines. */
const int32_t *EXPORT(figures)(void);
const int32_t *EXPORT(figures)(void) {
    const struct picture_figures f = picture_figures(&request);
    numbers[0] = (int32_t)f.cost.transactions;
    numbers[1] = (int32_t)f.cost.moved_bytes;
    numbers[2] = (int32_t)f.cost.useful_bytes;
    numbers[3] = (int32_t)f.unit;
    numbers[4] = (int32_t)f.least;
    numbers[5] = (int32_t)f.lanes;
    numbers[6] = (int32_t)lane_set_count(addresses, request.access.mask, 7);
    return numbers;
}

static const char *written(void (*put)(struct picture_text *, const struct picture_request *)) {
    struct picture_text text = {words, sizeof words, 0};
    put(&text, &request);
    return words;
}

/* Texts are valid until the next call. */
const char *EXPORT(sentence)(void);
const char *EXPORT(sentence)(void) {
    return written(picture_put_sentence);
}

const char *EXPORT(svg)(void);
const char *EXPORT(svg)(void) {
    return written(picture_put_svg);
}

const char *EXPORT(style)(void);
const char *EXPORT(style)(void) {
    struct picture_text text = {words, sizeof words, 0};
    picture_put_style(&text);
    return words;
}
