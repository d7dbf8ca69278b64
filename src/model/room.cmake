daedal_room(model base expr language robots)
target_link_libraries(daedal_model PRIVATE Eigen3::Eigen)
