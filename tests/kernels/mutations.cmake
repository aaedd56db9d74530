# Mistakes in the kernels that their own verification must find. A minute of two processors and
# more, hence only when asked for: ctest -C mutation -L mutation. The kernels are compiled anew,
# without sanitizers.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND AND NOT GPUBENCH_SANITIZE)
  add_executable(kernel_verdict kernels/verdict.c)
  target_link_libraries(kernel_verdict PRIVATE gb_flags gb_kernels gb_device gb_cudart ${CMAKE_DL_LIBS})
  set_target_properties(kernel_verdict PROPERTIES ENABLE_EXPORTS ON)
  add_test(NAME kernels.mutations CONFIGURATIONS mutation COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/mutate.py
    ${PROJECT_SOURCE_DIR} $<TARGET_FILE:kernel_verdict> ${CMAKE_CXX_COMPILER} ${CMAKE_C_COMPILER} "")
  set_tests_properties(kernels.mutations PROPERTIES LABELS mutation TIMEOUT 1200)
endif()
