# The fake CUDA runtime and what is tested with it. Needs nvcc (the headers and the objects of the
# kernels), no GPU and no driver.
if(GPUBENCH_HAVE_CUDA)
  set(gb_fake ${CMAKE_CURRENT_LIST_DIR})
  set(gb_fake_out ${PROJECT_BINARY_DIR}/tests/fake)
  add_library(fake_cudart STATIC ${gb_fake}/fake_cudart.c ${gb_fake}/fake_graph.c ${gb_fake}/fake_kernels.c
    ${gb_fake}/fake_cub.c
    ${gb_fake}/fake_queue.c ${gb_fake}/fake_settings.c)
  target_include_directories(fake_cudart PUBLIC ${gb_fake})
  target_include_directories(fake_cudart SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(fake_cudart PUBLIC gb_flags gb_device)

  # What is opened with dlopen, under the names that it is looked for.
  foreach(row "fake_nvml nvidia-ml 1 lib" "fake_cublas cublas 13 lib" "stub_libcuda cuda 1 stubs")
    separate_arguments(row)
    list(GET row 0 gb_file)
    list(GET row 1 gb_name)
    list(GET row 2 gb_version)
    list(GET row 3 gb_folder)
    add_library(${gb_file} SHARED ${gb_fake}/${gb_file}.c)
    target_link_libraries(${gb_file} PRIVATE gb_flags)
    set_target_properties(${gb_file} PROPERTIES PREFIX "" SUFFIX ""
      OUTPUT_NAME lib${gb_name}.so.${gb_version} LIBRARY_OUTPUT_DIRECTORY ${gb_fake_out}/${gb_folder})
  endforeach()

  # What NVTX loads when a profiler asks it to.
  if(EXISTS ${CUDAToolkit_INCLUDE_DIRS}/nvtx3/nvToolsExt.h)
    add_library(fake_nvtx SHARED ${gb_fake}/fake_nvtx.c)
    target_include_directories(fake_nvtx SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
    target_link_libraries(fake_nvtx PRIVATE gb_flags)
    set_target_properties(fake_nvtx PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${gb_fake_out}/lib)
  endif()

  # gb_fake_test(NAME): fake/test_NAME.c, a Check program, under the fake runtime.
  function(gb_fake_test name)
    add_executable(test_${name} ${gb_fake}/test_${name}.c)
    target_link_libraries(test_${name} PRIVATE ${ARGN} gb_device_cuda fake_cudart gb_device gb_flags
      PkgConfig::CHECK)
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(test_${name} PRIVATE FAKE_FOLDER="${gb_fake_out}")
    # the C++ runtime stays out, and the fake finds the kernels' cpu code by name
    set_target_properties(test_${name} PROPERTIES LINKER_LANGUAGE C ENABLE_EXPORTS ON)
    add_dependencies(test_${name} fake_nvml fake_cublas stub_libcuda)
    add_test(NAME fake.${name} COMMAND test_${name})
    set_tests_properties(fake.${name} PROPERTIES TIMEOUT 300 LABELS fake
      ENVIRONMENT "LD_LIBRARY_PATH=${gb_fake_out}/lib:${gb_fake_out}/stubs")
  endfunction()
  # The whole program on the fake runtime.
  add_executable(gpubench-fake ${PROJECT_SOURCE_DIR}/harness/cli/main.c)
  add_dependencies(gpubench-fake gb_build_info fake_nvml fake_cublas stub_libcuda)
  target_link_libraries(gpubench-fake PRIVATE gb_cli gb_run gb_kernels gb_device_cuda fake_cudart)
  set_target_properties(gpubench-fake PROPERTIES LINKER_LANGUAGE C ENABLE_EXPORTS ON
    RUNTIME_OUTPUT_DIRECTORY ${gb_fake_out})

  gb_fake_test(device_cuda gb_kernels)
  foreach(part memory launches streams graphs cublas)
    gb_fake_test(device_cuda_${part} gb_kernels)
  endforeach()
  gb_fake_test(crossover_cuda gb_kernels)

  # the toolkit's own link-time stub of the driver, which the real program must see through
  find_file(GB_REAL_STUB libcuda.so PATHS ${CUDAToolkit_LIBRARY_DIR}/stubs NO_DEFAULT_PATH)
  find_program(GB_PYTHON3 python3)
  if(GB_PYTHON3)
    foreach(script test_program fail_every_call)
      add_test(NAME fake.${script} COMMAND ${GB_PYTHON3} ${gb_fake}/${script}.py)
      set_tests_properties(fake.${script} PROPERTIES TIMEOUT 600 LABELS fake
        ENVIRONMENT "GPUBENCH=$<TARGET_FILE:gpubench>;GPUBENCH_FAKE=$<TARGET_FILE:gpubench-fake>;FAKE_FOLDER=${gb_fake_out};GB_SOURCE=${PROJECT_SOURCE_DIR};GB_REAL_STUB=${GB_REAL_STUB};PYTHONDONTWRITEBYTECODE=1")
    endforeach()
  endif()

  add_test(NAME fake.BLD-01-cuda_headers COMMAND sh ${gb_fake}/BLD-01-cuda_headers.sh
    ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CUDAToolkit_INCLUDE_DIRS})
  add_test(NAME fake.BLD-09-headers COMMAND sh ${gb_fake}/BLD-09-headers.sh ${CMAKE_C_COMPILER}
    ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
  set_tests_properties(fake.BLD-01-cuda_headers fake.BLD-09-headers PROPERTIES LABELS fake)
endif()
