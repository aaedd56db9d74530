#!/bin/sh
# A portable build needs nothing on the target but libc, none of it newer than glibc 2.34.
#   portable.sh BINARY...
set -eu
for binary in "$@"; do
    echo "$binary"
    needed=$(readelf -d "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    bad=$(echo "$needed" | grep -vE '^(libc|libm|libpthread|libdl|librt)\.so\.[0-9]+$|^ld-linux[-a-z0-9_]*\.so\.[0-9]+$' || true)
    if [ -n "$bad" ]; then
        echo "needs on the target: $bad"
        exit 1
    fi
    newest=$(readelf -V "$binary" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n -u | tail -n 1)
    echo "newest symbol version: $newest"
    minor=${newest#GLIBC_2.}
    if [ -z "$minor" ] || [ "$minor" -gt 34 ]; then
        readelf -W --dyn-syms "$binary" | grep "$newest"
        exit 1
    fi
    if readelf -d "$binary" | grep -E 'RPATH|RUNPATH'; then
        echo "has a run path"
        exit 1
    fi
done
