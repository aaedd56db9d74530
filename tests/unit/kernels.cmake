# The kernels: registry and specs, counted work, and every kernel run and verified on the cpu device.
gb_unit_test(kernels gb_kernels gb_device)
gb_unit_test(kernels_work gb_kernels gb_device)
gb_unit_test(kernels_cpu gb_kernels gb_device)
gb_unit_test(divergence gb_kernels gb_device)
gb_unit_test(tiling gb_kernels gb_device)
gb_unit_test(flops gb_kernels gb_device)
