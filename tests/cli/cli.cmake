# The program with a misbehaving kernel added, and the tests of the command line: every cli/*.sh is
# one, run by a shell with the build's programs in its environment (see cli/lib.sh).
gb_program(gpubench-test kernels/misbehave.c kernels/registry.c)
gb_program(gpubench-test-slow kernels/misbehave.c kernels/registry.c)
target_compile_definitions(gpubench-test-slow PRIVATE GB_TEST_PACE=110)

file(GLOB gb_scripts CONFIGURE_DEPENDS cli/*.sh)
list(FILTER gb_scripts EXCLUDE REGEX "/lib\\.sh$")
foreach(script IN LISTS gb_scripts)
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME cli.${name} COMMAND sh ${script})
  set_tests_properties(cli.${name} PROPERTIES TIMEOUT 300 LABELS cli SKIP_RETURN_CODE 77
    ENVIRONMENT "GPUBENCH=$<TARGET_FILE:gpubench>;GPUBENCH_TEST=$<TARGET_FILE:gpubench-test>;GPUBENCH_TEST_SLOW=$<TARGET_FILE:gpubench-test-slow>;GB_SOURCE=${PROJECT_SOURCE_DIR}")
endforeach()
# Beside other tests it would find the caches that these leave.
set_tests_properties(cli.latency_levels PROPERTIES TIMEOUT 600 RUN_SERIAL ON)
