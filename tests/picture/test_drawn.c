/* What is drawn is what was counted: so many sectors or wavefronts, so many bytes, of any request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/picture/random_request.h"

#ifdef __SANITIZE_ADDRESS__
enum { REQUESTS = 20000 };
#else
enum { REQUESTS = 101000 };
#endif

static char svg[PICTURE_SVG_MOST];

/* The commands of the path of a class, or "". */
static const char *path_of(const char *class) {
    char begin[64];
    snprintf(begin, sizeof begin, "<path class=\"%s\" d=\"", class);
    const char *at = strstr(svg, begin);
    return at ? at + strlen(begin) : "";
}

static unsigned pieces_of(const char *class) {
    unsigned count = 0;
    for (const char *at = path_of(class); *at && *at != '"'; at++)
        count += *at == 'M';
    return count;
}

static double first_width(const char *class) {
    const char *at = strchr(path_of(class), 'h');
    return at ? strtod(at + 1, NULL) : 0;
}

/* The bytes that the boxes of a class are wide, each rounded. */
static unsigned bytes_of(const char *class, double byte_width) {
    unsigned sum = 0;
    for (const char *at = path_of(class); *at && *at != '"'; at++)
        if (*at == 'h' && at[1] != '-')
            sum += (unsigned)(strtod(at + 1, NULL) / byte_width + 0.5);
    return sum;
}

/* Tags are closed in order, attributes are quoted, and no character needs an entity. */
static bool is_well_formed(const char *text) {
    const char *open[16];
    unsigned depth = 0, roots = 0;
    while (*text) {
        if (*text != '<') {
            if (*text == '&' || *text == '>' || !depth)
                return false;
            text++;
            continue;
        }
        const bool closes = *++text == '/';
        text += closes;
        const char *name = text;
        const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
        text += length;
        if (closes) {
            if (!depth || strncmp(open[--depth], name, length) != 0 || *text++ != '>')
                return false;
            continue;
        }
        roots += !depth;
        while (*text == ' ') {
            const size_t key = strspn(++text, "abcdefghijklmnopqrstuvwxyzB-");
            const char *value = text + key + 2;
            if (!key || strncmp(text + key, "=\"", 2) != 0)
                return false;
            const size_t size = strcspn(value, "\"<&");
            if (value[size] != '"')
                return false;
            text = value + size + 1;
        }
        const bool empty = *text == '/';
        text += empty;
        if (*text++ != '>' || depth == 16)
            return false;
        if (!empty)
            open[depth++] = name;
    }
    return !depth && roots == 1;
}

static void check_blocks(const struct picture_figures *figures) {
    assert_int_equal(pieces_of("s"), figures->cost.transactions);
    const double byte_width = first_width("s") / figures->unit;
    assert_true(byte_width > 0);
    assert_int_equal(bytes_of("u", byte_width), figures->cost.useful_bytes);
}

static void check_banks(const struct picture_request *request, const struct picture_figures *figures) {
    const char *more = strstr(svg, ">and ");
    const unsigned hidden = more ? (unsigned)strtoul(more + 5, NULL, 10) : 0, rows = pieces_of("w");
    assert_int_equal(rows + hidden, figures->cost.transactions);
    assert_true(rows <= 32);
    const struct count_access *access = &request->access;
    const bool atomic = access->kind == COUNT_ATOM || access->kind == COUNT_RED;
    if (!hidden && !atomic && access->width == 4)
        assert_int_equal(pieces_of("u") * 4, figures->cost.useful_bytes);
    if (!hidden && access->compare)
        assert_int_equal(pieces_of("u"), pieces_of("u a"));
}

/* Wavefronts are used without a gap; a bank serves one word in each, or one lane if lanes take turns; and
 * lanes of other groups have other wavefronts. */
static void check_wavefronts(const struct picture_request *request, const struct picture_figures *figures) {
    const struct count_access *access = &request->access;
    const unsigned lanes = count_split_shared(request->rules, access).lanes;
    const bool shares = access->kind == COUNT_LOAD || access->kind == COUNT_STORE || access->increment;
    const unsigned unit = access->width < 4 ? 4 : access->width;
    uint8_t wavefront[32];
    uint64_t used = 0;
    count_shared_wavefronts(request->rules, access, wavefront);
    for (unsigned a = 0; a < 32; a++) {
        if (!(access->mask >> a & 1))
            continue;
        used |= (access->compare ? 3ull : 1ull) << wavefront[a];
        for (unsigned b = 0; b < a; b++) {
            if (!(access->mask >> b & 1) || wavefront[a] != wavefront[b])
                continue;
            const uint64_t word_a = access->address[a] / unit, word_b = access->address[b] / unit;
            assert_int_equal(a / lanes, b / lanes);
            assert_true(word_a % (128 / unit) != word_b % (128 / unit) || (shares && word_a == word_b));
        }
    }
    const unsigned all = figures->cost.transactions;
    assert_true(used == (all == 64 ? UINT64_MAX : (UINT64_C(1) << all) - 1));
}

