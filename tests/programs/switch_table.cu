/* A small interpreter: a switch of many cases in a loop, with a program per lane. */
#include "program.h"

__global__ void interpret(const unsigned char *code, int length, long long *out) {
    long long a = threadIdx.x, b = 3, stack[4] = {};
    int top = 0;
    const unsigned char *mine = code + (threadIdx.x + blockIdx.x * blockDim.x) * length;
    for (int pc = 0; pc < length; pc++) {
        switch (mine[pc]) {
        case 0:
            a += b;
            break;
        case 1:
            a -= b * 3;
            break;
        case 2:
            a ^= b << 5;
            break;
        case 3:
            b = a % 1009 + 1;
            break;
        case 4:
            stack[top++ & 3] = a;
            break;
        case 5:
            b += stack[--top & 3];
            break;
        case 6:
            a = -a;
            break;
        case 7:
            a = a * 5 + 1;
            break;
        case 8:
            b = b / 2 + 7;
            break;
        case 9:
            if (a & 1)
                pc++;
            break;
        case 10:
            a >>= 1;
            break;
        case 11:
            a += pc; /* falls through */
        case 12:
            b ^= a;
            break;
        case 13:
            a = a > b ? b : a;
            break;
        default:
            a++;
        }
    }
    out[threadIdx.x + blockIdx.x * blockDim.x] = a * 31 + b;
}

int main() {
    const int n = 128, length = 40;
    static unsigned char code[n * length];
    for (int i = 0; i < n * length; i++)
        code[i] = mix(i) % 16;
    long long *out = device_array<long long>(n);
    interpret<<<2, 64>>>(to_device(code, n * length), length, out);
    CHECK_KERNEL();
    print_array("machines", out, n);
}
