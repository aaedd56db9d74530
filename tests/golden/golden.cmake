# Reports from fixed records. golden_plan says what a suite comes to, so that made-up figures can be
# given to real cases; golden.make makes all reports once, the tests behind it look at them.
add_executable(golden_plan golden/plan_dump.c)
target_link_libraries(golden_plan PRIVATE gb_flags gb_cli gb_run gb_kernels gb_device_cuda gb_cudart)
add_dependencies(gb_selfbench golden_plan)

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(gb_golden ${CMAKE_CURRENT_BINARY_DIR}/golden)
  set(gb_reports ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/reports.py)
  add_test(NAME golden.make
    COMMAND ${gb_reports} make $<TARGET_FILE:gpubench> $<TARGET_FILE:golden_plan> ${gb_golden})
  set_tests_properties(golden.make PROPERTIES FIXTURES_SETUP golden)
  add_test(NAME golden.verify COMMAND ${gb_reports} verify $<TARGET_FILE:gpubench> ${gb_golden})
  add_test(NAME golden.data_RES-18_RES-21
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/readback.py ${gb_golden})
  add_test(NAME golden.pictures
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/pictures.py ${gb_golden})
  set(gb_behind golden.verify golden.data_RES-18_RES-21 golden.pictures)
  set_tests_properties(${gb_behind} PROPERTIES FIXTURES_REQUIRED golden)
  set_tests_properties(golden.make ${gb_behind} PROPERTIES TIMEOUT 300 LABELS golden
    SKIP_RETURN_CODE 77)
  add_custom_target(golden_update
    COMMAND ${gb_reports} make $<TARGET_FILE:gpubench> $<TARGET_FILE:golden_plan> ${gb_golden}
    COMMAND ${gb_reports} update ${gb_golden} VERBATIM)
endif()
