# Tests of the repository itself: layering, style, sanitizers, fuzzer, installed package. Only the release preset registers
# them; the presets they call do not, so nothing recurses.
set(tools ${PROJECT_SOURCE_DIR}/tools)

add_test(NAME repository.layering COMMAND ${tools}/check_includes)
add_test(NAME repository.format COMMAND ${tools}/check_format)
add_test(NAME repository.packages COMMAND ${tools}/check_packages)
add_test(NAME repository.references COMMAND ${tools}/check_references)
add_test(NAME repository.links COMMAND ${tools}/check_links)
add_test(NAME repository.readme COMMAND ${tools}/make_readme $<TARGET_FILE:daedal> --check)
set_tests_properties(repository.layering repository.format repository.packages repository.references repository.links repository.readme
                     PROPERTIES LABELS repository)

# The documentation as a site, its gallery from runs; no link of it leads nowhere
add_test(NAME site.make COMMAND ${tools}/make_site $<TARGET_FILE:daedal> ${PROJECT_BINARY_DIR}/site)
add_test(NAME site.links COMMAND ${tools}/check_links ${PROJECT_BINARY_DIR}/site)
set_tests_properties(site.make PROPERTIES LABELS repository TIMEOUT 300 FIXTURES_SETUP site_made)
set_tests_properties(site.links PROPERTIES LABELS repository FIXTURES_REQUIRED site_made)

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
set_tests_properties(repository.consumer repository.debian_package PROPERTIES LABELS repository TIMEOUT 300)

# The fast tests under AddressSanitizer and UndefinedBehaviorSanitizer: rooms and program in a build tree of their own, the
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

# The language and what becomes of it under libFuzzer, from the corpus in tests/fuzz/corpus
add_test(NAME fuzz.short_run COMMAND ${tools}/run_fuzzer 15)
set_tests_properties(fuzz.short_run PROPERTIES LABELS fuzz TIMEOUT 600 FIXTURES_REQUIRED sanitized_built)
