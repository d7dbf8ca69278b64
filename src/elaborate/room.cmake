daedal_room(elaborate base units expr language model laws)
target_link_libraries(daedal_elaborate PRIVATE Eigen3::Eigen)

# The texts of the elements become part of the program.
set(element_texts "// Made from src/elaborate/elements by room.cmake.\n#pragma once\n\nnamespace daedal::model {\n")
foreach(file planar ancf spatial links lines)
  set(path ${CMAKE_CURRENT_LIST_DIR}/elements/${file}.daedal)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  string(APPEND element_texts "\ninline constexpr const char* ${file}_text = R\"daedal(${text})daedal\";\n")
endforeach()
string(APPEND element_texts "\n}  // namespace daedal::model\n")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/elements/element_texts.hpp CONTENT "${element_texts}" @ONLY)
target_include_directories(daedal_elaborate PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/elements)
