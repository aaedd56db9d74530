# Reports from fixed records. golden_plan says what a suite comes to, so that made-up figures can be
# given to real cases.
add_executable(golden_plan golden/plan_dump.c)
target_link_libraries(golden_plan PRIVATE gb_flags gb_cli gb_run gb_kernels gb_device_cuda gb_cudart)
