# The results reader under any bytes. ctest replays the corpus and the fixtures; with clang the target
# fuzz_results explores:
#   cmake --build build --target fuzz_results && build/tests/fuzz_results tests/fuzz/results_corpus
add_executable(fuzz_results_replay fuzz/results_fuzz.c)
target_compile_definitions(fuzz_results_replay PRIVATE GB_FUZZ_REPLAY)
target_link_libraries(fuzz_results_replay PRIVATE gb_record)
add_test(NAME fuzz.results_corpus COMMAND fuzz_results_replay
  ${CMAKE_CURRENT_LIST_DIR}/results_corpus ${PROJECT_SOURCE_DIR}/tests/golden/records)
set_tests_properties(fuzz.results_corpus PROPERTIES TIMEOUT 120 LABELS fuzz)

if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  # The library once more, instrumented.
  file(GLOB gb_fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/harness/record/*.c
    ${PROJECT_SOURCE_DIR}/harness/base/*.c)
  add_executable(fuzz_results EXCLUDE_FROM_ALL fuzz/results_fuzz.c ${gb_fuzz_sources})
  target_link_libraries(fuzz_results PRIVATE gb_flags gb_jansson gb_md m)
  target_compile_options(fuzz_results PRIVATE -fsanitize=fuzzer,address,undefined -g -O1)
  target_link_options(fuzz_results PRIVATE -fsanitize=fuzzer,address,undefined)
endif()
