#!/bin/sh
# The page of machines side by side, in a browser: procurement.sh GPUBENCH SOURCE
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
python3 "$2/tests/cli/procurement_runs.py" "$2" "$dir" || exit 1
printf 'transfer-bound: 3\nsmall-batch-latency: 1\n' >"$dir/weights.yaml"
(cd "$dir" && "$1" compare a b c d --price a=2.10/h --price b=1/h --price c=24/h:8 --currency EUR \
    --weights weights.yaml --out page --quiet >/dev/null) || exit 1
python3 "$2/tests/browser/pages.py" "$dir/page"
