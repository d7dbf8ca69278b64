daedal_room(boundary base compile formulate system start pencil analyse)
target_link_libraries(daedal_boundary PUBLIC Eigen3::Eigen)

# Ipopt solves two of the six formulations of stable inversion (direct_optimisation.hpp); without it the program says so.
option(DAEDAL_WITH_IPOPT "Direct optimisation by Ipopt, where it is installed" ON)
find_path(DAEDAL_IPOPT_INCLUDE IpStdCInterface.h PATH_SUFFIXES coin coin-or)
find_library(DAEDAL_IPOPT ipopt)
mark_as_advanced(DAEDAL_IPOPT_INCLUDE DAEDAL_IPOPT)
if(DAEDAL_WITH_IPOPT AND DAEDAL_IPOPT_INCLUDE AND DAEDAL_IPOPT)
  # Its C header has names like Index and Bool at global scope: they stay within one file.
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/direct_optimisation.cpp PROPERTIES
    COMPILE_DEFINITIONS DAEDAL_WITH_IPOPT=1)
  target_include_directories(daedal_boundary SYSTEM PRIVATE ${DAEDAL_IPOPT_INCLUDE})
  target_link_libraries(daedal_boundary PRIVATE ${DAEDAL_IPOPT})
endif()
