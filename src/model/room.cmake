daedal_room(model base expr language)
target_link_libraries(daedal_model PRIVATE Eigen3::Eigen)
