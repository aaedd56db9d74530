#!/bin/sh
# `run launch` means the suite of that name, whatever folders lie about; a file of that name is itself.
# shellcheck source=tests/cli/lib.sh
. "${GB_SOURCE:?}/tests/cli/lib.sh"

mkdir suites small
quick suites/small.yaml
expect 0 "$GPUBENCH" check small
has out 'copy (copy): cpu 4 cases'
# ... also one that is called as a suite elsewhere is
sed 's/4KiB, 64KiB/4KiB/' suites/small.yaml >small.yaml
expect 0 "$GPUBENCH" check small.yaml
has out 'copy (copy): cpu 2 cases'
quick other
expect 0 "$GPUBENCH" check other
has out 'copy (copy): cpu 4 cases'
mkdir nothing
expect 2 "$GPUBENCH" check nothing
has err 'is a directory'
