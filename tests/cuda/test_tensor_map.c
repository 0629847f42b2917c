/* Tensor maps: every answer and word is an H200's (CUDA 13.0), except packed types, which it lacks. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/cuda/api.h"

/* A case's arguments follow the default ones and override them. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

enum { WORDS = 32 };

/* The arguments of both functions; those not given keep their defaults. */
struct arguments {
    int type;
    unsigned rank;
    uint64_t address;
    cuuint64_t size[5], stride[4];
    cuuint32_t box[5], step[5];
    int lower[3], upper[3];
    unsigned channels, pixels;
    int interleave, swizzle, promotion, fill;
};

#define PLAIN                                                                                                \
    .type = 7, .rank = 3, .address = 1 << 30, .size = {64, 32, 16}, .stride = {256, 8192},                   \
    .box = {32, 8, 4}, .step = {1, 1, 1}
#define IMAGES                                                                                               \
    .type = 7, .rank = 4, .address = 1 << 30, .size = {64, 32, 16, 8}, .stride = {256, 8192, 131072},        \
    .step = {1, 1, 1, 1}, .channels = 16, .pixels = 32

static CUresult tiled(void *map, const struct arguments *a) {
    return api.cuTensorMapEncodeTiled(map, (CUtensorMapDataType)a->type, a->rank,
                                      (void *)(uintptr_t)a->address, a->size, a->stride, a->box, a->step,
                                      (CUtensorMapInterleave)a->interleave, (CUtensorMapSwizzle)a->swizzle,
                                      (CUtensorMapL2promotion)a->promotion, (CUtensorMapFloatOOBfill)a->fill);
}

static CUresult images(void *map, const struct arguments *a) {
    return api.cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)a->type, a->rank,
                                       (void *)(uintptr_t)a->address, a->size, a->stride, a->lower, a->upper,
                                       a->channels, a->pixels, a->step, (CUtensorMapInterleave)a->interleave,
                                       (CUtensorMapSwizzle)a->swizzle, (CUtensorMapL2promotion)a->promotion,
                                       (CUtensorMapFloatOOBfill)a->fill);
}

typedef CUresult encode_fn(void *map, const struct arguments *a);

/* A refused call does not change the map. */
static void answers(encode_fn *encode, const struct arguments *a, bool right, const char *what) {
    CUtensorMap map, before;
    memset(&map, 0x5a, sizeof map);
    memset(&before, 0x5a, sizeof before);
    const CUresult got = encode(&map, a);
    if (got != (right ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE))
        fail_msg("%s: %d", what, got);
    if (!right)
        assert_memory_equal(&map, &before, sizeof map);
}

