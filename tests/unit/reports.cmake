gb_unit_test(reports gb_reports)
gb_unit_test(plots gb_plot)
gb_unit_test(plots_types gb_plot)
gb_unit_test(plots_values gb_plot)
gb_unit_test(plots_order gb_plot)
gb_unit_test(plots_ladder gb_plot)
gb_unit_test(plots_phases gb_plot)
gb_unit_test(plots_distribution gb_plot)
gb_unit_test(findings_launch gb_reports)
gb_unit_test(reports_roofline gb_page gb_plot)
gb_unit_test(findings_divergence gb_reports)
gb_unit_test(findings_batch gb_reports)
gb_unit_test(findings_tiling gb_reports)
gb_unit_test(measured gb_reports)
# Every rule against replicates that lie apart, and against its row in docs/reports.md.
gb_unit_test(findings_spread gb_reports)
gb_unit_test(contrast gb_reports suite_catalog)
# The figures that a plot shows are read back under a locale with a decimal comma too.
foreach(test plots plots_types plots_values plots_ladder plots_phases
    plots_distribution)
  add_test(NAME unit.${test}_PLT-01_decimal_comma
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/comma_locale.sh $<TARGET_FILE:test_${test}>)
  set_tests_properties(unit.${test}_PLT-01_decimal_comma PROPERTIES
    TIMEOUT 300 LABELS unit SKIP_RETURN_CODE 77)
endforeach()
