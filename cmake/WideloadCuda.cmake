# Finds nvcc and cuda.h, and offers
#     wideload_add_fatbin(<name> <source.cu> [LEAST <capability>] [definitions...])
# which compiles a kernel file of this tree into ${PROJECT_BINARY_DIR}/kernels/<name>.fatbin: PTX (what the simulator runs, and
# newer GPUs translate) for compute_75, or for the least compute capability that the kernel runs on (90), and machine
# code for sm_90, both compressed.  Lines of the source are in the PTX, where the simulator looks for them, and not in the
# machine code.
#
# Only the compiler and a header are needed, never CUDA's libraries: the driver is opened at run time.
#
# In order: .cuda (where scripts/setup.sh puts the compiler on a machine without one), CUDA_PATH, CUDA_HOME,
# PATH, and CUDA's usual place.  scripts/setup.sh looks in the same order.
#
# A compiler that has gone since the last time is looked for anew, and a changed one compiles anew.
if(WIDELOAD_NVCC AND NOT EXISTS ${WIDELOAD_NVCC})
    # What was found beside it goes too; the last four are the tests'.
    foreach(found NVCC CUDA_INCLUDE FATBINARY CUDART_SHARED CUDART_STATIC CUDADEVRT NVRTC)
        unset(WIDELOAD_${found} CACHE)
    endforeach()
endif()
find_program(WIDELOAD_NVCC nvcc
    HINTS ${PROJECT_SOURCE_DIR}/.cuda/bin ENV CUDA_PATH ENV CUDA_HOME
    PATHS /usr/local/cuda
    PATH_SUFFIXES bin REQUIRED)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${WIDELOAD_NVCC})
get_filename_component(WIDELOAD_CUDA_ROOT ${WIDELOAD_NVCC} REALPATH)
get_filename_component(WIDELOAD_CUDA_ROOT ${WIDELOAD_CUDA_ROOT}/../.. ABSOLUTE)
find_path(WIDELOAD_CUDA_INCLUDE cuda.h
    HINTS ${WIDELOAD_CUDA_ROOT}/include ${WIDELOAD_CUDA_ROOT}/targets/x86_64-linux/include
    NO_DEFAULT_PATH REQUIRED)
find_program(WIDELOAD_FATBINARY fatbinary HINTS ${WIDELOAD_CUDA_ROOT}/bin REQUIRED)

# Of the ways to compress, that which a driver undoes in some 20 us a module: --compress-mode=size would make the library
# half as long, and loading a kernel 0.15 ms longer (docs/notes/calls.md).  Before CUDA 12.8 it was the only one.
file(STRINGS ${WIDELOAD_CUDA_INCLUDE}/cuda.h cuda_version REGEX "^#define CUDA_VERSION ")
string(REGEX MATCH "[0-9]+$" cuda_version "${cuda_version}")
math(EXPR cuda_major "${cuda_version} / 1000")
math(EXPR cuda_minor "${cuda_version} % 1000 / 10")
set(WIDELOAD_CUDA_RELEASE ${cuda_major}.${cuda_minor})
set(WIDELOAD_COMPRESSION --compress-all)
if(cuda_version GREATER_EQUAL 12080)
    string(APPEND WIDELOAD_COMPRESSION " --compress-mode=speed")
endif()

function(wideload_add_fatbin name source)
    set(output ${PROJECT_BINARY_DIR}/kernels/${name}.fatbin)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" LEAST "")
    if(NOT arg_LEAST)
        set(arg_LEAST 75)
    endif()
    list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND -D OUTPUT_VARIABLE definitions)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${PROJECT_SOURCE_DIR}/cmake/nvcc_once.sh ${PROJECT_SOURCE_DIR}/build-kernels ${output}
                ${PROJECT_SOURCE_DIR}/${source} ${arg_LEAST} ${WIDELOAD_FATBINARY}
                "${WIDELOAD_COMPRESSION}" ${WIDELOAD_NVCC} -O3 -I${PROJECT_SOURCE_DIR} ${definitions}
        DEPENDS ${PROJECT_SOURCE_DIR}/${source} ${WIDELOAD_NVCC} ${PROJECT_SOURCE_DIR}/cmake/nvcc_once.sh
        DEPFILE ${output}.d
        COMMENT "nvcc ${name}.fatbin"
        VERBATIM)
endfunction()
