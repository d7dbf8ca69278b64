daedal_room(study base expr compile language model elaborate derive structure formulate start run pencil analyse control emit task)
find_package(nlohmann_json REQUIRED)
target_link_libraries(daedal_study PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
