daedal_room(analyse base expr compile model derive structure formulate solve)
find_library(DAEDAL_LAPACK lapack REQUIRED)
find_library(DAEDAL_BLAS blas REQUIRED)
target_link_libraries(daedal_analyse PUBLIC Eigen3::Eigen PRIVATE ${DAEDAL_LAPACK} ${DAEDAL_BLAS})
