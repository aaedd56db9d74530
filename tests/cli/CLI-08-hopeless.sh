#!/bin/sh
# Workers that die over and over: the replicate is given up, not repeated for ever.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
N=20 suite s.yaml '[crash]'
expect 3 "$GPUBENCH_TEST" run s.yaml --device cpu --out r
json r/results.json 'len(d["records"]) == 20 and {r["status"] for r in d["records"]} == {"failed", "not_run"}'
json r/results.json 'sum(r["status"] == "failed" for r in d["records"]) == 8'
has err 'given up'
