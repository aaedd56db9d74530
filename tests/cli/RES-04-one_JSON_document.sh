#!/bin/sh
# --json: standard output is exactly one JSON document, also when cases fail, hang and warn.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
document() { python3 -m json.tool <out >/dev/null || fail "stdout is not one JSON document"; }
TIMEOUT=300ms suite s.yaml '[good, fail, crash, hang, garbage, wrong]'
expect 3 "$GPUBENCH_TEST" run s.yaml --device cpu --out r --json
document
json out 'd["schema"] == "gpubench-results/1" and len(d["records"]) == 6'
[ -s err ] || fail "no progress on stderr"
quick q.yaml
expect 0 "$GPUBENCH" run q.yaml --device cpu --out q --json --progress always
document
expect 0 "$GPUBENCH" check q.yaml --json
document
expect 0 "$GPUBENCH" list --json
document
expect 0 "$GPUBENCH" devices --json
document
expect 0 "$GPUBENCH" run q.yaml --dry-run --json
document
expect 0 "$GPUBENCH" report q --json --no-plots
document
json out 'd["complete"] and len(d["records"]) == 4 and d["run"]["id"]'
expect 0 "$GPUBENCH" verify q --json
document
