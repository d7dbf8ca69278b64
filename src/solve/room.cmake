daedal_room(solve base expr compile model derive structure formulate)
find_path(DAEDAL_KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(DAEDAL_KLU klu REQUIRED)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS ida nvecserial)
target_include_directories(daedal_solve SYSTEM PRIVATE ${DAEDAL_KLU_INCLUDE})
target_link_libraries(daedal_solve PUBLIC Eigen3::Eigen PRIVATE SUNDIALS::ida SUNDIALS::nvecserial ${DAEDAL_KLU})
# Its formula has names that rk45's has too.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/radau5.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION TRUE)
