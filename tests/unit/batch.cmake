# The kernel batch on the cpu device: sizes, parts, and mistakes that must be noticed.
gb_unit_test(batch gb_kernels gb_device)
