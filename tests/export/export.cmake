# Exports, read back by other programs where they are there.
find_program(GPUBENCH_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(GPUBENCH_SYSTEM_PYTHON)
  add_test(NAME export.read_back
    COMMAND ${GPUBENCH_SYSTEM_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:gpubench>
            ${PROJECT_SOURCE_DIR}/tests/golden/records)
  set_tests_properties(export.read_back PROPERTIES TIMEOUT 300 LABELS cli)
endif()
