# harness/device: the cpu device and the simt layer. The kernels of these tests are compiled by the
# host compiler alone; simt_broken.cu always as a checked build has it, once whole and once with a
# barrier removed from each kernel.
set_source_files_properties(unit/simt_kernels.cu unit/simt_broken.cu PROPERTIES LANGUAGE CXX)
function(gb_simt_objects name source)
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE gb_flags gb_base)
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti -fno-math-errno)
  target_compile_definitions(${name} PRIVATE GB_CPU_VARIANT=generic ${ARGN})
endfunction()
gb_simt_objects(simt_kernels unit/simt_kernels.cu)
gb_simt_objects(simt_right unit/simt_broken.cu GB_CHECKED=1)
gb_simt_objects(simt_broken unit/simt_broken.cu GB_CHECKED=1 GB_TEST_REMOVE_BARRIER)

foreach(name device_cpu simt host_limits peaks)
  gb_unit_test(${name} gb_device)
  target_include_directories(test_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
endforeach()
foreach(part memory launches streams gate graphs)
  gb_unit_test(device_cpu_${part} gb_device)
  target_include_directories(test_device_cpu_${part} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_sources(test_device_cpu_${part} PRIVATE $<TARGET_OBJECTS:simt_kernels>)
endforeach()
gb_serial_test(simt 300)
if(NOT GPUBENCH_HAVE_CUDA)
  target_link_libraries(test_device_cpu PRIVATE gb_device_cuda) # what no_cuda.c says
endif()
target_sources(test_simt PRIVATE $<TARGET_OBJECTS:simt_kernels> $<TARGET_OBJECTS:simt_right>
  $<TARGET_OBJECTS:simt_broken>)

# The same rules seen by TSan, with the line of the race.
add_executable(simt_race unit/simt_race.c $<TARGET_OBJECTS:simt_right> $<TARGET_OBJECTS:simt_broken>)
target_link_libraries(simt_race PRIVATE gb_flags gb_device)
add_test(NAME unit.simt_race_right COMMAND simt_race right)
set_tests_properties(unit.simt_race_right PROPERTIES LABELS unit TIMEOUT 120
  PASS_REGULAR_EXPRESSION "done" FAIL_REGULAR_EXPRESSION "data race")
if(GPUBENCH_SANITIZE STREQUAL "thread")
  add_test(NAME unit.simt_race_broken COMMAND simt_race broken)
  set_tests_properties(unit.simt_race_broken PROPERTIES LABELS unit TIMEOUT 120
    PASS_REGULAR_EXPRESSION "data race.*simt_broken.cu")
endif()

foreach(variant IN LISTS GPUBENCH_CPU_VARIANTS)
  if(NOT variant STREQUAL "generic")
    add_test(NAME unit.variant_symbols_${variant} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/variant_symbols.sh
      ${CMAKE_NM} $<TARGET_OBJECTS:gb_kernels_cpu_${variant}> COMMAND_EXPAND_LISTS)
    set_tests_properties(unit.variant_symbols_${variant} PROPERTIES LABELS unit)
  endif()
endforeach()
