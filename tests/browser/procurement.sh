#!/bin/sh
# The page of machines side by side, in a browser: procurement.sh GPUBENCH SOURCE
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
python3 "$2/tests/cli/procurement_runs.py" "$2" "$dir" || exit 1
# Names as people have them: the first table has to fit with these, too.
for name in a b c d; do
    mv "$dir/$name" "$dir/vendor-$name-2026-h200-sxm" || exit 1
done
printf 'transfer-bound: 3\nsmall-batch-latency: 1\n' >"$dir/weights.yaml"
(cd "$dir" && "$1" compare vendor-a-2026-h200-sxm vendor-b-2026-h200-sxm vendor-c-2026-h200-sxm \
    vendor-d-2026-h200-sxm --price vendor-a-2026-h200-sxm=2.10/h --price vendor-b-2026-h200-sxm=1/h \
    --price vendor-c-2026-h200-sxm=24/h:8 --currency EUR --weights weights.yaml --out page \
    --quiet >/dev/null) || exit 1
python3 "$2/tests/browser/pages.py" "$dir/page"
