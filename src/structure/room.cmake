daedal_room(structure base expr model derive)
target_link_libraries(daedal_structure PRIVATE Eigen3::Eigen)
