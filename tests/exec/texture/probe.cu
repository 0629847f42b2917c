// What a GPU's texture unit answers: every kind of fetch, format, filter and address mode, on fixed
// coordinates. probe FILE writes the results of all cases: name[72], status, the number of words; then the
// words.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

enum { N = 256 };
#define HEAD                                                                                                 \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                                     \
    if (i >= n)                                                                                              \
    return
#define ARGS cudaTextureObject_t t, const float *x, const float *y, const float *z, uint4 *out, int n
__device__ uint4 bits(float4 v) {
    return make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w));
}
__device__ uint4 bits(uint4 v) {
    return v;
}
__device__ uint4 bits(int4 v) {
    return make_uint4(v.x, v.y, v.z, v.w);
}
#define KERNELS(S, V)                                                                                        \
    extern "C" __global__ void fetch_##S(ARGS) {                                                             \
        HEAD;                                                                                                \
        out[i] = bits(tex1Dfetch<V>(t, (int)x[i]));                                                          \
    }                                                                                                        \
    extern "C" __global__ void tex1d_##S(ARGS) {                                                             \
        HEAD;                                                                                                \
        out[i] = bits(tex1D<V>(t, x[i]));                                                                    \
    }                                                                                                        \
    extern "C" __global__ void tex2d_##S(ARGS) {                                                             \
        HEAD;                                                                                                \
        out[i] = bits(tex2D<V>(t, x[i], y[i]));                                                              \
    }                                                                                                        \
    extern "C" __global__ void tex3d_##S(ARGS) {                                                             \
        HEAD;                                                                                                \
        out[i] = bits(tex3D<V>(t, x[i], y[i], z[i]));                                                        \
    }
