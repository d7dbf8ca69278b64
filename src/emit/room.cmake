find_package(nlohmann_json REQUIRED)
daedal_room(emit base units expr compile language model derive structure formulate system start integrate stepper run pencil analyse boundary invert control)
target_link_libraries(daedal_emit PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

# What report pages run in the browser, built from web/ with npm and embedded; empty files without it.
option(DAEDAL_WITH_PAGES "Build the browser's part of reports with npm (else reports hold text alone)" ON)
set(web ${PROJECT_SOURCE_DIR}/web)
set(pages ${PROJECT_BINARY_DIR}/pages)
set(embedded ${pages}/flat.js ${pages}/spatial.js ${pages}/browser.css)
file(GLOB web_sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/*.json ${web}/*.ts)
if(DAEDAL_WITH_PAGES AND NOT DAEDAL_SANITIZE)
  add_custom_command(OUTPUT ${embedded}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/build_pages ${web} ${pages}
    DEPENDS ${PROJECT_SOURCE_DIR}/tools/build_pages ${web_sources}
    COMMENT "Building what reports run in the browser" VERBATIM)
else()
  foreach(file ${embedded})
    file(WRITE ${file} "")
  endforeach()
endif()
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/emit/page_assets.cpp PROPERTIES
  COMPILE_DEFINITIONS "DAEDAL_PAGES=\"${pages}\";DAEDAL_PAGE_STYLE=\"${web}/src/page.css\""
  OBJECT_DEPENDS "${embedded};${web}/src/page.css")
