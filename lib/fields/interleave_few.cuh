/* interleave_few.cu's kernels for WL_FIELDS fields, included once for each. */

#define WL_FEW_NAME_OF(direction, width, fields) wl_##direction##width##_few##fields
#define WL_FEW_NAME(direction, width, fields)    WL_FEW_NAME_OF(direction, width, fields)

extern "C" __global__ void __launch_bounds__(WL_FEW_THREADS)
    WL_FEW_NAME(deinterleave, WL_WIDTH, WL_FIELDS)(const __grid_constant__ struct wl_few_shape shape,
                                                   uint64_t first) {
    wl_await_earlier();
    __shared__ uint4 stages[WL_WARPS][32 * WL_FEW_ROW(WL_FIELDS)];
    uint4 *stage = stages[threadIdx.x / 32];
    const struct wl_few_part part = wl_few_part_find(&shape, first + blockIdx.x);
    const unsigned lane = threadIdx.x % 32;
    const uint4 *from = (const uint4 *)wl_global(part.packed) + part.warp * WL_FIELDS;
    const uint64_t vectors = part.groups > part.warp ? (part.groups - part.warp) * WL_FIELDS : 0;
    uint4 moved[WL_FIELDS];
#pragma unroll
    for (unsigned u = 0; u < WL_FIELDS; u++)
        if (u * 32 + lane < vectors)
            moved[u] = *wl_once(from + u * 32 + lane);
#pragma unroll
    for (unsigned u = 0; u < WL_FIELDS; u++)
        if (u * 32 + lane < vectors)
            stage[WL_FEW_STAGE(WL_FIELDS, u * 32 + lane)] = moved[u];
    __syncwarp();
    if (part.group < part.groups) {
#pragma unroll
        for (unsigned u = 0; u < WL_FIELDS; u++)
            moved[u] = stage[lane * WL_FEW_ROW(WL_FIELDS) + u];
#pragma unroll
        for (unsigned j = 0; j < WL_FIELDS; j++)
            ((uint4 *)wl_global(shape.streams[j] + part.stream_shift))[part.group] =
                wl_stream_vector<WL_FIELDS>(moved, j);
    } else if (part.group == part.groups) {
        /* The structures that do not fill a vector. */
        const wl_element *packed = (const wl_element *)wl_global(part.packed);
#pragma unroll 1
        for (uint64_t i = part.groups * WL_EACH; i < shape.n; i++)
#pragma unroll
            for (unsigned j = 0; j < WL_FIELDS; j++)
                ((wl_element *)wl_global(shape.streams[j] + part.stream_shift))[i] =
                    packed[i * WL_FIELDS + j];
    }
}

extern "C" __global__ void __launch_bounds__(WL_FEW_THREADS)
    WL_FEW_NAME(interleave, WL_WIDTH, WL_FIELDS)(const __grid_constant__ struct wl_few_shape shape,
                                                 uint64_t first) {
    wl_await_earlier();
    __shared__ uint4 stages[WL_WARPS][32 * WL_FEW_ROW(WL_FIELDS)];
    uint4 *stage = stages[threadIdx.x / 32];
    const struct wl_few_part part = wl_few_part_find(&shape, first + blockIdx.x);
    const unsigned lane = threadIdx.x % 32;
    if (part.group < part.groups) {
        uint4 moved[WL_FIELDS];
#pragma unroll
        for (unsigned j = 0; j < WL_FIELDS; j++)
            moved[j] = *wl_once((const uint4 *)wl_global(shape.streams[j] + part.stream_shift) + part.group);
#pragma unroll
        for (unsigned u = 0; u < WL_FIELDS; u++)
            stage[lane * WL_FEW_ROW(WL_FIELDS) + u] = wl_packed_vector<WL_FIELDS>(moved, u);
    } else if (part.group == part.groups) {
        wl_element *packed = (wl_element *)wl_global(part.packed);
#pragma unroll 1
        for (uint64_t i = part.groups * WL_EACH; i < shape.n; i++)
#pragma unroll
            for (unsigned j = 0; j < WL_FIELDS; j++)
                packed[i * WL_FIELDS + j] =
                    ((const wl_element *)wl_global(shape.streams[j] + part.stream_shift))[i];
    }
    __syncwarp();
    uint4 *to = (uint4 *)wl_global(part.packed) + part.warp * WL_FIELDS;
    const uint64_t vectors = part.groups > part.warp ? (part.groups - part.warp) * WL_FIELDS : 0;
#pragma unroll
    for (unsigned u = 0; u < WL_FIELDS; u++)
        if (u * 32 + lane < vectors)
            to[u * 32 + lane] = stage[WL_FEW_STAGE(WL_FIELDS, u * 32 + lane)];
}

#undef WL_FIELDS
#undef WL_FEW_NAME
#undef WL_FEW_NAME_OF
