# The machine code that nvcc makes, looked at without a GPU. For two architectures that every toolkit
# since CUDA 11.8 knows.
if(GPUBENCH_HAVE_CUDA)
  add_test(NAME sass.ptx COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_ptx.sh ${CMAKE_CUDA_COMPILER}
    ${PROJECT_SOURCE_DIR} 80 90)
  set_tests_properties(sass.ptx PROPERTIES TIMEOUT 600 LABELS sass)
endif()
