#!/bin/sh
# Every verb works on a machine without a driver; describe and list never look for one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
expect 0 "$GPUBENCH" list
has out copy
expect 0 "$GPUBENCH" list --json
expect 0 "$GPUBENCH" list --kernels
cp out kernels
while read -r kernel; do
    expect 0 "$GPUBENCH" describe "$kernel"
    has out "kernels/"
done <kernels
expect 0 "$GPUBENCH" check s.yaml
expect 0 "$GPUBENCH" run s.yaml --dry-run
has out 'cpu: 4 cases'
hasnt out 'cuda'
has err 'measuring on the cpu'
expect 0 "$GPUBENCH" run s.yaml --dry-run --device cuda
has out 'cuda: 4 cases'
has err 'planned all the same'
expect 4 "$GPUBENCH" run s.yaml --dry-run --device cuda:99
expect 4 "$GPUBENCH" run s.yaml --dry-run --device all
sed 's/4KiB, 64KiB/4KiB, 64GiB/' s.yaml >large.yaml
expect 0 "$GPUBENCH" run large.yaml --dry-run --device cpu
if [ "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" -lt 134217728 ]; then
    has out 'cpu: 4 cases, 2 of them skipped'
    has out 'copy[bytes=68719476736,direction=d2h,memory=pageable]: skipped: needs 128 GiB, the machine has'
fi
[ ! -e results ] || fail "a dry run made a directory"
expect 0 "$GPUBENCH" run s.yaml --device cpu
dir=$(echo results/small-*)
expect 0 "$GPUBENCH" report "$dir" --no-plots
expect 0 "$GPUBENCH" verify "$dir"
expect 0 "$GPUBENCH" devices
expect 0 "$GPUBENCH" doctor --json
expect 0 "$GPUBENCH" --version
