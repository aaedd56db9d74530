#!/bin/sh
# variant_symbols.sh NM OBJECT...: kernels compiled for newer processors must share no function with
# the others. A weak symbol (an inline function that was not inlined) is merged by the linker, and
# the copy that it keeps might be one that this processor cannot run.
nm=$1
shift
symbols=$("$nm" --defined-only "$@") || exit 1
if ! printf '%s\n' "$symbols" | grep -q ' gb_cpu_code_'; then
    echo "no kernels in $*"
    exit 1
fi
if printf '%s\n' "$symbols" | grep -E ' [WVu] '; then
    echo "weak symbols in variants: mark these functions static or __forceinline__"
    exit 1
fi
