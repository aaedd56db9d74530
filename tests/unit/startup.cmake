# Cold start and memory: the suballocator, the cache of blocks, the kernels that start processes of
# their own, and the findings on their figures.
gb_unit_test(slab gb_kernels)
gb_unit_test(startup gb_kernels gb_device)
gb_unit_test(findings_startup gb_reports)
