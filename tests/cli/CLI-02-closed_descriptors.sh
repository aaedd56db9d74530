#!/bin/sh
# Closed standard input, output or error: the run is whole, nothing strange lands in its files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
"$GPUBENCH" run s.yaml --device cpu --out a <&- >&- 2>&- || fail "all closed"
"$GPUBENCH" run s.yaml --device cpu --out b >&- 2>err || fail "output closed"
"$GPUBENCH" run s.yaml --device cpu --out c 2>&- >out || fail "error closed"
"$GPUBENCH" run s.yaml --device cpu --out d <&- >out 2>err || fail "input closed"
# What has no other place than the output is lost with it: an error, and stderr says so.
lost() {
    status=0
    "$@" >&- 2>err || status=$?
    [ "$status" -eq 6 ] || fail "exit status $status with a closed output: $*"
    has err "cannot write to standard output"
}
for verb in "list" "list --json" "describe copy" "check s.yaml" "devices" "--version" "help run" \
    "export b --to csv" "export b --to junit" "report b --table" "verify b --json" \
    "compare b c" "compare b c --json"; do
    # shellcheck disable=SC2086 # words
    lost "$GPUBENCH" $verb
done
lost "$GPUBENCH" run s.yaml --device cpu --out e --json
for dir in a b c d e; do
    expect 0 "$GPUBENCH" verify "$dir"
    [ "$(wc -l <"$dir/cases.jsonl")" -eq 4 ] || fail "$dir/cases.jsonl has not four lines"
done
