# The measuring loop in virtual time, on a fake device.
add_library(fake_device STATIC unit/fake_device.c unit/fake_kernel.c)
target_include_directories(fake_device PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(fake_device PUBLIC gb_flags gb_device)
foreach(name measure measure_conditions measure_limits measure_errors measure_peaks)
  gb_unit_test(${name} fake_device gb_run)
endforeach()
# On the real cpu device. They time things: not beside other tests.
foreach(name measure_cpu selftest)
  gb_unit_test(${name} gb_run gb_device_cuda)
  set_tests_properties(unit.${name} PROPERTIES RUN_SERIAL ON)
endforeach()
