/* The Mandelbrot set in characters; lanes leave their loops at different times. */
#include "program.h"

__global__ void draw(unsigned char *image, int w, int h, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float cx = -2.2f + 3.2f * x / w, cy = -1.2f + 2.4f * y / h, zx = 0, zy = 0;
    int k = 0;
    while (k < limit && zx * zx + zy * zy < 4) {
        float t = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = t;
        k++;
    }
    image[y * w + x] = k;
}

int main() {
    const int w = 64, h = 24, limit = 60;
    unsigned char *image = device_array<unsigned char>(w * h);
    draw<<<dim3(4, 3), dim3(16, 8)>>>(image, w, h, limit);
    CHECK_KERNEL();
    unsigned char *host = to_host(image, w * h);
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++)
            putchar(" .:-=+*%@#"[host[y * w + x] == limit ? 9 : host[y * w + x] % 9]);
        putchar('\n');
    }
    free(host);
}
