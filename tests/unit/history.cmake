# reports/history: the rules, what they come to, and the file.
gb_unit_test(history_judge gb_history)
gb_unit_test(history_sim gb_history)
gb_unit_test(history gb_history)
gb_unit_test(history_check gb_history)
