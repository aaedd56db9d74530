gb_unit_test(reports gb_reports)
gb_unit_test(plots gb_plot)
gb_unit_test(plots_types gb_plot)
gb_unit_test(findings_launch gb_reports)
gb_unit_test(reports_roofline gb_plot)
gb_unit_test(findings_divergence gb_reports)
gb_unit_test(findings_batch gb_reports)
gb_unit_test(findings_tiling gb_reports)
# The figures that a plot shows are read back under a locale with a decimal comma too.
add_test(NAME unit.plots_PLT-01_decimal_comma
  COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/comma_locale.sh $<TARGET_FILE:test_plots>)
set_tests_properties(unit.plots_PLT-01_decimal_comma PROPERTIES
  TIMEOUT 300 LABELS unit SKIP_RETURN_CODE 77)
