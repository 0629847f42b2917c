# The computing instructions.  Products and sums are never contracted to fma, no operation traps, and one
# file changes the rounding under the compiler's feet.
set(lanes_sources
    lanes.c lanes_approx.c lanes_bits.c lanes_carry.c lanes_compare.c lanes_convert.c lanes_float.c
    lanes_half.c lanes_integer.c lanes_move.c lanes_round.c lanes_warp.c number.c)
list(TRANSFORM lanes_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
set(lanes_options -ffp-contract=off -fno-trapping-math -fno-math-errno)
if(CMAKE_BUILD_TYPE MATCHES "^Rel")
    list(APPEND lanes_options -O3)
endif()
set_source_files_properties(${lanes_sources} PROPERTIES COMPILE_OPTIONS "${lanes_options}")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/lanes_round.c PROPERTIES
    COMPILE_OPTIONS "-ffp-contract=off;-fno-math-errno;-frounding-math")
target_sources(wideload_exec PRIVATE ${lanes_sources})
target_link_libraries(wideload_exec PRIVATE m Threads::Threads)
