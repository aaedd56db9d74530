# The kernel crossover on the cpu device, with its own code and the GPU's, and the finding in which a cpu
# and a cuda device meet.
gb_unit_test(crossover gb_kernels gb_device)
gb_unit_test(findings_crossover gb_reports)
