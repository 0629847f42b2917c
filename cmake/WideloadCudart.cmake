# For the tests' programs that nvcc compiles and links as any user's: CUDA's runtime libraries, and what a program that
# is no sanitizer build needs to load libraries of ours that are.  Sets
#     WIDELOAD_CUDART_LINK   a folder to give nvcc with -L; empty where the libraries or ours of that kind are missing
#     WIDELOAD_PRELOAD_FIRST the sanitizer's library that has to be the first loaded, or empty
set(WIDELOAD_CUDART_LINK "")
set(WIDELOAD_PRELOAD_FIRST "")

# nvcc wants a libcudart.so to link with; CUDA's wheels have only libcudart.so.13.
set(places ${WIDELOAD_CUDA_ROOT}/lib ${WIDELOAD_CUDA_ROOT}/lib64 ${WIDELOAD_CUDA_ROOT}/targets/x86_64-linux/lib)
find_file(WIDELOAD_CUDART_SHARED NAMES libcudart.so.13 libcudart.so.12 PATHS ${places} NO_DEFAULT_PATH)
find_file(WIDELOAD_CUDART_STATIC libcudart_static.a PATHS ${places} NO_DEFAULT_PATH)
find_file(WIDELOAD_CUDADEVRT libcudadevrt.a PATHS ${places} NO_DEFAULT_PATH)
if(NOT WIDELOAD_CUDART_SHARED OR NOT WIDELOAD_CUDART_STATIC OR NOT WIDELOAD_CUDADEVRT)
    message(STATUS "CUDA's runtime libraries are not there to link with: tests that link with them are left out")
elseif(TARGET wideload-cudart)
    set(WIDELOAD_CUDART_LINK ${PROJECT_BINARY_DIR}/cudart_link)
    file(MAKE_DIRECTORY ${WIDELOAD_CUDART_LINK})
    file(CREATE_LINK ${WIDELOAD_CUDART_SHARED} ${WIDELOAD_CUDART_LINK}/libcudart.so SYMBOLIC)
    file(CREATE_LINK ${WIDELOAD_CUDART_STATIC} ${WIDELOAD_CUDART_LINK}/libcudart_static.a SYMBOLIC)
    file(CREATE_LINK ${WIDELOAD_CUDADEVRT} ${WIDELOAD_CUDART_LINK}/libcudadevrt.a SYMBOLIC)
endif()

# The programs are no sanitizer builds, the library may be: its sanitizer has to be the first that is loaded.
if(CMAKE_C_FLAGS MATCHES "-fsanitize=address")
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE WIDELOAD_PRELOAD_FIRST
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
