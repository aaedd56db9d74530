#!/bin/sh
# A wrong path, a filter or a tag that matches nothing: never exit 0. All done already is success.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
expect 2 "$GPUBENCH" run missing.yaml --out r
has err missing.yaml
expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --filter coppy
expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --tag nosuch
expect 2 "$GPUBENCH" run --out r
expect 2 "$GPUBENCH" run . --out r
expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --set copy.size=1KiB
has err copy.size
expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --filter ''
has err 'an empty filter selects nothing'
[ ! -e r ] || fail "a directory was made for nothing"
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r --quiet
lines r/cases.jsonl 4
expect 0 "$GPUBENCH" run --resume r
has err 'nothing to do'
expect 0 "$GPUBENCH" run s.yaml --resume r --device cpu
lines r/cases.jsonl 4
sed 's/small/other/' s.yaml >t.yaml
expect 2 "$GPUBENCH" run t.yaml --resume r
expect 2 "$GPUBENCH" run s.yaml --resume r --out q
expect 6 "$GPUBENCH" run s.yaml --resume nowhere
