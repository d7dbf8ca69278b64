daedal_room(expr base)

# Elementary functions: SLEEF, and one file per instruction set (chosen at run time).
find_library(DAEDAL_SLEEF sleef REQUIRED)
find_path(DAEDAL_SLEEF_INCLUDE sleef.h REQUIRED)
target_link_libraries(daedal_expr PRIVATE ${DAEDAL_SLEEF})
target_include_directories(daedal_expr PRIVATE ${DAEDAL_SLEEF_INCLUDE})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/expr/elementary_avx2.cpp PROPERTIES COMPILE_OPTIONS
                                                                                    "-mavx2;-mfma")
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/expr/elementary_avx512.cpp PROPERTIES COMPILE_OPTIONS
                                                                                      "-mavx512f;-mavx2;-mfma")
endif()
