# Installation: headers, room libraries, program, model library, and the CMake package `daedal`. The
# native back end is installed by its room.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/daedal)

install(TARGETS ${DAEDAL_ROOMS} EXPORT daedalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/daedal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/daedal/models)
if(TARGET daedal)
  install(TARGETS daedal RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(EXPORT daedalTargets NAMESPACE daedal:: DESTINATION ${package_folder})
configure_package_config_file(cmake/daedalConfig.cmake.in ${PROJECT_BINARY_DIR}/daedalConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/daedalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/daedalConfig.cmake ${PROJECT_BINARY_DIR}/daedalConfigVersion.cmake
        DESTINATION ${package_folder})
