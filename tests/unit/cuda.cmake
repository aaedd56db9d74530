gb_unit_test(cuda_facts gb_device)
