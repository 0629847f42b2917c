# Install rules: the header, the libraries, the program, its man page, and pkg-config files and a CMake package for other
# projects.  All paths are relative, so an installed tree may be moved.
include(CMakePackageConfigHelpers)

set(WIDELOAD_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Wideload)
set(WIDELOAD_PKGCONFIGDIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set_target_properties(wideload PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    INSTALL_RPATH "$ORIGIN")
# The simulator has no version in its file name, because it is opened by name at run time like any CUDA driver.
set_target_properties(wideload-sim PROPERTIES INSTALL_RPATH "$ORIGIN")
foreach(target wideload wideload-sim)
    target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# Other projects link to these two; the others are opened or run by name.
install(TARGETS wideload wideload-sim EXPORT WideloadTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS wideload-cudart wideload_cli
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The target of `make`: everything that is installed.
add_custom_target(installed)
add_dependencies(installed wideload wideload-sim wideload-cudart wideload_cli ${WIDELOAD_NAMED})
install(FILES ${PROJECT_SOURCE_DIR}/include/wideload.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT WideloadTargets NAMESPACE Wideload:: DESTINATION ${WIDELOAD_CMAKEDIR})

file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(wideload_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
install(FILES ${PROJECT_SOURCE_DIR}/docs/wideload.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/WideloadConfig.cmake.in
    ${PROJECT_BINARY_DIR}/WideloadConfig.cmake INSTALL_DESTINATION ${WIDELOAD_CMAKEDIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/WideloadConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/WideloadConfig.cmake ${PROJECT_BINARY_DIR}/WideloadConfigVersion.cmake
    DESTINATION ${WIDELOAD_CMAKEDIR})

file(RELATIVE_PATH WIDELOAD_PC_TO_LIB
    ${CMAKE_INSTALL_PREFIX}/${WIDELOAD_PKGCONFIGDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH WIDELOAD_PC_TO_INCLUDE
    ${CMAKE_INSTALL_PREFIX}/${WIDELOAD_PKGCONFIGDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(name wideload wideload-sim)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${WIDELOAD_PKGCONFIGDIR})
endforeach()

# The Python wheel's parts (pyproject.toml), which lie as in a build folder.
install(TARGETS wideload wideload-sim wideload-cudart LIBRARY DESTINATION lib COMPONENT wheel EXCLUDE_FROM_ALL NAMELINK_SKIP)
install(TARGETS wideload_cli RUNTIME DESTINATION . COMPONENT wheel EXCLUDE_FROM_ALL)
install(TARGETS ${WIDELOAD_NAMED} LIBRARY DESTINATION lib/wideload COMPONENT wheel EXCLUDE_FROM_ALL)
install(PROGRAMS ${PROJECT_BINARY_DIR}/lib/wideload/bin/ptxas ${PROJECT_BINARY_DIR}/lib/wideload/bin/nvcc
    DESTINATION lib/wideload/bin COMPONENT wheel EXCLUDE_FROM_ALL)
