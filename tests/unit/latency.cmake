# The memory hierarchy: rings, the kernel that follows them, levels in ladders, and what is said of them.
gb_unit_test(ring gb_kernels gb_device)
gb_unit_test(chase gb_kernels gb_device)
gb_unit_test(hierarchy gb_reports gb_base)
gb_unit_test(findings_chase gb_reports)
