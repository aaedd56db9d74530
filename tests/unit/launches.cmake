# The kernels launch and graph, measured on the cpu device with work that goes missing.
foreach(name launches graph)
  gb_unit_test(${name} gb_run gb_suite gb_kernels gb_device)
  gb_serial_test(${name} 300)
endforeach()
