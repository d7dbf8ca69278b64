daedal_room(run base units expr compile language model derive formulate system start integrate)
target_link_libraries(daedal_run PUBLIC Eigen3::Eigen)
