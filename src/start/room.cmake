daedal_room(start base language model elaborate derive structure formulate system)
target_link_libraries(daedal_start PUBLIC Eigen3::Eigen)
