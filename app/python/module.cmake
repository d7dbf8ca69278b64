# The Python package `daedal`: build/<preset>/python is a folder for PYTHONPATH.
#
# The Python is Debian's: an other one that comes first in PATH (pyenv, conda) has neither its NumPy nor its packages.
set(daedal_debian_python /usr/bin/python3)
find_program(daedal_first_python python3)
mark_as_advanced(daedal_first_python)
set(DAEDAL_PYTHON ${daedal_debian_python} CACHE FILEPATH "Python for which the module is built")
set(Python_EXECUTABLE ${DAEDAL_PYTHON})
find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)
if(Python_FOUND)  # pybind11 would look for another one
  find_package(pybind11 2.10 QUIET CONFIG)
endif()
if(pybind11_FOUND)
  set(daedal_python_found ON)
else()
  set(daedal_python_found OFF)
endif()
option(DAEDAL_WITH_PYTHON "Build the Python module (pybind11)" ${daedal_python_found})
if(NOT DAEDAL_WITH_PYTHON OR DAEDAL_SANITIZE)
  if(NOT daedal_python_found)
    message(STATUS "No Python module: it needs python3-dev and pybind11-dev (tools/install_packages)")
  else()
    message(STATUS "No Python module: DAEDAL_WITH_PYTHON is off, or sanitizers are on")
  endif()
  return()
endif()
if(NOT daedal_first_python STREQUAL DAEDAL_PYTHON)
  message(STATUS "Python module for ${DAEDAL_PYTHON}; ${daedal_first_python}, which comes first in PATH, cannot import it")
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 REQUIRED CONFIG)

file(GLOB python_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
pybind11_add_module(daedal_python MODULE NO_EXTRAS ${python_sources})
target_compile_definitions(daedal_python PRIVATE DAEDAL_VERSION="${PROJECT_VERSION}" DAEDAL_MODELS_DIR="${PROJECT_SOURCE_DIR}/models")
target_link_libraries(daedal_python PRIVATE daedal::task daedal::study)
# Nothing in it is worth more: calls, and copies of answers. The sources differ in what they include, and take long each.
target_compile_options(daedal_python PRIVATE -O1 -g0)
# Only the function that Python calls is seen from outside: another copy of the library in the same process stays apart.
target_link_options(daedal_python PRIVATE -Wl,--exclude-libs,ALL)
set(python_package ${PROJECT_BINARY_DIR}/python/daedal)
set_target_properties(daedal_python PROPERTIES OUTPUT_NAME _daedal LIBRARY_OUTPUT_DIRECTORY ${python_package} UNITY_BUILD OFF)

# The part in Python, beside it
file(GLOB python_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/daedal/*.py ${CMAKE_CURRENT_LIST_DIR}/daedal/*.pyi
     ${CMAKE_CURRENT_LIST_DIR}/daedal/py.typed)
set(python_copies "")
foreach(file ${python_files})
  get_filename_component(name ${file} NAME)
  add_custom_command(OUTPUT ${python_package}/${name} COMMAND ${CMAKE_COMMAND} -E copy ${file} ${python_package}/${name}
                     DEPENDS ${file})
  list(APPEND python_copies ${python_package}/${name})
endforeach()
add_custom_target(daedal_python_files ALL DEPENDS ${python_copies})
add_dependencies(daedal_python daedal_python_files)
