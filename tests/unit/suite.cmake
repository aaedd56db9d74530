# harness/suite, with a small catalog of kernels of its own.
add_library(suite_catalog STATIC unit/suite_catalog.c)
target_include_directories(suite_catalog PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(suite_catalog PUBLIC gb_suite PkgConfig::CHECK)
foreach(name yaml suite suite_values suite_load plan expect)
  gb_unit_test(${name} suite_catalog)
endforeach()
# Numbers are read and printed under a locale with a decimal comma too.
foreach(name suite_values expect)
  gb_comma_locale_test(${name} RES-09)
endforeach()
gb_unit_test(suite_memory suite_catalog)
target_link_options(test_suite_memory PRIVATE
  -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc)
