# Tests of the repository itself: layering, style, sanitizers, fuzzer, installed package. Only the release preset registers
# them; the presets they call do not, so nothing recurses.
set(tools ${PROJECT_SOURCE_DIR}/tools)

add_test(NAME repository.layering COMMAND ${tools}/check_includes)
add_test(NAME repository.format COMMAND ${tools}/check_format)
add_test(NAME repository.packages COMMAND ${tools}/check_packages)
add_test(NAME repository.references COMMAND ${tools}/check_references)
add_test(NAME repository.links COMMAND ${tools}/check_links)
add_test(NAME repository.bounds COMMAND ${tools}/check_bounds)
add_test(NAME repository.readme COMMAND ${tools}/make_readme $<TARGET_FILE:daedal> --check)
add_test(NAME repository.json COMMAND ${tools}/check_json $<TARGET_FILE:daedal>)
set_tests_properties(repository.layering repository.format repository.packages repository.references repository.links repository.bounds
                     repository.readme repository.json
                     PROPERTIES LABELS repository)
set_tests_properties(repository.json PROPERTIES TIMEOUT 300 PROCESSORS 2)

# The documentation as a site, its gallery from runs; all its links are valid
add_test(NAME site.make COMMAND ${tools}/make_site $<TARGET_FILE:daedal> ${PROJECT_BINARY_DIR}/site)
add_test(NAME site.links COMMAND ${tools}/check_links ${PROJECT_BINARY_DIR}/site)
set_tests_properties(site.make PROPERTIES LABELS repository TIMEOUT 300 FIXTURES_SETUP site_made)
set_tests_properties(site.links PROPERTIES LABELS repository FIXTURES_REQUIRED site_made)

# Its start page, search and menu in Debian's Chromium
find_program(DAEDAL_NODE NAMES node nodejs)
mark_as_advanced(DAEDAL_NODE)
if(DAEDAL_NODE)
  add_test(NAME site.browser COMMAND ${DAEDAL_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/browser/site_test.mjs ${PROJECT_BINARY_DIR}/site
           ${PROJECT_BINARY_DIR}/pages/work)
  set_tests_properties(site.browser PROPERTIES LABELS browser TIMEOUT 300 SKIP_RETURN_CODE 77 FIXTURES_REQUIRED site_made)
endif()

# The same bits whatever the program was compiled for: this one against tests/bits, then the same for AVX2 and for every
# x86-64 processor, as the Debian package is
add_test(NAME bits.native COMMAND ${tools}/check_bits $<TARGET_FILE:daedal>)
set_tests_properties(bits.native PROPERTIES LABELS bits TIMEOUT 600 PROCESSORS 2 SKIP_RETURN_CODE 77)
foreach(architecture x86-64-v3 x86-64)
  set(folder ${PROJECT_BINARY_DIR}/bits/${architecture})
  add_test(NAME bits.build_${architecture} COMMAND ${tools}/build_for ${architecture} ${folder})
  add_test(NAME bits.${architecture} COMMAND ${tools}/check_bits ${folder}/daedal)
  set_tests_properties(bits.build_${architecture} PROPERTIES LABELS bits TIMEOUT 1800 PROCESSORS 2
    FIXTURES_SETUP built_for_${architecture})
  set_tests_properties(bits.${architecture} PROPERTIES LABELS bits TIMEOUT 600 PROCESSORS 2
    FIXTURES_REQUIRED built_for_${architecture} SKIP_RETURN_CODE 77)
endforeach()

# All of src and app: about six minutes on two cores
add_test(NAME repository.tidy COMMAND ${tools}/check_tidy ${PROJECT_BINARY_DIR})
set_tests_properties(repository.tidy PROPERTIES LABELS tidy TIMEOUT 1800 PROCESSORS 2)

# The examples, built and run against the package installed below the build tree; the Debian package, unpacked and used
add_test(NAME repository.consumer
  COMMAND ${tools}/check_consumer ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/consumer)
add_test(NAME repository.debian_package
  COMMAND ${tools}/check_debian_package ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/debian_package)
set_tests_properties(repository.consumer repository.debian_package PROPERTIES LABELS package TIMEOUT 300)

# The Python package as a wheel, in a new environment without a network
if(TARGET daedal_python)
  add_test(NAME repository.wheel COMMAND ${tools}/check_wheel ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/wheel)
  set_tests_properties(repository.wheel PROPERTIES LABELS package TIMEOUT 300)
endif()

# Benchmarks are run by hand; that they compile is known here
add_test(NAME repository.benchmarks COMMAND sh -c "${CMAKE_COMMAND} --preset bench && ${CMAKE_COMMAND} --build --preset bench"
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(repository.benchmarks PROPERTIES LABELS package TIMEOUT 1200 PROCESSORS 2)

# The fast tests under AddressSanitizer and UndefinedBehaviorSanitizer: modules and program in a build tree of their own, the
# tests as they were compiled in this one
add_test(NAME sanitized.configure COMMAND ${CMAKE_COMMAND} --preset asan -DDAEDAL_COMPILED_TESTS=${PROJECT_BINARY_DIR}
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_test(NAME sanitized.build COMMAND ${CMAKE_COMMAND} --build --preset asan WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_test(NAME sanitized.tests COMMAND ${CMAKE_CTEST_COMMAND} --preset asan WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(sanitized.configure PROPERTIES LABELS sanitized FIXTURES_SETUP sanitized_configured)
set_tests_properties(sanitized.build PROPERTIES LABELS sanitized TIMEOUT 2400 PROCESSORS 2
  FIXTURES_REQUIRED sanitized_configured FIXTURES_SETUP sanitized_built)
set_tests_properties(sanitized.tests PROPERTIES LABELS sanitized TIMEOUT 1800 PROCESSORS 2
  FIXTURES_REQUIRED sanitized_built)

# The language, what becomes of it, and every question under libFuzzer, from tests/fuzz/corpus and the library: 4 fuzzers, 12 s each
add_test(NAME fuzz.short_run COMMAND ${tools}/run_fuzzer 12)
set_tests_properties(fuzz.short_run PROPERTIES LABELS fuzz TIMEOUT 600 FIXTURES_REQUIRED sanitized_built)
