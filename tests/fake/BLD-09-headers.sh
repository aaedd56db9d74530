#!/bin/sh
# The headers that .cu files may include (those with an extern "C" guard, and kernels/) compile as C
# and, after CUDA's, as C++: no macro or name of ours is in the way.
# usage: BLD-09-headers.sh CC CXX SOURCE INCLUDE
set -eu
cc=$1 cxx=$2 source=$3 include=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source"
failed=0 n=0
for header in harness/*/*.h harness/device/simt/*.h kernels/*.h; do
    case $header in
    # C++ alone, nvcc compiles them anyway
    */simt.h | */simt_cpu.h | */cuda_words.h | kernels/*_code.h) continue ;;
    kernels/*) ;;
    *) grep -q __cplusplus "$header" || continue ;;
    esac
    n=$((n + 1))
    printf '#include "%s"\n' "${header#harness/}" >"$work/h.c"
    { echo '#include <cuda_runtime.h>' && cat "$work/h.c"; } >"$work/h.cc"
    flags="-fsyntax-only -D_GNU_SOURCE -DGB_CUDA_CODE=1 -Iharness -I. -isystem $include"
    # shellcheck disable=SC2086 # words on purpose
    "$cc" -std=gnu11 $flags "$work/h.c" || { echo "as C: $header" >&2 && failed=1; }
    # shellcheck disable=SC2086
    "$cxx" -std=c++17 $flags "$work/h.cc" || { echo "as C++: $header" >&2 && failed=1; }
done
[ "$n" -gt 5 ] || failed=1
echo "$n headers"
exit $failed
