# The kernel pipeline on the cpu device with the files it reads, and the findings on its figures.
gb_unit_test(pipeline gb_kernels gb_device)
gb_unit_test(pipeline_files gb_kernels gb_device)
gb_unit_test(findings_pipeline gb_reports)
