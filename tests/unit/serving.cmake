# Requests that arrive by themselves: the server in virtual time, and the kernel that serves.
gb_unit_test(queue gb_kernels)
gb_unit_test(serving gb_kernels gb_device)
gb_unit_test(findings_serving gb_reports)
