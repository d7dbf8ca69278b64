# Installation: headers, module libraries, program, model library, and the CMake package `daedal`. The
# native back end is installed by its module.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/daedal)

install(TARGETS ${DAEDAL_ROOMS} EXPORT daedalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/daedal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/daedal/models)
# The documentation's site, some 20 MB, where the target `site` has built it: cmake --install build/release --component site
install(DIRECTORY ${PROJECT_BINARY_DIR}/site/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/daedal/site COMPONENT site EXCLUDE_FROM_ALL OPTIONAL)
if(TARGET daedal)
  install(TARGETS daedal RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(completions ${PROJECT_BINARY_DIR}/completions)
  install(FILES ${PROJECT_BINARY_DIR}/daedal.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${completions}/daedal DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completions}/_daedal DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${completions}/daedal.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(EXPORT daedalTargets NAMESPACE daedal:: DESTINATION ${package_folder})
configure_package_config_file(cmake/daedalConfig.cmake.in ${PROJECT_BINARY_DIR}/daedalConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/daedalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/daedalConfig.cmake ${PROJECT_BINARY_DIR}/daedalConfigVersion.cmake
        DESTINATION ${package_folder})

# cpack -G DEB in a build folder makes the Debian package; the preset `package` builds what runs on every machine.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "The Daedal contributors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Write a mechanism down in the words of a mechanics textbook (energies, constraints, inputs,\noutputs); Daedal derives its equations, says what kind of problem they are, integrates them on\nthe constraint manifold and finds the inputs that make its outputs move as asked.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libfmt-dev, libeigen3-dev, libsleef-dev, libsuitesparse-dev, libsundials-dev, coinor-libipopt-dev, liblapack-dev")
set(CPACK_STRIP_FILES ON)
include(CPack)
