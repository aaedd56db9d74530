gb_unit_test(classes suite_catalog)
gb_unit_test(matrix gb_matrix)
