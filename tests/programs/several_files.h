/* Declarations shared by the two files of several_files. */
extern __device__ int calls;
extern __constant__ float factors[4];
__device__ float scaled(float x, int which);
typedef float (*operation)(float, int);
extern __device__ operation chosen;
