#!/bin/sh
# The cuda device compiles without a warning with the CUDA headers of each folder given: those of
# the toolkit, and those in GPUBENCH_CUDA_HEADERS (folders separated by ':'), for other versions:
#   pip download --no-deps nvidia-cuda-runtime-cu12==12.4.127 nvidia-cuda-runtime-cu11==11.8.89
# usage: BLD-01-cuda_headers.sh COMPILER SOURCE BUILD INCLUDE...
set -eu
compiler=$1 source=$2 build=$3
shift 3
failed=0
for include in "$@" $(echo "${GPUBENCH_CUDA_HEADERS-}" | tr ':' ' '); do
    version=$(sed -n 's/^#define CUDART_VERSION *//p' "$include/cuda_runtime_api.h")
    [ -n "$version" ] || {
        echo "no cuda_runtime_api.h in $include" >&2
        exit 1
    }
    for file in "$source"/harness/device/device_cuda*.c; do
        "$compiler" -std=gnu11 -D_GNU_SOURCE -fsyntax-only -Werror -Wall -Wextra -Wshadow \
            -Wconversion -DGB_CUDA_CODE=1 -I"$source" -I"$source/harness" -I"$build/generated" \
            -isystem "$include" "$file" || failed=1
    done
    echo "headers of CUDA $version: $([ $failed = 0 ] && echo fine || echo failed)"
done
exit $failed
