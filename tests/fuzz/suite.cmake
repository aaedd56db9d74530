# The suite loader under any bytes. ctest replays the corpus and the fixtures; with clang the target
# fuzz_suite explores:
#   cmake --build build --target fuzz_suite && build/tests/fuzz_suite tests/fuzz/suite_corpus
add_executable(fuzz_suite_replay fuzz/suite_fuzz.c fuzz/replay.c unit/suite_catalog.c)
target_include_directories(fuzz_suite_replay PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(fuzz_suite_replay PRIVATE gb_suite PkgConfig::CHECK)
add_test(NAME fuzz.suite_corpus COMMAND fuzz_suite_replay
  ${CMAKE_CURRENT_LIST_DIR}/suite_corpus ${CMAKE_CURRENT_SOURCE_DIR}/unit/suites)
set_tests_properties(fuzz.suite_corpus PROPERTIES TIMEOUT 300 LABELS fuzz)

if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  # The library once more, instrumented.
  file(GLOB gb_fuzz_suite_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/harness/suite/*.c
    ${PROJECT_SOURCE_DIR}/harness/record/*.c ${PROJECT_SOURCE_DIR}/harness/base/*.c)
  add_executable(fuzz_suite EXCLUDE_FROM_ALL fuzz/suite_fuzz.c unit/suite_catalog.c
    ${gb_fuzz_suite_sources})
  target_include_directories(fuzz_suite PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(fuzz_suite PRIVATE gb_flags gb_yaml gb_jansson gb_md m PkgConfig::CHECK)
  target_compile_options(fuzz_suite PRIVATE -fsanitize=fuzzer,address,undefined -g -O1)
  target_link_options(fuzz_suite PRIVATE -fsanitize=fuzzer,address,undefined)
endif()
