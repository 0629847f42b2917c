# Finds nvcc and cuda.h, and defines
#     wideload_add_fatbin(<name> <source.cu> [LEAST <capability>] [definitions...])
# which compiles a kernel file of this tree into ${PROJECT_BINARY_DIR}/kernels/<name>.fatbin.  It has PTX for compute_75,
# or for the least compute capability that the kernel runs on (90), and machine code for sm_90, both compressed.  The
# simulator runs the PTX, and newer GPUs translate it.  Only the PTX has source lines, which the simulator reads.
#
# Only the compiler and a header are needed, not CUDA's libraries: the driver is opened at run time.
#
# The search order is .cuda (where scripts/setup.sh puts the compiler on a machine without one), CUDA_PATH, CUDA_HOME,
# PATH, and CUDA's default folder.  scripts/setup.sh uses the same order.
#
# If the compiler is gone, another one is searched for; if it has changed, everything is compiled again.
if(WIDELOAD_NVCC AND NOT EXISTS ${WIDELOAD_NVCC})
    # Forget the other files of its toolkit too; the tests use the last four.
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
# A command begins with WIDELOAD_ONCE if its work is done once for all builds.  WIDELOAD_NVCC_ONCE is that for nvcc.
set(WIDELOAD_ONCE ${PROJECT_SOURCE_DIR}/cmake/nvcc_once.sh ${PROJECT_SOURCE_DIR}/build-kernels ${PROJECT_BINARY_DIR})
set(WIDELOAD_NVCC_ONCE ${WIDELOAD_ONCE} ${WIDELOAD_NVCC})
find_program(WIDELOAD_FATBINARY fatbinary HINTS ${WIDELOAD_CUDA_ROOT}/bin REQUIRED)

# A driver decompresses machine code of this mode in some 20 us per module, of --compress-mode=size in 0.15 ms
# (docs/notes/calls.md).  PTX, which takes a driver milliseconds to compile, is made small instead.  Drivers from 550 on
# read that, and older ones could not compile the PTX.  Before CUDA 12.8 there was one mode.
file(STRINGS ${WIDELOAD_CUDA_INCLUDE}/cuda.h cuda_version REGEX "^#define CUDA_VERSION ")
string(REGEX MATCH "[0-9]+$" cuda_version "${cuda_version}")
math(EXPR cuda_major "${cuda_version} / 1000")
math(EXPR cuda_minor "${cuda_version} % 1000 / 10")
set(WIDELOAD_CUDA_RELEASE ${cuda_major}.${cuda_minor})
set(WIDELOAD_COMPRESSION --compress-all)
set(WIDELOAD_PTX_COMPRESSION --compress-all)
if(cuda_version GREATER_EQUAL 12080)
    string(APPEND WIDELOAD_COMPRESSION " --compress-mode=speed")
    string(APPEND WIDELOAD_PTX_COMPRESSION " --compress-mode=size")
endif()

function(wideload_add_fatbin name source)
    set(output ${PROJECT_BINARY_DIR}/kernels/${name}.fatbin)
    set(once ${PROJECT_SOURCE_DIR}/cmake/nvcc_once.sh)
    set(fatbin ${PROJECT_SOURCE_DIR}/cmake/fatbin.sh)
    set(join ${PROJECT_SOURCE_DIR}/cmake/join_fatbins.sh)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" LEAST "")
    if(NOT arg_LEAST)
        set(arg_LEAST 75)
    endif()
    list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND -D OUTPUT_VARIABLE definitions)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${WIDELOAD_ONCE} ${fatbin} ${WIDELOAD_NVCC} ${WIDELOAD_FATBINARY} ${join} ${arg_LEAST}
                ${WIDELOAD_PTX_COMPRESSION} ${WIDELOAD_COMPRESSION} -O3 -I${PROJECT_SOURCE_DIR} ${definitions}
                -MF ${output}.d -o ${output} ${PROJECT_SOURCE_DIR}/${source}
        DEPENDS ${PROJECT_SOURCE_DIR}/${source} ${WIDELOAD_NVCC} ${WIDELOAD_FATBINARY} ${once} ${fatbin} ${join}
        DEPFILE ${output}.d
        COMMENT "nvcc ${name}.fatbin"
        VERBATIM)
endfunction()

#     wideload_add_kernels(<target> <table.def>)
# A fatbin for each row MODULE(...) of a table such as lib/movers.def, whose sources lie in the table's folder.  The
# target makes them all; its property WIDELOAD_FATBINS lists them.
function(wideload_add_kernels target table)
    get_filename_component(folder ${table} DIRECTORY)
    file(STRINGS ${PROJECT_SOURCE_DIR}/${table} rows REGEX "^MODULE\\(")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${table})
    set(fatbins "")
    foreach(row IN LISTS rows)
        if(NOT row MATCHES "^MODULE\\(([a-z0-9_]+), +([0-9]+), ([^ ,]+), ([^,]*), .*\\)$")
            message(FATAL_ERROR "${table}: no row of a kernel module: ${row}")
        endif()
        set(name ${CMAKE_MATCH_1})
        set(least ${CMAKE_MATCH_2})
        set(source ${CMAKE_MATCH_3})
        string(REPLACE " " ";" definitions "${CMAKE_MATCH_4}")
        wideload_add_fatbin(${name} ${folder}/${source} LEAST ${least} WL_NAME=wl_${name} ${definitions})
        list(APPEND fatbins ${PROJECT_BINARY_DIR}/kernels/${name}.fatbin)
    endforeach()
    add_custom_target(${target} DEPENDS ${fatbins})
    set_property(TARGET ${target} PROPERTY WIDELOAD_FATBINS "${fatbins}")
endfunction()

# A source that takes a table's fatbins in with .incbin, which no dependency scanner sees.
function(wideload_embed_kernels target source kernels)
    get_target_property(fatbins ${kernels} WIDELOAD_FATBINS)
    add_dependencies(${target} ${kernels})
    set_source_files_properties(${source} PROPERTIES
        OBJECT_DEPENDS "${fatbins}"
        COMPILE_DEFINITIONS "WL_FATBIN_DIR=${PROJECT_BINARY_DIR}/kernels")
endfunction()
