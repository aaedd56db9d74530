# The kernel stability and its neighbour, which is a process of gpubench, and the findings on figures.
gb_unit_test(stability gb_kernels gb_device)
gb_unit_test(neighbour gb_kernels gb_device)
target_compile_definitions(test_neighbour PRIVATE GB_PROGRAM="$<TARGET_FILE:gpubench>")
add_dependencies(test_neighbour gpubench)
gb_unit_test(findings_stability gb_reports)
