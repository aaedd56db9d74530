# reports/page and reports/merge.c.
gb_unit_test(html gb_page)
gb_unit_test(findings_memory gb_reports)
