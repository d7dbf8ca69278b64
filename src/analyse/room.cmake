daedal_room(analyse base expr compile language model elaborate derive structure formulate system start integrate stepper run pencil)
daedal_complex_sources(analyse frequency_response sensitivity state_space)
target_link_libraries(daedal_analyse PUBLIC Eigen3::Eigen)
