gb_unit_test(compare gb_compare)
gb_unit_test(compare_metrics gb_compare)
gb_unit_test(compare_runs gb_compare)
gb_unit_test(compare_devices gb_compare)
gb_unit_test(compare_earlier gb_compare)
gb_unit_test(compare_forms gb_compare)
gb_unit_test(compare_sim gb_compare)
# Thousands of comparisons like those of the tests above: how often the verdicts err.
set_property(TEST unit.compare_sim APPEND PROPERTY LABELS nosanitize)
