daedal_room(structure base expr language model derive)
target_link_libraries(daedal_structure PRIVATE Eigen3::Eigen)
