daedal_room(stepper expr compile derive structure formulate system start integrate)
target_link_libraries(daedal_stepper PUBLIC Eigen3::Eigen)
