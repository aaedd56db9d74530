# The kernels overlap and residency on the cpu device, and the findings on their figures.
gb_unit_test(overlap gb_kernels gb_device)
gb_unit_test(findings_overlap gb_reports)
