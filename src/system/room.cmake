daedal_room(system base units expr compile formulate)
target_link_libraries(daedal_system PUBLIC Eigen3::Eigen)
