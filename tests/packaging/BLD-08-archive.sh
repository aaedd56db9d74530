#!/bin/sh
# What git would hand out is complete: unpacked elsewhere, without git and network, it builds, lists
# its kernels and accepts its suites.
#   BLD-08-archive.sh SOURCE CMAKE
set -eu
source=$1 cmake=$2
if ! git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
    echo "skipped: not a git checkout"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/un packed"
git -C "$source" archive HEAD | tar -x -C "$tmp/un packed"
cd "$tmp/un packed"
{
    "$cmake" -G Ninja -S . -B build -DGPUBENCH_CUDA=OFF -DGPUBENCH_TESTS=OFF
    "$cmake" --build build
} >"$tmp/log" 2>&1 || {
    tail -n 40 "$tmp/log"
    exit 1
}
./build/gpubench list | grep -q stream
./build/gpubench check suites/*.yaml
