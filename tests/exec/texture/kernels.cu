/* One fetch per thread, at coordinates that the test gives. */
#define FETCH(name, type, call)                                                                              \
    extern "C" __global__ void name(cudaTextureObject_t t, const float *x, const float *y, type *out) {      \
        int i = threadIdx.x;                                                                                 \
        out[i] = call;                                                                                       \
    }

FETCH(fetch_float4, float4, tex1Dfetch<float4>(t, (int)x[i]))
FETCH(fetch_uint4, uint4, tex1Dfetch<uint4>(t, (int)x[i]))
FETCH(fetch_int4, int4, tex1Dfetch<int4>(t, (int)x[i]))
FETCH(flat_float4, float4, tex1D<float4>(t, x[i]))
FETCH(plane_float4, float4, tex2D<float4>(t, x[i], y[i]))
FETCH(plane_uint4, uint4, tex2D<uint4>(t, x[i], y[i]))
FETCH(lod_float4, float4, tex2DLod<float4>(t, x[i], y[i], 0.f))
FETCH(grad_float4, float4, tex2DGrad<float4>(t, x[i], y[i], make_float2(1, 0), make_float2(0, 1)))
FETCH(gather_float4, float4, tex2Dgather<float4>(t, x[i], y[i], 2))
FETCH(space_float4, float4, tex3D<float4>(t, x[i], y[i], 1.5f))
FETCH(layer_float4, float4, tex2DLayered<float4>(t, x[i], y[i], i - 1))

/* Lanes of one warp through two objects, with some lanes inactive. */
extern "C" __global__ void mixed(cudaTextureObject_t t, cudaTextureObject_t other, float *out) {
    int i = threadIdx.x;
    if (i % 3 != 2)
        out[i] = tex1Dfetch<float>(i % 3 ? other : t, i);
}

/* For counts: lanes with negative coordinates are inactive. */
#define COUNT(name, call)                                                                                    \
    extern "C" __global__ void name(cudaTextureObject_t t, const float *x, const float *y, float *out) {     \
        int i = threadIdx.x;                                                                                 \
        if (x[i] >= 0)                                                                                       \
            out[i] = call;                                                                                   \
    }

COUNT(count_fetch, tex1Dfetch<float>(t, (int)x[i]))
COUNT(count_flat, tex1D<float>(t, x[i] + .75f))
COUNT(count_plane, tex2D<float>(t, x[i] + .75f, y[i] + .75f))
