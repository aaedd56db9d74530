# The matrix product: 16-bit types, the check of a result, and every variant that a CPU has.
gb_unit_test(half gb_kernels gb_device)
gb_unit_test(matmul gb_kernels gb_device)
gb_unit_test(matmul_check gb_kernels gb_device)
gb_unit_test(findings_matmul gb_reports)