static void any_request_is_drawn_as_it_counts(void **state) {
    (void)state;
    uint32_t seed = 20130617;
    size_t longest = 0;
    for (int i = 0; i < REQUESTS; i++) {
        uint64_t address[32];
        const struct picture_request request = random_request(&seed, address);
        const struct picture_figures figures = picture_figures(&request);
        struct picture_text text = {svg, sizeof svg, 0};
        picture_put_svg(&text, &request);
        assert_true(text.used < sizeof svg);
        assert_int_equal(strlen(svg), text.used);
        assert_true(is_well_formed(svg));
        assert_true(figures.least >= 1 && figures.least <= figures.cost.transactions);
        if (figures.lanes == 1)
            assert_int_equal(figures.least, figures.cost.transactions);
        assert_int_equal(figures.cost.moved_bytes, figures.cost.transactions * figures.unit);
        if (request.space == PICTURE_SHARED) {
            check_banks(&request, &figures);
            check_wavefronts(&request, &figures);
        } else {
            check_blocks(&figures);
        }
        longest = text.used > longest ? text.used : longest;
    }
    assert_true(longest > 10000); /* the hardest requests were among them */
}

static void the_largest_pictures_fit(void **state) {
    (void)state;
    for (int space = 0; space < 3; space++)
        for (unsigned i = 0; count_rules_at(i); i++) {
            uint64_t address[32];
            for (unsigned lane = 0; lane < 32; lane++)
                address[lane] =
                    UINT64_C(0x7fffffffffff0000) + (uint64_t)(lane * 7 % 32) * UINT64_C(0x1000000000000f0);
            struct picture_request request = {.rules = count_rules_at(i), .space = (enum picture_space)space};
            request.access = (struct count_access){.kind = space == PICTURE_SHARED ? COUNT_ATOM : COUNT_LOAD,
                                                   .compare = space == PICTURE_SHARED,
                                                   .width = 16,
                                                   .mask = UINT32_MAX,
                                                   .address = address};
            struct picture_text text = {svg, sizeof svg, 0};
            picture_put_svg(&text, &request);
            assert_true(text.used < sizeof svg);
            assert_true(is_well_formed(svg));
        }
}

static void a_cut_text_ends_and_says_its_length(void **state) {
    (void)state;
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = 128 * lane;
    struct picture_request request = {.rules = count_rules_find(NULL)};
    request.access = (struct count_access){.width = 4, .mask = UINT32_MAX, .address = address};
    struct picture_text whole = {svg, sizeof svg, 0};
    picture_put_svg(&whole, &request);
    for (size_t size = 0; size < 300; size++) {
        char cut[301];
        memset(cut, '#', sizeof cut);
        struct picture_text text = {cut, size, 0};
        picture_put_svg(&text, &request);
        assert_int_equal(text.used, whole.used);
        assert_int_equal(cut[size], '#');
        if (!size)
            continue;
        assert_int_equal(strlen(cut), size - 1);
        assert_memory_equal(cut, svg, size - 1);
    }
}

static unsigned count_of(const char *words) {
    unsigned count = 0;
    for (const char *at = svg; (at = strstr(at, words)); at++)
        count++;
    return count;
}

static void distances_are_named_once(void **state) {
    (void)state;
    uint64_t address[32];
    for (unsigned lane = 0; lane < 32; lane++)
        address[lane] = 64 + lane / 16 * 4028;
    struct picture_request request = {.rules = count_rules_find(NULL)};
    request.access = (struct count_access){.width = 4, .mask = UINT32_MAX, .address = address};
    struct picture_text text = {svg, sizeof svg, 0};
    picture_put_svg(&text, &request);
    assert_int_equal(count_of(">0</text>"), 1);
    assert_int_equal(count_of(">+4000</text>"), 1);
    assert_int_equal(count_of("class=\"b\""), 1); /* the break between the two */
}

static void texts_are_appended(void **state) {
    (void)state;
    char bytes[4096];
    struct picture_text text = {bytes, sizeof bytes, 0};
    picture_put_style(&text);
    const size_t once = text.used;
    picture_put_style(&text);
    assert_int_equal(text.used, 2 * once);
    assert_memory_equal(bytes, bytes + once, once);
    assert_int_equal(strlen(bytes), 2 * once);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_request_is_drawn_as_it_counts),
        cmocka_unit_test(the_largest_pictures_fit),
        cmocka_unit_test(a_cut_text_ends_and_says_its_length),
        cmocka_unit_test(distances_are_named_once),
        cmocka_unit_test(texts_are_appended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
