# Options of the build, warnings and sanitizers. Every own target links gb_flags.
set(GPUBENCH_CUDA AUTO CACHE STRING "the cuda device: AUTO (when nvcc is found), ON or OFF")
set_property(CACHE GPUBENCH_CUDA PROPERTY STRINGS AUTO ON OFF)
option(GPUBENCH_PORTABLE "link everything but libc statically; runs where nothing is installed" OFF)
option(GPUBENCH_CHECKED "cpu kernels as fibers with checks: finds missing barriers" OFF)
option(GPUBENCH_TESTS "build the tests" ON)
set(GPUBENCH_SANITIZE "" CACHE STRING "empty, address (with undefined) or thread")
set_property(CACHE GPUBENCH_SANITIZE PROPERTY STRINGS "" address thread)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # POSIX and GNU interfaces (-std=gnu11)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_SKIP_BUILD_RPATH TRUE) # nothing of the build machine's paths in the binary

add_library(gb_flags INTERFACE)
target_compile_options(gb_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>)
target_compile_definitions(gb_flags INTERFACE _GNU_SOURCE)
target_include_directories(gb_flags INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/harness ${PROJECT_BINARY_DIR}/generated)

if(GPUBENCH_SANITIZE STREQUAL "address")
  set(GB_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(GPUBENCH_SANITIZE STREQUAL "thread")
  set(GB_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(GPUBENCH_SANITIZE)
  message(FATAL_ERROR "GPUBENCH_SANITIZE is '${GPUBENCH_SANITIZE}'; it may be address or thread")
endif()
if(GPUBENCH_SANITIZE)
  target_compile_options(gb_flags INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:${GB_SANITIZE_FLAGS} -g -O1>)
  target_link_options(gb_flags INTERFACE ${GB_SANITIZE_FLAGS})
  if(GPUBENCH_CUDA STREQUAL "AUTO")
    set(GPUBENCH_CUDA OFF) # the sanitizer builds are those of the cpu device
  endif()
endif()
if(GPUBENCH_CHECKED)
  target_compile_definitions(gb_flags INTERFACE GB_CHECKED=1)
endif()
