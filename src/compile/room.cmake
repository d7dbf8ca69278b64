daedal_room(compile base expr)

find_library(DAEDAL_KLU klu REQUIRED)
find_path(DAEDAL_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_package(Threads REQUIRED)
target_link_libraries(daedal_compile PUBLIC Eigen3::Eigen Threads::Threads PRIVATE ${DAEDAL_KLU} ${CMAKE_DL_LIBS})
target_include_directories(daedal_compile PRIVATE ${DAEDAL_KLU_INCLUDE})

# The native back end: a module of its own, loaded on demand, so that nothing else is linked to LLVM.
if(DAEDAL_WITH_LLVM)
  find_package(LLVM 19.1 CONFIG REQUIRED)
  file(GLOB native_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/compile/native/*.cpp)
  add_library(daedal_native MODULE ${native_sources})
  target_include_directories(daedal_native PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_include_directories(daedal_native SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(daedal_native PRIVATE daedal_flags daedal_expr LLVM)
  set_target_properties(daedal_native PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  add_dependencies(daedal_compile daedal_native)
  install(TARGETS daedal_native LIBRARY DESTINATION lib/daedal)
endif()
set_source_files_properties(
  ${CMAKE_CURRENT_SOURCE_DIR}/compile/native_module.cpp ${CMAKE_CURRENT_SOURCE_DIR}/compile/native_tier.cpp
  PROPERTIES COMPILE_DEFINITIONS
             "DAEDAL_NATIVE_BACKEND=$<BOOL:${DAEDAL_WITH_LLVM}>;DAEDAL_NATIVE_BUILD_DIR=\"${PROJECT_BINARY_DIR}\";DAEDAL_NATIVE_INSTALL_DIR=\"${CMAKE_INSTALL_PREFIX}/lib/daedal\"")

# Jets: a folder of their own; libquadmath (part of GCC) computes their reference values.
file(GLOB jet_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/compile/jet/*.cpp)
target_sources(daedal_compile PRIVATE ${jet_sources})
target_link_libraries(daedal_compile PRIVATE quadmath)
