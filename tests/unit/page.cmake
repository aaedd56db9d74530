# reports/page and reports/merge.c.
gb_unit_test(html gb_page)
gb_unit_test(findings_memory gb_reports)
gb_unit_test(merge gb_reports)
gb_unit_test(report_page gb_page)
gb_unit_test(markdown gb_page)
