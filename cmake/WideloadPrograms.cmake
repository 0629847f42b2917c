# Builds CUDA programs as users do.  Sets WIDELOAD_RUNTIME_LINK, a folder with the libraries that nvcc links programs
# with; it is empty if they are missing, or if a preset builds no programs.  Defines
#     wideload_add_program(<name> <source.cu> shared|static [options...])
# which builds ${CMAKE_CURRENT_BINARY_DIR}/<name> with the shared or the static CUDA runtime.
#
# nvcc needs a libcudart.so to link with, but CUDA's wheels have only libcudart.so.13.
set(places ${WIDELOAD_CUDA_ROOT}/lib ${WIDELOAD_CUDA_ROOT}/lib64 ${WIDELOAD_CUDA_ROOT}/targets/x86_64-linux/lib)
find_file(WIDELOAD_CUDART_SHARED NAMES libcudart.so.13 libcudart.so.12 PATHS ${places} NO_DEFAULT_PATH)
find_file(WIDELOAD_CUDART_STATIC libcudart_static.a PATHS ${places} NO_DEFAULT_PATH)
find_file(WIDELOAD_CUDADEVRT libcudadevrt.a PATHS ${places} NO_DEFAULT_PATH)
set(WIDELOAD_RUNTIME_LINK "")
if(WIDELOAD_CUDART_SHARED AND WIDELOAD_CUDART_STATIC AND WIDELOAD_CUDADEVRT AND NOT "${WIDELOAD_PROGRAMS}" STREQUAL none)
    set(WIDELOAD_RUNTIME_LINK ${PROJECT_BINARY_DIR}/cuda-link)
    file(MAKE_DIRECTORY ${WIDELOAD_RUNTIME_LINK})
    file(CREATE_LINK ${WIDELOAD_CUDART_SHARED} ${WIDELOAD_RUNTIME_LINK}/libcudart.so SYMBOLIC)
    file(CREATE_LINK ${WIDELOAD_CUDART_STATIC} ${WIDELOAD_RUNTIME_LINK}/libcudart_static.a SYMBOLIC)
    file(CREATE_LINK ${WIDELOAD_CUDADEVRT} ${WIDELOAD_RUNTIME_LINK}/libcudadevrt.a SYMBOLIC)
endif()

function(wideload_add_program name source runtime)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name})
    get_filename_component(source ${source} ABSOLUTE)
    # A generated source is named from its folder, where nvcc runs: what names the build is not kept for others.
    string(REPLACE ${CMAKE_CURRENT_BINARY_DIR}/ "" named ${source})
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${WIDELOAD_NVCC_ONCE} ${ARGN} -cudart ${runtime} -L${WIDELOAD_RUNTIME_LINK}
                -MD -MF ${output}.d -o ${output} ${named}
        DEPENDS ${source} ${WIDELOAD_NVCC}
        DEPFILE ${output}.d
        COMMENT "nvcc ${name}"
        VERBATIM)
    # Programs in different folders may have the same name.
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    add_custom_target(program_${folder}_${name} ALL DEPENDS ${output})
endfunction()
