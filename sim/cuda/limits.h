/* The device's size: an H200's under every set of counting rules.  The rules only change how accesses are
 * counted and which compute capability is reported, so a program that fits the device fits under all of them.
 */
#ifndef WIDELOAD_SIM_CUDA_LIMITS_H
#define WIDELOAD_SIM_CUDA_LIMITS_H

enum {
    LIMIT_MULTIPROCESSORS = 132,
    LIMIT_CLOCK_KHZ = 1980000,
    LIMIT_MEMORY_CLOCK_KHZ = 3201000,
    LIMIT_MEMORY_BUS_BITS = 6016,
    LIMIT_COPY_ENGINES = 3,
    LIMIT_WARP = 32,
    LIMIT_BLOCK_THREADS = 1024,
    LIMIT_BLOCK_Z = 64,
    CLUSTERS_FROM = 90, /* compute capability */
    LIMIT_GRID_X = 0x7fffffff,
    LIMIT_GRID_YZ = 65535,
    LIMIT_SM_THREADS = 2048,
    LIMIT_SM_BLOCKS = 32,
    LIMIT_SM_REGISTERS = 65536,
    LIMIT_SM_PARTS = 4, /* schedulers, each with a quarter of the registers */
    LIMIT_THREAD_REGISTERS = 255,
    LIMIT_REGISTER_UNIT = 256,     /* registers are allocated to a warp in this unit */
    LIMIT_BLOCK_SHARED = 48 << 10, /* without opt-in */
    LIMIT_BLOCK_SHARED_OPTIN = 227 << 10,
    LIMIT_SM_SHARED = 228 << 10,
    LIMIT_ACCESS_POLICY_WINDOW = 128 << 20,
    LIMIT_RESERVED_SHARED = 1 << 10, /* reserved by the system in each block */
    LIMIT_SHARED_UNIT = 128,
    LIMIT_CONSTANT_BYTES = 64 << 10,
    LIMIT_L2_BYTES = 60 << 20,
    LIMIT_PERSISTING_L2_BYTES = LIMIT_L2_BYTES / 8 * 5,
    LIMIT_PITCH = 0x7fffffff,
    LIMIT_PITCH_ALIGN = 512,
    LIMIT_ARRAY_WIDTH = 131072, /* for 1 and 2 dimensions */
    LIMIT_ARRAY_HEIGHT = 65536,
    LIMIT_ARRAY_3D = 16384,
    LIMIT_ARRAY_LAYERED = 32768,
    LIMIT_ARRAY_LAYERS = 2048,
    LIMIT_CUBE_LAYERS = 2046, /* six faces each */
    LIMIT_ARRAY_PITCH = 32,   /* a sector */
    LIMIT_TEXTURE_LINEAR = 1 << 28,
    LIMIT_TEXTURE_PITCH_WIDTH = 131072,
    LIMIT_TEXTURE_PITCH_HEIGHT = 65000,
    LIMIT_TEXTURE_PITCH = 2097120, /* bytes */
    LIMIT_TEXTURE_ALIGN = 512,
    LIMIT_TEXTURE_PITCH_ALIGN = 32,
    LIMIT_TEXTURE_LINEAR_TEXELS = 1 << 30,
    LIMIT_LEAST_PRIORITY = 0,
    LIMIT_GREATEST_PRIORITY = -5,
};

#define LIMIT_TEXTURE_LINEAR_BYTES ((size_t)1 << 32)

#endif
