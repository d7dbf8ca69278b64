daedal_room(design base expr language model elaborate derive structure analyse control)
target_link_libraries(daedal_design PUBLIC Eigen3::Eigen)
