#!/bin/sh
# A hang becomes status timeout; CUDA_MODULE_LOADING is left as it is and recorded.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
TIMEOUT=300ms suite s.yaml '[hang, good]'
expect 3 env CUDA_MODULE_LOADING=EAGER "$GPUBENCH_TEST" run s.yaml --device cpu --out r
json r/results.json 'd["run"]["environment"]["CUDA_MODULE_LOADING"] == "EAGER"'
json r/results.json '{r["params"]["how"]: r["status"] for r in d["records"]} == dict(hang="timeout", good="ok")'
expect 3 "$GPUBENCH_TEST" run s.yaml --device cpu --out q
json q/results.json 'd["run"]["environment"]["CUDA_MODULE_LOADING"] is None'
