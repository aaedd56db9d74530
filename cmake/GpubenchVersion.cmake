# generated/build_info.h: what `gpubench --version` and every results file say about the build.
# The git revision is looked up at build time (cmake/BuildInfo.cmake), so that it is never stale.
string(TOUPPER "${CMAKE_BUILD_TYPE}" gb_type)
list(JOIN GPUBENCH_ARCHITECTURES "," gb_architectures) # a ';' would end the argument
set(GB_BUILD_INFO_ARGS
  -DOUT=${PROJECT_BINARY_DIR}/generated/build_info.h -DSOURCE=${PROJECT_SOURCE_DIR}
  "-DVERSION=${PROJECT_VERSION}" "-DTYPE=${CMAKE_BUILD_TYPE}"
  "-DCOMPILER=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}"
  "-DFLAGS=${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${gb_type}}"
  "-DCUDA=${GPUBENCH_HAVE_CUDA}" "-DTOOLKIT=${CMAKE_CUDA_COMPILER_VERSION}"
  "-DARCHITECTURES=${gb_architectures}" "-DPORTABLE=${GPUBENCH_PORTABLE}"
  "-DSANITIZE=${GPUBENCH_SANITIZE}" "-DCHECKED=${GPUBENCH_CHECKED}"
  -P ${PROJECT_SOURCE_DIR}/cmake/BuildInfo.cmake)
add_custom_target(gb_build_info BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/build_info.h
  COMMAND ${CMAKE_COMMAND} ${GB_BUILD_INFO_ARGS} VERBATIM)
execute_process(COMMAND ${CMAKE_COMMAND} ${GB_BUILD_INFO_ARGS})
