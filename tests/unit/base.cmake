# harness/base. The tests in which a number is read or printed run a second time under a locale with
# a decimal comma.
gb_unit_test(rng gb_base)
gb_unit_test(estimate gb_base)
gb_unit_test(inference gb_base)
gb_unit_test(methodology gb_record gb_base)
foreach(name error text units stats json spec)
  gb_unit_test(${name} gb_base)
  add_test(NAME unit.${name}_RES-09_decimal_comma
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/comma_locale.sh $<TARGET_FILE:test_${name}>)
  set_tests_properties(unit.${name}_RES-09_decimal_comma PROPERTIES
    TIMEOUT 300 LABELS unit SKIP_RETURN_CODE 77)
endforeach()
