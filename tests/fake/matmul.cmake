# The matrix product on the fake runtime; fake.cmake has the function.
if(GPUBENCH_HAVE_CUDA)
  gb_fake_test(matmul_cuda gb_kernels)
endif()
