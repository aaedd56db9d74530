# The kernels launch and graph, measured on the cpu device with work that goes missing.
gb_unit_test(launches gb_run gb_suite gb_kernels gb_device)
gb_serial_test(launches 300)
