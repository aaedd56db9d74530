#!/bin/sh
# Closed standard input, output or error: the run is whole, nothing strange lands in its files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
"$GPUBENCH" run s.yaml --device cpu --out a <&- >&- 2>&- || fail "all closed"
"$GPUBENCH" run s.yaml --device cpu --out b >&- 2>err || fail "output closed"
"$GPUBENCH" run s.yaml --device cpu --out c 2>&- >out || fail "error closed"
"$GPUBENCH" run s.yaml --device cpu --out d <&- >out 2>err || fail "input closed"
for dir in a b c d; do
    expect 0 "$GPUBENCH" verify "$dir"
    [ "$(wc -l <"$dir/cases.jsonl")" -eq 4 ] || fail "$dir/cases.jsonl has not four lines"
done
