# gpubench-device-test: runs on every device; scripts/gpu-check takes it to machines with a GPU.
add_executable(gpubench-device-test gpu/main.c gpu/device_test.c gpu/kernels_test.c)
target_include_directories(gpubench-device-test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(gpubench-device-test PRIVATE gb_kernels gb_device_cuda gb_cudart)
set_target_properties(gpubench-device-test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
if(GPUBENCH_PORTABLE)
  target_link_options(gpubench-device-test PRIVATE -static-libgcc -static-libstdc++)
endif()
add_test(NAME device.cpu COMMAND gpubench-device-test cpu)
# Of a portable build: packaging.gpu-check. It uses all processors.
set_tests_properties(device.cpu PROPERTIES LABELS threads RUN_SERIAL ON)
# On a machine with a GPU; elsewhere the program ends with 4 and the test counts as skipped.
add_test(NAME device.cuda COMMAND gpubench-device-test cuda)
set_tests_properties(device.cuda PROPERTIES LABELS gpu SKIP_RETURN_CODE 4)
