#!/bin/sh
# The time-out holds in every phase, a slow preparation too; the reason is in the record.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
TIMEOUT=300ms suite s.yaml '[slow, hang, good]'
expect 3 "$GPUBENCH_TEST" run s.yaml --device cpu --out r
json r/results.json '{r["params"]["how"]: r["status"] for r in d["records"]} == dict(slow="timeout", hang="timeout", good="ok")'
json r/results.json 'all("still running after 0.3 s" in r["reason"] for r in d["records"] if r["status"] == "timeout")'
json r/results.json 'all("prepare" in r["reason"] for r in d["records"] if r["params"]["how"] == "slow")'
