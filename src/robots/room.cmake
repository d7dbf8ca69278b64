daedal_room(robots base language)
target_link_libraries(daedal_robots PRIVATE Eigen3::Eigen)
