#!/bin/sh
# CUDA_LAUNCH_BLOCKING=1 and --profile: the run finishes, and the results say so.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
expect 0 env CUDA_LAUNCH_BLOCKING=1 "$GPUBENCH" run s.yaml --device cpu --out r
json r/results.json 'd["run"]["environment"]["CUDA_LAUNCH_BLOCKING"] == "1"'
expect 0 "$GPUBENCH" run s.yaml --device cpu --out p --profile
json p/results.json 'd["run"]["settings"]["profile"] and not any(r["gated"] for r in d["records"])'
