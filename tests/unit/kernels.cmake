# The kernels: registry and specs, counted work, and every kernel run and verified on the cpu device.
gb_unit_test(kernels gb_kernels gb_device)
gb_unit_test(kernels_work gb_kernels gb_device)
gb_unit_test(kernels_cpu gb_kernels gb_device)
# A checked build runs the threads of a block in two more orders.
if(GPUBENCH_CHECKED)
  foreach(order reverse random)
    add_test(NAME unit.kernels_cpu_${order} COMMAND test_kernels_cpu)
    set_tests_properties(unit.kernels_cpu_${order} PROPERTIES LABELS unit
      ENVIRONMENT GPUBENCH_FIBERS=${order})
    list(APPEND gb_kernels_cpu_orders unit.kernels_cpu_${order})
  endforeach()
endif()
# Every kernel with hundreds of arguments each, on threads that wait for each other thousands of times:
# beside other tests each of these waits would be a long one.
set_tests_properties(unit.kernels_cpu ${gb_kernels_cpu_orders} PROPERTIES TIMEOUT 900 RUN_SERIAL ON)
gb_unit_test(divergence gb_kernels gb_device)
gb_unit_test(tiling gb_kernels gb_device)
gb_unit_test(flops gb_kernels gb_device)
