#!/bin/sh
# How the binary was built stands in every results file.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r
json r/results.json 'd["tool"]["version"] and d["tool"]["git"] and d["tool"]["build"]["compiler"]'
json r/results.json 'set(d["tool"]["build"]) >= {"flags", "type", "cuda_toolkit", "cuda_architectures", "minimum_driver"}'
json r/results.json 'd["devices"][0]["runtime"]'
