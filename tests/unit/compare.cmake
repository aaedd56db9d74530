gb_unit_test(compare gb_compare)
gb_unit_test(compare_runs gb_compare)
gb_unit_test(compare_sim gb_compare)
