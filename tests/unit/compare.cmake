gb_unit_test(compare_sim gb_compare)
