# The PTX and the machine code that nvcc makes, looked at without a GPU: for the architectures of an
# A100, an H100 and an RTX 50 (ptxas of CUDA 12 knows the last one from 12.8 on). check.py says what
# is done; machine code needs nvdisasm, which comes from PyPI where the toolkit has none.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(GPUBENCH_HAVE_CUDA AND Python3_FOUND)
  set(gb_sass_architectures 80 90)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
    list(APPEND gb_sass_architectures 120)
  endif()
  foreach(what ptx code self)
    add_test(NAME sass.${what} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check.py ${what}
      ${CMAKE_CUDA_COMPILER} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/sass ${gb_sass_architectures})
    # One after the other: they share the folder and the disassembler.
    set_tests_properties(sass.${what} PROPERTIES
      TIMEOUT 600 LABELS sass SKIP_RETURN_CODE 77 RESOURCE_LOCK sass)
  endforeach()
  set_tests_properties(sass.ptx PROPERTIES FIXTURES_SETUP sass_machine_code)
  set_tests_properties(sass.code PROPERTIES FIXTURES_REQUIRED sass_machine_code)
endif()
