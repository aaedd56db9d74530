# harness/record. Numbers are written and read under a locale with a decimal comma too (RES-09).
foreach(name record record_summary record_csv record_results)
  gb_unit_test(${name} gb_record)
  gb_comma_locale_test(${name} RES-09)
endforeach()
gb_unit_test(baseline gb_reports gb_record)
foreach(name run_dir run_dir_races record_samples)
  gb_unit_test(${name} gb_record)
endforeach()

# RES-01, RES-05, BLD-10: the files against the schema.
add_executable(record_writer unit/record_writer.c)
target_link_libraries(record_writer PRIVATE gb_record PkgConfig::CHECK)
target_include_directories(record_writer PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(record_writer PRIVATE GB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_test(NAME unit.results_schema_RES-01_RES-05_BLD-10 COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/results_schema.sh
  $<TARGET_FILE:record_writer> ${PROJECT_SOURCE_DIR})
set_tests_properties(unit.results_schema_RES-01_RES-05_BLD-10 PROPERTIES TIMEOUT 120 LABELS unit SKIP_RETURN_CODE 77)
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  add_test(NAME unit.results_docs COMMAND ${Python3_EXECUTABLE}
    ${CMAKE_CURRENT_LIST_DIR}/results_docs.py ${PROJECT_SOURCE_DIR})
  set_tests_properties(unit.results_docs PROPERTIES TIMEOUT 60 LABELS unit)
endif()
