#!/bin/sh
# What the library writes, and the fixtures, against the JSON Schema.
# Usage: results_schema.sh RECORD_WRITER SOURCE_DIR
set -u
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
"$1" "$dir/run" || exit 1
records=$2/tests/golden/records
python3 "$2/tests/unit/results_schema.py" "$2/configs/schemas/results-1.json" "$dir/run" \
    "$records"/*/ --mutate "$records/mixed"
