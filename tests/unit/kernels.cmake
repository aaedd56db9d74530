# The kernels: registry and specs, counted work, and every kernel run and verified on the cpu device.
gb_unit_test(kernels gb_kernels gb_device)
gb_unit_test(kernels_work gb_kernels gb_device)
gb_unit_test(kernels_cpu gb_kernels gb_device)
# Every kernel with hundreds of arguments each.
gb_serial_test(kernels_cpu 900)
gb_unit_test(divergence gb_kernels gb_device)
gb_unit_test(tiling gb_kernels gb_device)
gb_unit_test(atomics gb_kernels gb_device)
gb_unit_test(occupancy gb_kernels gb_device)
# Vector search, softmax and layer norm, lookups.
gb_unit_test(search gb_kernels gb_device)
gb_unit_test(rows gb_kernels gb_device)
gb_unit_test(flops gb_kernels gb_device)
gb_unit_test(arith gb_kernels gb_device)
