# The kernels: registry and specs, counted work, and every kernel run and verified on the cpu device.
set(gb_kernel_libraries gb_kernels gb_device)
if(GPUBENCH_HAVE_CUDA)
  list(APPEND gb_kernel_libraries gb_cudart) # what nvcc's objects register themselves with
endif()
gb_unit_test(kernels ${gb_kernel_libraries})
gb_unit_test(kernels_work ${gb_kernel_libraries})
gb_unit_test(kernels_cpu ${gb_kernel_libraries})
