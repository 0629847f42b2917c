/* Like libcudadevrt.a: a function that calls what only NVIDIA's driver has. */
extern "C" __device__ unsigned long long __cuda_syscall_handle(int);

extern "C" __device__ unsigned long long handle_of(int scope) {
    return __cuda_syscall_handle(scope);
}
