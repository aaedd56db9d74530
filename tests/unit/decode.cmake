# The kernel decode on the cpu device, as a GPU's code too, and the findings on its figures.
gb_unit_test(decode gb_kernels gb_device)
gb_unit_test(findings_decode gb_reports)
