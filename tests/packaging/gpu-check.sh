#!/bin/sh
# scripts/gpu-check from end to end on the cpu device, with the binaries of this build: ends well, in
# time, and leaves at most eight files.
#   gpu-check.sh SOURCE BUILD
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
GPUBENCH_LOCK_DIR=$tmp # not to wait for other runs on this machine's cpu
export GPUBENCH_LOCK_DIR
mkdir 'the results'
echo 'of an earlier check' >'the results/memory.json'
"$1/scripts/gpu-check" --device cpu --build "$2" --out 'the results' || {
    # The self-test speaks of how disturbed this machine is, which is not what this test is about.
    grep -qx 'failed: self-test' 'the results/log.txt' || {
        tail -n 60 'the results/log.txt'
        exit 1
    }
}
count=$(find 'the results' -type f | wc -l)
ls -l 'the results'
test "$count" -le 8
if grep -q 'of an earlier check' 'the results'/*.json; then
    echo "a file of an earlier check is left"
    exit 1
fi
tar -tzf 'the results/runs.tar.gz' | grep -q 'quick/cases.jsonl'
