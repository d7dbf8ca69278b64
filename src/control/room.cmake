daedal_room(control base expr compile language model derive structure formulate system start integrate stepper run pencil analyse boundary invert)
target_link_libraries(daedal_control PUBLIC Eigen3::Eigen)
