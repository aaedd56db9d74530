# harness/record. Numbers are written and read under a locale with a decimal comma too (RES-09).
foreach(name record record_csv record_results)
  gb_unit_test(${name} gb_record)
  add_test(NAME unit.${name}_RES-09_decimal_comma
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/comma_locale.sh $<TARGET_FILE:test_${name}>)
  set_tests_properties(unit.${name}_RES-09_decimal_comma PROPERTIES
    TIMEOUT 300 LABELS unit SKIP_RETURN_CODE 77)
endforeach()
foreach(name run_dir run_dir_races)
  gb_unit_test(${name} gb_record)
endforeach()
