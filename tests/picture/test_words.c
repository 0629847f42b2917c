/* The sentences of known requests, word for word, and that each fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/picture/random_request.h"

struct example {
    const char *rules; /* NULL: the default */
    enum picture_space space;
    enum count_kind kind;
    unsigned width;
    uint32_t mask;
    uint64_t (*address)(uint64_t lane);
    const char *sentence;
};

static uint64_t words(uint64_t lane) {
    return 4096 + 4 * lane;
}
static uint64_t backwards(uint64_t lane) {
    return 4096 + 4 * (31 - lane);
}
static uint64_t shifted(uint64_t lane) {
    return 4100 + 4 * lane;
}
static uint64_t two_words(uint64_t lane) {
    return 4096 + 8 * lane;
}
static uint64_t three_words(uint64_t lane) {
    return 4096 + 12 * lane;
}
static uint64_t four_words(uint64_t lane) {
    return 4096 + 16 * lane;
}
static uint64_t column(uint64_t lane) {
    return 4096 + 128 * lane;
}
static uint64_t padded(uint64_t lane) {
    return 4096 + 132 * lane;
}
static uint64_t far(uint64_t lane) {
    return 4096 + 8192 * lane;
}
static uint64_t same(uint64_t lane) {
    (void)lane;
    return 4096;
}
static uint64_t histogram(uint64_t lane) {
    return 4096 + 4 * (lane % 4);
}
static uint64_t scattered(uint64_t lane) {
    return 4096 + 4 * (lane * lane * 37 % 1009);
}
static uint64_t shuffled(uint64_t lane) {
    return 4096 + 4 * (lane * 5 % 32);
}
static uint64_t short_rows(uint64_t lane) {
    return 4112 + 4 * (lane % 16) + 1008 * (lane / 16);
}

static uint64_t columns_of_16(uint64_t lane) {
    return 4096 + 4096 * (lane % 16) + 4 * (lane / 16);
}
static uint64_t two_columns(uint64_t lane) {
    return 128 * (lane % 16) + 4 * (lane / 16);
}

static uint64_t two_rows_broadcast(uint64_t lane) {
    return lane / 16 * 4028;
}

static uint64_t rows_of_44(uint64_t lane) {
    return 4096 + 4 * (lane % 16) + 4 * 44 * (lane / 16);
}

static uint64_t at_24(uint64_t lane) {
    return 4120 + 4 * lane;
}

static const struct example examples[] = {
#include "tests/picture/sentences.inc"
};

static void sentences_are_these(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        uint64_t address[32];
        for (uint64_t lane = 0; lane < 32; lane++)
            address[lane] = e->address(lane);
        struct picture_request request = {.rules = count_rules_find(e->rules), .space = e->space};
        request.access =
            (struct count_access){.kind = e->kind, .width = e->width, .mask = e->mask, .address = address};
        char sentence[PICTURE_SENTENCE_MOST];
        struct picture_text text = {sentence, sizeof sentence, 0};
        picture_put_sentence(&text, &request);
        assert_string_equal(sentence, e->sentence);
    }
}

/* Begins with the lanes, ends with a full stop, and fits. */
static void every_sentence_is_whole(void **state) {
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 100000; i++) {
        uint64_t address[32];
        const struct picture_request request = random_request(&seed, address);
        char sentence[PICTURE_SENTENCE_MOST];
        struct picture_text text = {sentence, sizeof sentence, 0};
        picture_put_sentence(&text, &request);
        assert_true(text.used < sizeof sentence);
        assert_true(sentence[0] >= '1' && sentence[0] <= '9');
        assert_true(sentence[text.used - 1] == '.');
        assert_null(strstr(sentence, "  "));
        assert_int_equal(
            strspn(sentence, "0123456789 abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:;,.'"),
            text.used);
    }
}

/* A column of a tile in shared memory whose rows have so many elements. */
static struct picture_request column_of(unsigned elements, unsigned width, bool swizzled,
                                        uint64_t address[32]) {
    for (unsigned row = 0; row < 32; row++)
        address[row] = (uint64_t)width * (row * elements + (swizzled ? row % elements : 0));
    struct picture_request request = {.rules = count_rules_find(NULL), .space = PICTURE_SHARED};
    request.access = (struct count_access){.width = width, .mask = UINT32_MAX, .address = address};
    return request;
}

static void assert_at_best(unsigned elements, unsigned width, bool swizzled) {
    uint64_t address[32];
    const struct picture_request request = column_of(elements, width, swizzled, address);
    const struct picture_figures figures = picture_figures(&request);
    assert_int_equal(figures.cost.transactions, figures.least);
}

/* Whoever follows the advice on a column has no conflict left. */
static void advice_on_columns_holds(void **state) {
    static const char *const words[] = {"one element of padding", "One more column", "Two more columns",
                                        "Three more columns", "Four more columns"};
    static const unsigned more[] = {1, 1, 2, 3, 4};
    unsigned mended = 0, swizzled = 0;
    (void)state;
    for (unsigned width = 1; width <= 16; width *= 2)
        for (unsigned elements = 1; elements <= 256; elements++) {
            uint64_t address[32];
            char sentence[PICTURE_SENTENCE_MOST];
            struct picture_text text = {sentence, sizeof sentence, 0};
            const struct picture_request request = column_of(elements, width, false, address);
            picture_put_sentence(&text, &request);
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                if (strstr(sentence, words[i]) && strstr(sentence, "would mend it")) {
                    assert_at_best(elements + more[i], width, false);
                    mended++;
                }
            if (strstr(sentence, "or a swizzle,") && !(elements & (elements - 1))) {
                assert_at_best(elements, width, true);
                swizzled++;
            }
        }
    assert_true(mended > 300 && swizzled > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_are_these),
        cmocka_unit_test(advice_on_columns_holds),
        cmocka_unit_test(every_sentence_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
