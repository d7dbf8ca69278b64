daedal_room(integrate base expr derive formulate system start)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS ida nvecserial)
target_link_libraries(daedal_integrate PUBLIC Eigen3::Eigen PRIVATE SUNDIALS::ida SUNDIALS::nvecserial)
# Its formula has names that rk45's has too.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/radau5.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION TRUE)
