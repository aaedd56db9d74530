# reports/history: the rules, what they come to, and the file.
gb_unit_test(history_judge gb_history)
gb_unit_test(history_sim gb_history)
# Thousands of nights like those of the test above: how often the rules err.
set_property(TEST unit.history_sim APPEND PROPERTY LABELS nosanitize)
gb_unit_test(history gb_history)
gb_unit_test(history_check gb_history)
gb_unit_test(history_keep gb_history)
