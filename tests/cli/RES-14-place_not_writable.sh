#!/bin/sh
# A place that cannot be written is an error before the first case.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

N=50 suite s.yaml '[slow]'
refused() { # DIR
    expect 6 timeout 5 "$GPUBENCH_TEST" run s.yaml --device cpu --out "$1"
    lines err 1
    has err "$1"
}
: >file
refused file
refused file/below
refused file/below/run
mkdir full
: >full/something
refused full
ln -s nowhere link
refused link
mkdir read-only
chmod a-w read-only
if [ "$(id -u)" -ne 0 ]; then
    refused read-only
    refused read-only/below
elif mount -t tmpfs -o ro none read-only 2>/dev/null; then
    refused read-only/below
    umount read-only
fi
refused /proc/gpubench
# Missing folders on the way are made.
quick q.yaml
expect 0 "$GPUBENCH" run q.yaml --device cpu --filter 4096 --quiet --out missing/parent/run
[ -s missing/parent/run/results.json ] || fail "no results"