KERNELS(f, float4) KERNELS(u, uint4) KERNELS(s, int4) extern "C" __global__ void lod1d_f(ARGS) {
    HEAD;
    out[i] = bits(tex1DLod<float4>(t, x[i], 0.f));
}
extern "C" __global__ void lod2d_f(ARGS) {
    HEAD;
    out[i] = bits(tex2DLod<float4>(t, x[i], y[i], i % 3 ? 0.f : z[i]));
}
extern "C" __global__ void grad2d_f(ARGS) {
    HEAD;
    out[i] = bits(tex2DGrad<float4>(t, x[i], y[i], make_float2(z[i], 1), make_float2(0, z[i])));
}
extern "C" __global__ void gather0_f(ARGS) {
    HEAD;
    out[i] = bits(tex2Dgather<float4>(t, x[i], y[i], 0));
}
extern "C" __global__ void gather1_f(ARGS) {
    HEAD;
    out[i] = bits(tex2Dgather<float4>(t, x[i], y[i], 1));
}
extern "C" __global__ void gather3_u(ARGS) {
    HEAD;
    out[i] = bits(tex2Dgather<uint4>(t, x[i], y[i], 3));
}
extern "C" __global__ void layer1d_f(ARGS) {
    HEAD;
    out[i] = bits(tex1DLayered<float4>(t, x[i], (int)z[i]));
}
extern "C" __global__ void layer2d_f(ARGS) {
    HEAD;
    out[i] = bits(tex2DLayered<float4>(t, x[i], y[i], (int)z[i]));
}
extern "C" __global__ void point2d_i(ARGS) {
    HEAD;
    uint4 v;
    asm volatile("tex.2d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(t), "r"((int)x[i]), "r"((int)y[i]));
    out[i] = v;
}
extern "C" __global__ void point1d_i(ARGS) {
    HEAD;
    uint4 v;
    asm volatile("tex.1d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5}];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(t), "r"((int)x[i]));
    out[i] = v;
}

struct rng {
    uint32_t s;
    uint32_t next() {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        return s;
    }
};
static void check(cudaError_t e, const char *what) {
    if (e) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}

enum kind { LINEAR, PITCH, ARRAY1, ARRAY2, ARRAY3, LAYERS1, LAYERS2, GATHER };
struct format {
    const char *name;
    cudaChannelFormatKind kind;
    int bits;
};
static const format formats[] = {
    {"u8", cudaChannelFormatKindUnsigned, 8},   {"s8", cudaChannelFormatKindSigned, 8},
    {"u16", cudaChannelFormatKindUnsigned, 16}, {"s16", cudaChannelFormatKindSigned, 16},
    {"u32", cudaChannelFormatKindUnsigned, 32}, {"s32", cudaChannelFormatKindSigned, 32},
    {"f16", cudaChannelFormatKindFloat, 16},    {"f32", cudaChannelFormatKindFloat, 32}};

struct source {
    cudaResourceDesc res;
    void *memory;
    cudaArray_t array;
    int w, h, d;
};

static uint32_t float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
// special: infinities, NaNs, subnormals too
static void fill(std::vector<unsigned char> &b, const format &f, bool special) {
    rng r{2463534242u};
    if (f.kind != cudaChannelFormatKindFloat) {
        for (auto &c : b)
            c = (unsigned char)(r.next() >> 11);
        return;
    }
    for (size_t i = 0; i + f.bits / 8 <= b.size(); i += f.bits / 8) {
        uint32_t v = r.next(), word;
        if (f.bits == 32) {
            word = float_bits((float)(int32_t)v / 1073741824.f);
            if (special) {
                static const uint32_t s[] = {0x7f800000, 0xff800000, 0x7fc12345, 0x7f812345,
                                             0x00000001, 0x80400000, 0x7f7fffff, 0x80000000};
                if (v % 3 == 0)
                    word = s[v / 3 % 8];
            }
        } else {
            word = (v >> 3 & 0x8000) | (0x2800 + v % 0x1800);
            if (special) {
                static const uint32_t s[] = {0x7c00, 0xfc00, 0x7e12, 0x7d12, 1, 0x8200, 0x7bff, 0x8000};
                if (v % 3 == 0)
                    word = s[v / 3 % 8];
            }
        }
        memcpy(&b[i], &word, f.bits / 8);
    }
}

static bool make_source(source &s, kind k, const format &f, int channels, int w, int h, int d, bool special) {
    memset(&s, 0, sizeof s);
    s.w = w;
    s.h = h;
    s.d = d;
    int b = f.bits;
    cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(b, channels > 1 ? b : 0, channels > 2 ? b : 0, channels > 2 ? b : 0, f.kind);
    size_t element = (size_t)b / 8 * channels;
    std::vector<unsigned char> data(element * w * (h ? h : 1) * (d ? d : 1));
    fill(data, f, special);
    if (k == LINEAR) {
        check(cudaMalloc(&s.memory, data.size()), "malloc");
        check(cudaMemcpy(s.memory, data.data(), data.size(), cudaMemcpyDefault), "copy");
        s.res.resType = cudaResourceTypeLinear;
        s.res.res.linear = {s.memory, desc, data.size()};
    } else if (k == PITCH) {
        size_t pitch;
        check(cudaMallocPitch(&s.memory, &pitch, element * w, h), "pitch");
        check(cudaMemcpy2D(s.memory, pitch, data.data(), element * w, element * w, h, cudaMemcpyHostToDevice),
              "2d");
        s.res.resType = cudaResourceTypePitch2D;
        s.res.res.pitch2D = {s.memory, desc, (size_t)w, (size_t)h, pitch};
    } else {
        unsigned flags = k == LAYERS1 || k == LAYERS2 ? cudaArrayLayered
                         : k == GATHER                ? cudaArrayTextureGather
                                                      : 0;
        cudaExtent e = make_cudaExtent(w, k == LAYERS1 ? 0 : h, d);
        if (k == ARRAY1 || k == ARRAY2 || k == GATHER) {
            check(cudaMallocArray(&s.array, &desc, w, h, flags), "array");
            check(cudaMemcpy2DToArray(s.array, 0, 0, data.data(), element * w, element * w, h ? h : 1,
                                      cudaMemcpyHostToDevice),
                  "to array");
        } else {
            check(cudaMalloc3DArray(&s.array, &desc, e, flags), "array3");
            cudaMemcpy3DParms p;
            memset(&p, 0, sizeof p);
            p.srcPtr = make_cudaPitchedPtr(data.data(), element * w, w, h ? h : 1);
            p.dstArray = s.array;
            p.extent = make_cudaExtent(w, h ? h : 1, d);
            p.kind = cudaMemcpyHostToDevice;
            check(cudaMemcpy3D(&p), "3d");
        }
        s.res.resType = cudaResourceTypeArray;
        s.res.res.array.array = s.array;
    }
    return true;
}
static void drop(source &s) {
    if (s.array)
        cudaFreeArray(s.array);
    if (s.memory)
        cudaFree(s.memory);
}

// Along one axis of w texels; normalized: divided by w.
static void coordinates(std::vector<float> &c, int w, bool normalized, uint32_t seed) {
    rng r{seed};
    c.clear();
    if (!w)
        w = 1;
    for (int i = 0; i < N; i++) {
        float v;
        uint32_t u = r.next();
        switch (i % 8) {
        case 0:
        case 1:
            v = ((float)(u % 65536) / 65536.f * 4.f - 1.5f) * w;
            break;
        case 2:
            v = (float)(int)(u % (4 * w + 8)) * .5f - 2.f;
            break;
        case 3:
            v = (float)(u % (w + 1)) + .5f + ((int)(u >> 16) % 9 - 4) / 1024.f;
            break;
        case 4:
            v = (float)(u % (w + 1)) + (float)(u >> 8 & 0xffff) / 65536.f;
            break;
        case 5:
            v = (float)(u % w) + (float)(u >> 9 & 1023) / 1024.f;
            break;
        case 6:
            v = (float)(u % w) + (2 * (u >> 9 & 255) + 1) / 512.f;
            break;
        default:
            v = (float)(u % (w * 256 + 1)) / 256.f;
            break;
        }
        if (normalized)
            v /= w;
        static const uint32_t odd[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f7fffff,
                                       0x3f800000, 0xbf800000, 0x33800000, 0xb3800000, 0x4f000000, 0xcf000000,
                                       0x5f000000, 0x00000001, 0x47800040, 0xc7800040};
        if (i < 16)
            memcpy(&v, &odd[(i + seed) % 16], 4);
        c.push_back(v);
    }
}

typedef void kernel(ARGS);
static FILE *dump;
static float *dx, *dy, *dz;
static uint4 *dout;
static void run_case(const char *name, kernel *k, const source &s, const cudaTextureDesc &td, uint32_t zmode,
                     bool z_is_axis) {
    char label[72];
    memset(label, 0, sizeof label);
    snprintf(label, sizeof label, "%s", name);
    cudaTextureObject_t t;
    int32_t status = cudaCreateTextureObject(&t, &s.res, &td, NULL), count = 0;
    std::vector<uint32_t> words;
    cudaGetLastError();
    if (!status) {
        std::vector<float> x, y, z;
        coordinates(x, s.w, td.normalizedCoords, 12345);
        coordinates(y, s.h, td.normalizedCoords, 67890);
        coordinates(z, s.d, td.normalizedCoords && z_is_axis, 13579);
        if (zmode)
            for (int i = 0; i < N; i++)
                z[i] = (float)((int)(i * 7 % 11) - 3) * (zmode == 2 ? 1.f : .25f);
        cudaMemcpy(dx, x.data(), 4 * N, cudaMemcpyDefault);
        cudaMemcpy(dy, y.data(), 4 * N, cudaMemcpyDefault);
        cudaMemcpy(dz, z.data(), 4 * N, cudaMemcpyDefault);
        cudaMemset(dout, 0xab, 16 * N);
        k<<<2, 128>>>(t, dx, dy, dz, dout, N);
        status = cudaDeviceSynchronize();
        if (status) {
            fprintf(stderr, "%s: %s\n", name, cudaGetErrorString((cudaError_t)status));
            fclose(dump);
            exit(1);
        }
        words.resize(4 * N);
        cudaMemcpy(words.data(), dout, 16 * N, cudaMemcpyDefault);
        count = 4 * N;
        cudaDestroyTextureObject(t);
    }
    fwrite(label, 1, sizeof label, dump);
    fwrite(&status, 4, 1, dump);
    fwrite(&count, 4, 1, dump);
    if (count)
        fwrite(words.data(), 4, count, dump);
}

static const char *const addresses[] = {"wrap", "clamp", "mirror", "border"};
static void cases(kind k, const char *source_name, const format &f, int channels, int w, int h, int d,
                  const char *kname, kernel *kf, kernel *ku, kernel *ks, unsigned address_set, bool special,
                  uint32_t zmode, bool srgb) {
    source s;
    make_source(s, k, f, channels, w, h, d, special);
    for (int address = 0; address < 4; address++)
        for (int filter = 0; filter < 2; filter++)
            for (int norm = 0; norm < 2; norm++)
                for (int read = 0; read < 2; read++) {
                    if (!(address_set >> address & 1))
                        continue;
                    if (k == LINEAR && (address != 1 || filter || norm))
                        continue;
                    bool is_float = read || f.kind == cudaChannelFormatKindFloat;
                    if (read && f.kind == cudaChannelFormatKindFloat)
                        continue;
                    if (srgb && !read)
                        continue;
                    cudaTextureDesc td;
                    memset(&td, 0, sizeof td);
                    for (int a = 0; a < 3; a++)
                        td.addressMode[a] = (cudaTextureAddressMode)address;
                    td.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
                    td.normalizedCoords = norm;
                    td.readMode = read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                    td.sRGB = srgb;
                    if (address == 3) {
                        td.borderColor[0] = .25f;
                        td.borderColor[1] = -3.f;
                        td.borderColor[2] = 77.f;
                        td.borderColor[3] = 1e10f;
                    }
                    kernel *kk = is_float ? kf : f.kind == cudaChannelFormatKindSigned ? ks : ku;
                    if (!kk)
                        continue;
                    char name[160];
                    snprintf(name, sizeof name, "%s/%s/%s%d%s%s/%s/%s/%s/%s", kname, source_name, f.name,
                             channels, special ? "!" : "", srgb ? "srgb" : "", addresses[address],
                             filter ? "linear" : "point", norm ? "norm" : "texel",
                             read ? "nfloat" : "element");
                    run_case(name, kk, s, td, zmode, k == ARRAY3);
                }
    drop(s);
}

static int do_dump(const char *path) {
    dump = fopen(path, "wb");
    if (!dump) {
        perror(path);
        return 1;
    }
    cudaMalloc(&dx, 4 * N);
    cudaMalloc(&dy, 4 * N);
    cudaMalloc(&dz, 4 * N);
    cudaMalloc(&dout, 16 * N);
    static const int channels[] = {1, 2, 4};
    for (const format &f : formats)
        for (int c : channels)
            cases(LINEAR, "linear", f, c, 100, 0, 0, "fetch", fetch_f, fetch_u, fetch_s, 15, false, 0, false);
    for (int i = 6; i < 8; i++)
        cases(LINEAR, "linear", formats[i], 4, 100, 0, 0, "fetch", fetch_f, fetch_u, fetch_s, 15, true, 0,
              false);
    cases(LINEAR, "linear", formats[0], 4, 100, 0, 0, "fetch", fetch_f, fetch_u, fetch_s, 15, false, 0, true);
    for (const format &f : formats)
        for (int c : channels) {
            bool all = c == 4 || f.bits == 32;
            cases(ARRAY1, "array1", f, c, 37, 0, 0, "tex1d", tex1d_f, tex1d_u, tex1d_s, all ? 15 : 2, false,
                  0, false);
            cases(ARRAY2, "array2", f, c, 13, 7, 0, "tex2d", tex2d_f, tex2d_u, tex2d_s, all ? 15 : 2, false,
                  0, false);
            if (c == 4)
                cases(PITCH, "pitch", f, c, 13, 7, 0, "tex2d", tex2d_f, tex2d_u, tex2d_s, 15, false, 0,
                      false);
        }
    for (int i = 6; i < 8; i++) {
        cases(ARRAY2, "array2", formats[i], 4, 13, 7, 0, "tex2d", tex2d_f, 0, 0, 2, true, 0, false);
        cases(ARRAY1, "array1", formats[i], 4, 37, 0, 0, "tex1d", tex1d_f, 0, 0, 8, true, 0, false);
    }
    cases(ARRAY2, "array2", formats[0], 4, 13, 7, 0, "tex2d", tex2d_f, 0, 0, 15, false, 0, true);
    cases(ARRAY2, "array2-pow2", formats[7], 1, 64, 32, 0, "tex2d", tex2d_f, 0, 0, 15, false, 0, false);
    cases(ARRAY1, "array1-1000", formats[7], 1, 1000, 0, 0, "tex1d", tex1d_f, 0, 0, 15, false, 0, false);
    cases(ARRAY3, "array3", formats[7], 4, 5, 4, 3, "tex3d", tex3d_f, 0, 0, 15, false, 0, false);
    cases(ARRAY3, "array3", formats[0], 4, 5, 4, 3, "tex3d", tex3d_f, tex3d_u, tex3d_s, 15, false, 0, false);
    cases(ARRAY2, "array2", formats[7], 4, 13, 7, 0, "lod2d", lod2d_f, 0, 0, 15, false, 1, false);
    cases(ARRAY1, "array1", formats[7], 4, 37, 0, 0, "lod1d", lod1d_f, 0, 0, 2, false, 1, false);
    cases(ARRAY2, "array2", formats[7], 4, 13, 7, 0, "grad2d", grad2d_f, 0, 0, 3, false, 1, false);
    cases(GATHER, "gather", formats[7], 4, 13, 7, 0, "gather0", gather0_f, 0, 0, 15, false, 0, false);
    cases(GATHER, "gather", formats[7], 2, 13, 7, 0, "gather1", gather1_f, 0, 0, 2, false, 0, false);
    cases(GATHER, "gather", formats[0], 4, 13, 7, 0, "gather3", 0, gather3_u, 0, 15, false, 0, false);
    cases(LAYERS1, "layers1", formats[7], 4, 13, 0, 4, "layer1d", layer1d_f, 0, 0, 15, false, 2, false);
    cases(LAYERS2, "layers2", formats[7], 4, 13, 7, 4, "layer2d", layer2d_f, 0, 0, 15, false, 2, false);
    cases(LAYERS2, "layers2", formats[0], 4, 13, 7, 4, "layer2d", layer2d_f, 0, 0, 3, false, 2, false);
    cases(ARRAY2, "array2", formats[4], 4, 13, 7, 0, "point2d", 0, point2d_i, 0, 15, false, 0, false);
    cases(ARRAY1, "array1", formats[4], 4, 37, 0, 0, "point1d", 0, point1d_i, 0, 15, false, 0, false);
    return fclose(dump) ? 1 : 0;
}

int main(int argc, char **argv) {
    if (argc == 2)
        return do_dump(argv[1]);
    fprintf(stderr, "usage: probe FILE\n");
    return 2;
}
