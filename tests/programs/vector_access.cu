/* Loads and stores of every width, with vector types and structures that must be split. */
#include "program.h"

struct three {
    float x, y, z;
};

struct packet {
    char tag;
    short size;
    int id;
    double value;
};

template <typename T> __global__ void copy(const T *from, T *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}

__global__ void unpack(const packet *from, double *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i].tag + from[i].size + from[i].id + from[i].value;
}

template <typename T> static void run(const char *name, const int *host, size_t bytes) {
    int n = bytes / sizeof(T);
    T *from = (T *)to_device((const char *)host, bytes);
    char *to = device_array<char>(bytes);
    copy<<<(n + 127) / 128, 128>>>(from, (T *)to, n);
    CHECK_KERNEL();
    print_array(name, to, bytes);
}

int main() {
    static int host[3000];
    for (int i = 0; i < 3000; i++)
        host[i] = mix(i);
    size_t bytes = 3000;
    run<char>("char", host, bytes);
    run<char2>("char2", host, bytes);
    run<uchar3>("uchar3", host, bytes);
    run<uchar4>("uchar4", host, bytes);
    run<short4>("short4", host, bytes);
    run<int>("int", host, bytes);
    run<int3>("int3", host, bytes);
    run<float4>("float4", host, bytes);
    run<double2>("double2", host, bytes);
    run<three>("three floats", host, bytes);
    packet packets[100];
    memset(packets, 0, sizeof packets);
    for (int i = 0; i < 100; i++)
        packets[i] = {(char)i, (short)(i * 300), i * 100000, i / 4.0};
    double *out = device_array<double>(100);
    unpack<<<1, 128>>>(to_device(packets, 100), out, 100);
    print_array("packets", out, 100);
}
