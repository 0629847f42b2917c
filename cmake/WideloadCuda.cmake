# Finds nvcc and cuda.h, and offers
#     wideload_add_fatbin(<name> <source.cu> [LEAST <capability>] [definitions...])
# which compiles a kernel file into ${CMAKE_CURRENT_BINARY_DIR}/<name>.fatbin: PTX (what the simulator runs, and
# newer GPUs translate) for compute_75, or for the least compute capability that the kernel runs on (90), and machine
# code for sm_90.
#
# Only the compiler and a header are needed, never CUDA's libraries: the driver is opened at run time.
#
# In order: .cuda (where scripts/setup.sh puts the compiler on a machine without one), CUDA_PATH, CUDA_HOME,
# PATH, and CUDA's usual place.  scripts/setup.sh looks in the same order.
#
# A compiler that has gone since the last time is looked for anew, and a changed one compiles anew.
if(WIDELOAD_NVCC AND NOT EXISTS ${WIDELOAD_NVCC})
    unset(WIDELOAD_NVCC CACHE)
    unset(WIDELOAD_CUDA_INCLUDE CACHE)
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

function(wideload_add_fatbin name source)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" LEAST "")
    if(NOT arg_LEAST)
        set(arg_LEAST 75)
    endif()
    list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND -D OUTPUT_VARIABLE definitions)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${PROJECT_SOURCE_DIR}/cmake/nvcc_once.sh ${PROJECT_SOURCE_DIR}/build-kernels ${output}
                ${CMAKE_CURRENT_SOURCE_DIR}/${source}
                ${WIDELOAD_NVCC} -fatbin -O3 -lineinfo ${definitions}
                -gencode arch=compute_${arg_LEAST},code=compute_${arg_LEAST} -gencode arch=compute_90,code=sm_90
        DEPENDS ${source} ${WIDELOAD_NVCC} ${PROJECT_SOURCE_DIR}/cmake/nvcc_once.sh
        DEPFILE ${output}.d
        COMMENT "nvcc ${name}.fatbin"
        VERBATIM)
endfunction()
