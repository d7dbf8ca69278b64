find_package(nlohmann_json REQUIRED)
daedal_room(task base expr compile language model elaborate derive structure formulate system start integrate stepper run pencil analyse boundary invert control design emit)
target_link_libraries(daedal_task PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
