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
  add_test(NAME golden.expected COMMAND ${gb_reports} compare ${gb_golden})
  add_test(NAME golden.verify COMMAND ${gb_reports} verify $<TARGET_FILE:gpubench> ${gb_golden})
  add_test(NAME golden.schema COMMAND ${Python3_EXECUTABLE}
    ${PROJECT_SOURCE_DIR}/tests/unit/results_schema.py
    ${PROJECT_SOURCE_DIR}/configs/schemas/results-1.json ${gb_golden}/gpu ${gb_golden}/gpu2
    ${gb_golden}/bimodal)
  add_test(NAME golden.data_TIM-17
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/readback.py ${gb_golden})
  add_test(NAME golden.pictures_PLT-02_PLT-05_PLT-08_PLT-14
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/pictures.py ${gb_golden})
  add_test(NAME golden.says_RES-10_RES-18_RES-20_RES-21_RES-22
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/says.py $<TARGET_FILE:gpubench> ${gb_golden})
  add_test(NAME browser.RES-20_pages
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/../browser/pages.py ${gb_golden})
  set(gb_behind golden.expected golden.verify golden.schema golden.data_TIM-17 browser.RES-20_pages
    golden.pictures_PLT-02_PLT-05_PLT-08_PLT-14 golden.says_RES-10_RES-18_RES-20_RES-21_RES-22)
  set_tests_properties(${gb_behind} PROPERTIES FIXTURES_REQUIRED golden)
  set_tests_properties(golden.make ${gb_behind} PROPERTIES TIMEOUT 300 LABELS golden
    SKIP_RETURN_CODE 77)
  # Pages and pictures are the same bytes in every build.
  set_property(TEST browser.RES-20_pages golden.pictures_PLT-02_PLT-05_PLT-08_PLT-14
    APPEND PROPERTY LABELS nosanitize)
  add_test(NAME browser.procurement COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/../browser/procurement.sh
    $<TARGET_FILE:gpubench> ${PROJECT_SOURCE_DIR})
  set_tests_properties(browser.procurement PROPERTIES TIMEOUT 120 LABELS "golden;nosanitize"
    SKIP_RETURN_CODE 77)
  add_custom_target(golden_update
    COMMAND ${gb_reports} make $<TARGET_FILE:gpubench> $<TARGET_FILE:golden_plan> ${gb_golden}
    COMMAND ${gb_reports} update ${gb_golden} VERBATIM)
endif()
