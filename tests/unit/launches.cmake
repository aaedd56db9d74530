# The kernels launch and graph, measured on the cpu device with work that goes missing.
gb_unit_test(launches gb_run gb_suite gb_kernels gb_device)
set_tests_properties(unit.launches PROPERTIES RUN_SERIAL ON) # its threads wait for each other all the time
