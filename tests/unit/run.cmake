# Supervisor, workers, their protocol, and what of the command line is pure.
set(gb_run_libraries gb_cli gb_run gb_kernels gb_device_cuda)
gb_unit_test(protocol ${gb_run_libraries})
gb_unit_test(cli_options ${gb_run_libraries})
gb_unit_test(cli_exit_code ${gb_run_libraries})
gb_unit_test(cli_choose ${gb_run_libraries})
gb_unit_test(cli_progress ${gb_run_libraries})
gb_unit_test(cli_odd ${gb_run_libraries})
gb_unit_test(cli_published ${gb_run_libraries})
target_compile_definitions(test_cli_published PRIVATE GB_CONFIGS="${PROJECT_SOURCE_DIR}/configs/gpus")
gb_unit_test(cli_noise ${gb_run_libraries})
gb_unit_test(device_lock ${gb_run_libraries})

# The workers are those of gpubench-test (cli/cli.cmake), which knows the misbehaving kernel.
gb_unit_test(supervise ${gb_run_libraries})
target_sources(test_supervise PRIVATE kernels/misbehave.c kernels/registry.c)
target_compile_definitions(test_supervise PRIVATE GB_PROGRAM="$<TARGET_FILE:gpubench-test>")
add_dependencies(test_supervise gpubench-test)
