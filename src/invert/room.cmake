daedal_room(invert base units expr compile language model derive structure formulate system start integrate stepper run pencil analyse boundary)

# Who asks for no formulations is not linked to Ipopt: they stay out of the objects of other sources.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/formulations.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION TRUE)
