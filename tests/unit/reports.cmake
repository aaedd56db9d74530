gb_unit_test(reports gb_reports)
gb_unit_test(plots gb_reports)
