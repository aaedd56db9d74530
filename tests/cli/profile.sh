#!/bin/sh
# --profile: one checked and one measured iteration a case, nothing held back, nothing else on the
# timeline.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --no-plots --out p --profile
json p/results.json 'd["run"]["settings"]["profile"] is True and len(d["records"]) == 4'
json p/results.json 'all(r["status"] == "ok" and r["verified"] for r in d["records"])'
json p/results.json 'all(r["time_ns"]["n"] == 1 for r in d["records"])'
json p/results.json 'all(r["iterations_per_sample"] == 1 for r in d["records"])'
json p/results.json 'not any(r["gated"] for r in d["records"])'
