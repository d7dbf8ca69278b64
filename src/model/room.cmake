daedal_room(model base expr)
target_link_libraries(daedal_model PRIVATE Eigen3::Eigen)