#define ANSWERS(encode, given, right, ...)                                                                   \
    do {                                                                                                     \
        const struct arguments a_ = {given, __VA_ARGS__};                                                    \
        answers(encode, &a_, right, #__VA_ARGS__);                                                           \
    } while (0)
#define OK(...)        ANSWERS(tiled, PLAIN, true, __VA_ARGS__)
#define NO(...)        ANSWERS(tiled, PLAIN, false, __VA_ARGS__)
#define IMAGES_OK(...) ANSWERS(images, IMAGES, true, __VA_ARGS__)
#define IMAGES_NO(...) ANSWERS(images, IMAGES, false, __VA_ARGS__)

/* words: those that are not 0, as "number=hexadecimal value". */
static void holds(encode_fn *encode, const struct arguments *a, const char *words, const char *what) {
    uint32_t expected[WORDS] = {0}, got[WORDS], word;
    unsigned at;
    int length;
    for (; sscanf(words, "%u=%" SCNx32 "%n", &at, &word, &length) == 2 && at < WORDS; words += length)
        expected[at] = word;
    CUtensorMap map;
    assert_ok(encode(&map, a));
    memcpy(got, &map, sizeof got);
    for (unsigned i = 0; i < WORDS; i++)
        if (got[i] != expected[i])
            fail_msg("%s: word %u is %x, not %x", what, i, got[i], expected[i]);
}

#define HOLDS(encode, given, words, ...)                                                                     \
    do {                                                                                                     \
        const struct arguments a_ = {given, __VA_ARGS__};                                                    \
        holds(encode, &a_, words, #__VA_ARGS__);                                                             \
    } while (0)

static void words(void **state) {
    (void)state;
    static const char *const types[] = {
        "0=40000000 2=20 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=400 18=10",
        "0=40000000 2=a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=800 18=10",
        "0=40000000 2=120 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
        "0=40000000 2=1a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
        "0=40000000 2=220 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=2000 18=10",
        "0=40000000 2=2a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=2000 18=10",
        "0=40000000 2=320 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=800 18=10",
        "0=40000000 2=3a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
        "0=40000000 2=4a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=2000 18=10",
        "0=40000000 2=520 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=800 18=10",
        "0=40000000 2=420 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
        "0=40000000 2=103a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
        "0=40000000 2=10420 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
    };
    for (int type = 0; type < 13; type++)
        HOLDS(tiled, PLAIN, types[type], .type = type);
    HOLDS(tiled, PLAIN, "0=40000000 2=390 3=10 8=3f 9=1f 13=1f000000 14=7 16=400 18=10", .rank = 2);
    HOLDS(tiled, PLAIN,
          "0=40000000 2=3c0 3=1 4=10 5=100 6=1000 8=3 9=4 10=5 11=6 12=7 13=3004688 14=1010201 18=10",
          .rank = 5, .size = {4, 5, 6, 7, 8}, .stride = {16, 256, 4096, 65536}, .box = {4, 2, 3, 2, 2},
          .step = {1, 2, 3, 4, 5});
    HOLDS(tiled, PLAIN, "0=40000000 2=83a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
          .fill = 1);
    HOLDS(tiled, PLAIN, "0=40000000 2=203a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
          .promotion = 1);
    HOLDS(tiled, PLAIN, "0=40000000 2=403a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
          .promotion = 2);
    HOLDS(tiled, PLAIN, "0=40000000 2=603a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
          .promotion = 3);
    HOLDS(tiled, PLAIN, "0=40000000 2=ba0 3=10 4=200 8=3f 9=1f 10=f 13=1f000000 14=307 16=1000 18=10",
          .interleave = 1);
    HOLDS(tiled, PLAIN, "0=40000000 2=33a0 3=10 4=200 8=3f 9=1f 10=f 13=7000000 14=307 16=400 18=100",
          .interleave = 2, .swizzle = 1, .box = {8, 8, 4});
    HOLDS(tiled, PLAIN, "0=40000000 2=3a0 3=10 4=200 8=3f 9=1f 10=f 13=7000000 14=307 16=400 18=10",
          .swizzle = 0, .box = {8, 8, 4});
    HOLDS(tiled, PLAIN, "0=40000000 2=23a0 3=10 4=200 8=3f 9=1f 10=f 13=7000000 14=307 16=400 18=100",
          .swizzle = 1, .box = {8, 8, 4});
    HOLDS(tiled, PLAIN, "0=40000000 2=43a0 3=10 4=200 8=3f 9=1f 10=f 13=7000000 14=307 16=400 18=200",
          .swizzle = 2, .box = {8, 8, 4});
    HOLDS(tiled, PLAIN, "0=40000000 2=63a0 3=10 4=200 8=3f 9=1f 10=f 13=7000000 14=307 16=400 18=400",
          .swizzle = 3, .box = {8, 8, 4});
    /* A box size that a step does not divide is rounded down to steps. */
    HOLDS(tiled, PLAIN, "0=40000000 2=3a0 3=10 4=200 8=3f 9=1f 10=f 13=1f000002 14=307 16=500 18=10",
          .step = {3, 1, 1});
    HOLDS(tiled, PLAIN, "0=40000000 2=3a0 3=10 4=200 8=3f 9=1f 10=f 13=ff000008 14=e4 16=1c800 18=10",
          .step = {1, 2, 1}, .box = {256, 229, 1});
}

static void words_of_images(void **state) {
    (void)state;
    HOLDS(images, IMAGES,
          "0=40000000 2=3b1 3=10 4=200 5=2000 8=3f 9=1f 10=f 11=7 13=f000000 15=1f 16=800 18=10", .fill = 0);
    HOLDS(images, IMAGES,
          "0=40000000 2=3c1 3=1 4=10 5=100 6=1000 8=3 9=4 10=5 11=6 12=7 13=3004688 14=3f830830 15=6 16=70 "
          "18=10",
          .rank = 5, .size = {4, 5, 6, 7, 8}, .stride = {16, 256, 4096, 65536}, .lower = {-16, 1, 2},
          .upper = {3, -4, 15}, .channels = 4, .pixels = 7, .step = {1, 2, 3, 4, 5});
    HOLDS(images, IMAGES, "0=40000000 2=3a1 3=10 4=200 8=3f 9=1f 10=f 13=f000000 14=3fed4 15=1f 16=800 18=10",
          .rank = 3, .lower = {-300}, .upper = {3});
    HOLDS(images, IMAGES,
          "0=40000000 2=3b1 3=10 4=200 5=2000 8=3f 9=1f 10=f 11=7 13=f000000 14=5ff02fd 15=1f 16=800 18=10",
          .lower = {-3, 2}, .upper = {-1, 5});
    HOLDS(images, IMAGES,
          "0=40000000 2=3b1 3=10 4=200 5=2000 8=3f 9=1f 10=f 11=7 13=ff000000 15=e3 16=39000 18=10",
          .channels = 256, .pixels = 228);
    HOLDS(images, IMAGES,
          "0=40000000 2=3b1 3=10 4=200 5=2000 8=3f 9=1f 10=f 11=7 13=f000000 15=3ff 16=10000 18=10",
          .pixels = 1024);
}

static void choices(void **state) {
    (void)state;
    for (int type = -1; type < 18; type++)
        for (int fill = -1; fill < 4; fill++) {
            const bool known = type >= 0 && type < 13 && fill >= 0 && fill < 2;
            ANSWERS(tiled, PLAIN, known && (!fill || type >= 6), .type = type, .fill = fill);
            ANSWERS(images, IMAGES, known && (!fill || type >= 6), .type = type, .fill = fill);
        }
    for (int interleave = -1; interleave < 4; interleave++)
        for (int swizzle = -1; swizzle < 9; swizzle++)
            ANSWERS(tiled, PLAIN, interleave >= 0 && interleave < 3 && swizzle >= 0 && swizzle < 4,
                    .interleave = interleave, .swizzle = swizzle, .box = {8, 8, 4});
    for (int promotion = -1; promotion < 6; promotion++)
        ANSWERS(tiled, PLAIN, promotion >= 0 && promotion < 4, .promotion = promotion);
}

static void shapes(void **state) {
    (void)state;
    for (unsigned rank = 0; rank < 8; rank++)
        for (int interleave = 0; interleave < 2; interleave++) {
            ANSWERS(tiled, PLAIN, rank >= (interleave ? 3 : 1) && rank < 6, .rank = rank,
                    .size = {4, 4, 4, 4, 4}, .stride = {16, 64, 256, 1024}, .box = {4, 4, 4, 4, 4},
                    .step = {1, 1, 1, 1, 1}, .interleave = interleave);
            ANSWERS(images, IMAGES, rank >= 3 && rank < 6, .rank = rank, .size = {4, 4, 4, 4, 4},
                    .stride = {16, 64, 256, 1024}, .step = {1, 1, 1, 1, 1}, .interleave = interleave);
        }
    /* A sixth dimension, with everything else valid. */
    static const cuuint64_t sizes[] = {4, 4, 4, 4, 4, 4}, strides[] = {16, 64, 256, 1024, 4096};
    static const cuuint32_t box[] = {4, 4, 4, 4, 4, 4}, steps[] = {1, 1, 1, 1, 1, 1};
    CUtensorMap map;
    for (unsigned rank = 5; rank < 7; rank++)
        assert_int_equal(
            api.cuTensorMapEncodeTiled(&map, 7, rank, (void *)64, sizes, strides, box, steps, 0, 0, 0, 0),
            rank == 5 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    for (uint64_t bit = 0; bit < 64; bit++) {
        ANSWERS(tiled, PLAIN, bit >= 4 && bit < 57, .address = UINT64_C(1) << bit);
        ANSWERS(tiled, PLAIN, bit >= 5 && bit < 57, .address = UINT64_C(1) << bit, .interleave = 2,
                .swizzle = 1, .box = {8, 8, 4});
        ANSWERS(tiled, PLAIN, bit >= 4 && bit < 40, .stride = {256, UINT64_C(1) << bit});
        ANSWERS(tiled, PLAIN, bit >= 5 && bit < 40, .stride = {UINT64_C(1) << bit, 256}, .interleave = 2,
                .box = {8, 8, 4});
        ANSWERS(tiled, PLAIN, bit <= 32, .size = {64, UINT64_C(1) << bit, 1});
    }
    OK(.address = 0);
    OK(.address = (UINT64_C(1) << 57) - 16);
    OK(.stride = {0, 0});
    OK(.stride = {240, (UINT64_C(1) << 40) - 16});
    NO(.stride = {255, 8192});
    NO(.size = {0, 32, 16});
    NO(.size = {64, 32, 0});
    NO(.size = {64, (UINT64_C(1) << 32) + 1, 16});
    NO(.size = {(UINT64_C(1) << 32) + 1, 32, 16});
    for (unsigned step = 0; step < 12; step++)
        for (int interleave = 0; interleave < 2; interleave++) {
            ANSWERS(tiled, PLAIN, step >= 1 && step <= 8, .step = {step, 1, 1}, .interleave = interleave);
            ANSWERS(tiled, PLAIN, step >= 1 && step <= 8, .step = {1, 1, step}, .interleave = interleave);
            ANSWERS(images, IMAGES, step >= 1 && step <= 8, .step = {1, step, 1, 1},
                    .interleave = interleave);
        }
}

static void boxes(void **state) {
    (void)state;
    for (unsigned box = 0; box < 260; box++) {
        const bool fits = box >= 1 && box <= 256;
        ANSWERS(tiled, PLAIN, fits && box % 4 == 0, .box = {box, 8, 4});
        ANSWERS(tiled, PLAIN, fits && box % 4 == 0, .box = {box, 8, 4}, .interleave = 1);
        ANSWERS(tiled, PLAIN, fits && box % 4 == 0 && box <= 16, .box = {box, 8, 4}, .swizzle = 2);
        ANSWERS(tiled, PLAIN, fits && box % 4 == 0, .box = {box, 8, 4}, .swizzle = 2, .interleave = 1);
        ANSWERS(tiled, PLAIN, fits && box % 16 == 0, .box = {box, 8, 4}, .type = 0);
        ANSWERS(tiled, PLAIN, fits, .box = {4, box, 1});
        ANSWERS(images, IMAGES, fits && box % 4 == 0, .channels = box);
        ANSWERS(images, IMAGES, fits && box % 4 == 0 && box <= 32, .channels = box, .swizzle = 3);
        /* A multiprocessor has 228 KiB of shared memory. */
        ANSWERS(tiled, PLAIN, box >= 1 && box <= 228, .box = {256, box, 1});
        ANSWERS(images, IMAGES, box >= 1 && box <= 228, .channels = 256, .pixels = box);
    }
    OK(.swizzle = 1, .box = {8, 8, 4});
    NO(.swizzle = 1, .box = {12, 8, 4});
    NO(.swizzle = 3, .box = {36, 8, 4});
    NO(.box = {256, 256, 256});
    NO(.rank = 5, .size = {4, 4, 4, 4, 4}, .stride = {16, 64, 256, 1024}, .box = {256, 256, 256, 256, 256},
       .step = {1, 1, 1, 1, 1});
    OK(.box = {256, 256, 1}, .step = {1, 2, 1});
    IMAGES_OK(.pixels = 1024);
    IMAGES_NO(.pixels = 1025);
    IMAGES_NO(.pixels = 0);
}

static void corners(void **state) {
    (void)state;
    static const int limits[] = {32768, 128, 16};
    for (unsigned rank = 3; rank < 6; rank++)
        for (int side = 0; side < 2; side++) {
            const int limit = limits[rank - 3], past = side ? limit : -limit - 1,
                      last = side ? limit - 1 : -limit;
#define SIZED                                                                                                \
    .rank = rank, .size = {4, 1 << 20, 1 << 20, 1 << 20, 4}, .stride = {16, 64, 256, 1024}, .step = {        \
        1,                                                                                                   \
        1,                                                                                                   \
        1,                                                                                                   \
        1,                                                                                                   \
        1                                                                                                    \
    }
            for (unsigned i = 0; i < 3; i++) {
                const bool right = i + 2 >= rank; /* offsets beyond the rank are ignored */
                const int out[3] = {i == 0 ? past : 0, i == 1 ? past : 0, i == 2 ? past : 0};
                ANSWERS(images, IMAGES, right, SIZED, .lower = {out[0], out[1], out[2]});
                ANSWERS(images, IMAGES, right, SIZED, .upper = {out[0], out[1], out[2]});
            }
            ANSWERS(images, IMAGES, true, SIZED, .lower = {last, last, last}, .upper = {last, last, last});
        }
    /* 32 by 16 pixels: some of them must remain. */
    IMAGES_OK(.upper = {-31, -15});
    IMAGES_NO(.upper = {-32, 0});
    IMAGES_NO(.upper = {0, -16});
    IMAGES_OK(.lower = {31, 15});
    IMAGES_NO(.lower = {32, 0});
    IMAGES_NO(.lower = {0, 16});
    IMAGES_OK(.lower = {33, 0}, .upper = {2, 0});
}

static void addresses(void **state) {
    (void)state;
    const struct arguments plain = {PLAIN}, interleaved = {PLAIN, .interleave = 2};
    _Alignas(64) char bytes[256];
    CUtensorMap *map = (void *)bytes;
    assert_ok(tiled(map, &plain));
    uint32_t before[WORDS], after[WORDS];
    memcpy(before, map, sizeof before);
    assert_ok(api.cuTensorMapReplaceAddress(map, (void *)0x123456789abcd0));
    memcpy(after, map, sizeof after);
    assert_int_equal(after[0], 0x789abcd0);
    assert_int_equal(after[1], 0x123456);
    assert_memory_equal(after + 2, before + 2, sizeof after - 8);
    static const uint64_t bad[] = {0, 8, 17, UINT64_C(1) << 57, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(api.cuTensorMapReplaceAddress(map, (void *)(uintptr_t)bad[i]),
                         CUDA_ERROR_INVALID_VALUE);
    assert_memory_equal(map, after, sizeof after);
    assert_ok(tiled(map, &interleaved));
    assert_ok(api.cuTensorMapReplaceAddress(map, (void *)16));
    /* The driver does not check the map's alignment. */
    assert_ok(tiled((void *)(bytes + 16), &plain));
    assert_memory_equal(bytes + 16, before, sizeof before);
    assert_ok(api.cuTensorMapReplaceAddress((void *)(bytes + 16), (void *)4096));
}

static void missing(void **state) {
    (void)state;
    const struct arguments a = {IMAGES, .box = {32, 8, 4, 1}};
    CUtensorMap map;
    const cuuint64_t *size = a.size, *stride = a.stride;
    const cuuint32_t *box = a.box, *step = a.step;
    for (unsigned without = 0; without < 6; without++) {
        const CUresult right = without == 5 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
#define GIVEN(n, pointer) (without == (n) ? NULL : (pointer))
        assert_int_equal(api.cuTensorMapEncodeTiled(GIVEN(0, &map), 7, 4, (void *)64, GIVEN(1, size),
                                                    GIVEN(2, stride), GIVEN(3, box), GIVEN(4, step), 0, 0, 0,
                                                    0),
                         right);
    }
    assert_int_equal(api.cuTensorMapEncodeTiled(&map, 7, 1, (void *)64, size, NULL, box, step, 0, 0, 0, 0),
                     CUDA_ERROR_INVALID_VALUE);
    for (unsigned without = 0; without < 7; without++) {
        const CUresult right = without == 6 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        assert_int_equal(api.cuTensorMapEncodeIm2col(GIVEN(0, &map), 7, 4, (void *)64, GIVEN(1, size),
                                                     GIVEN(2, stride), GIVEN(3, a.lower), GIVEN(4, a.upper),
                                                     16, 32, GIVEN(5, step), 0, 0, 0, 0),
                         right);
    }
    assert_int_equal(api.cuTensorMapReplaceAddress(NULL, (void *)64), CUDA_ERROR_INVALID_VALUE);
}

/* Blackwell's types, as cuda.h describes them; not verified on such a GPU. */
static void packed(void **state) {
    (void)state;
    assert_int_equal(api.set_arch("sm_100"), 0);
#define PACKED(right, ...)                                                                                   \
    ANSWERS(tiled, PLAIN, right, .size = {256, 32, 16}, .stride = {2048, 65536}, .box = {128, 8, 4},         \
            __VA_ARGS__)
    for (int type = 13; type < 16; type++) {
        const bool gaps = type > 13;
        PACKED(true, .type = type);
        PACKED(false, .type = type, .fill = 1);
        PACKED(!gaps, .type = type, .address = 16);
        PACKED(!gaps, .type = type, .stride = {2064, 65536});
        PACKED(!gaps, .type = type, .box = {64, 8, 4});
        PACKED(!gaps, .type = type, .size = {130, 32, 16});
        PACKED(false, .type = type, .size = {129, 32, 16});
        PACKED(type != 15, .type = type, .interleave = 1);
        for (int swizzle = 0; swizzle < 8; swizzle++)
            PACKED(swizzle == 0 || swizzle == 3 || swizzle == 4 || (swizzle == 6 && type != 14) ||
                       (!gaps && swizzle < 7 && swizzle > 1),
                   .type = type, .swizzle = swizzle);
    }
    PACKED(false, .type = 16);
    assert_int_equal(api.set_arch("sm_90"), 0);
}

/* sm_89 is the last architecture without tensor maps. */
static void devices_without(void **state) {
    (void)state;
    static const char *const architectures[] = {"sm_86", "sm_89"};
    const struct arguments plain = {PLAIN};
    CUtensorMap map;
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        assert_int_equal(api.set_arch(architectures[i]), 0);
        assert_int_equal(tiled(&map, &plain), CUDA_ERROR_NOT_SUPPORTED);
        assert_int_equal(api.cuTensorMapReplaceAddress(&map, (void *)64), CUDA_ERROR_NOT_SUPPORTED);
    }
    assert_int_equal(api.set_arch("sm_90"), 0);
}

static void contexts(void **state) {
    (void)state;
    const struct arguments plain = {PLAIN}, pictures = {IMAGES};
    CUtensorMap map;
    CUcontext context;
    assert_ok(api.cuCtxGetCurrent(&context));
    assert_ok(api.cuCtxSetCurrent(NULL));
    assert_int_equal(tiled(&map, &plain), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(images(&map, &pictures), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuTensorMapReplaceAddress(&map, (void *)64), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuCtxSetCurrent(context));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),           cmocka_unit_test(words_of_images), cmocka_unit_test(choices),
        cmocka_unit_test(shapes),          cmocka_unit_test(boxes),           cmocka_unit_test(corners),
        cmocka_unit_test(addresses),       cmocka_unit_test(missing),         cmocka_unit_test(packed),
        cmocka_unit_test(devices_without), cmocka_unit_test(contexts),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
