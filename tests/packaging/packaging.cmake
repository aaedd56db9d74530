# What leaves the build machine: the list of architectures, the archive, the portable binaries.
set(gb_packaging ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME packaging.field_cases COMMAND sh ${gb_packaging}/field_cases.sh ${PROJECT_SOURCE_DIR})
add_test(NAME packaging.install-deps COMMAND sh ${gb_packaging}/install-deps.sh ${PROJECT_SOURCE_DIR})
# They look at no program of this build.
set_tests_properties(packaging.field_cases packaging.install-deps PROPERTIES LABELS nosanitize)
if(NOT GPUBENCH_SANITIZE)
  add_test(NAME packaging.BLD-08-archive
    COMMAND sh ${gb_packaging}/BLD-08-archive.sh ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND})
  set_tests_properties(packaging.BLD-08-archive PROPERTIES LABELS slow TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
if(GPUBENCH_HAVE_CUDA)
  add_test(NAME packaging.BLD-02-architectures
    COMMAND sh ${gb_packaging}/BLD-02-architectures.sh ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND} ${CMAKE_CUDA_COMPILER})
  set_tests_properties(packaging.BLD-02-architectures PROPERTIES LABELS slow TIMEOUT 300)
endif()
if(GPUBENCH_PORTABLE)
  add_test(NAME packaging.portable_binaries
    COMMAND sh ${gb_packaging}/portable.sh $<TARGET_FILE:gpubench>
      $<TARGET_FILE:gpubench-device-test> $<$<BOOL:${GPUBENCH_HAVE_CUDA}>:$<TARGET_FILE:cuda_peer>>)
  add_test(NAME packaging.gpu-check
    COMMAND sh ${gb_packaging}/gpu-check.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  set_tests_properties(packaging.portable_binaries packaging.gpu-check PROPERTIES
    LABELS portable TIMEOUT 600 RUN_SERIAL TRUE)
endif()
