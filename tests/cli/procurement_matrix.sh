#!/bin/sh
# Four machines side by side: values, ranks, prices, what was left out and what is to be doubted; the
# text and the Markdown to the letter (UPDATE=1 writes them anew).
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
python3 "$GB_SOURCE/tests/cli/procurement_runs.py" "$GB_SOURCE" . || fail "no runs"
printf 'transfer-bound: 3\nsmall-batch-latency: 1\n' >weights.yaml
golden="$GB_SOURCE/tests/golden/procurement"
same() { # FILE GOLDEN
    [ "${UPDATE:-0}" = 1 ] && mkdir -p "$golden" && cp "$1" "$golden/$2"
    cmp "$1" "$golden/$2" || fail "$1 is not $golden/$2"
}
expect 0 "$GPUBENCH" compare a b c d --price a=2.10/h --price b=1/h --price c=24/h:8 --currency EUR \
    --weights weights.yaml --out page
same out text
same page/procurement.md markdown
has err "written: page/procurement.html"
strict_json page/procurement.json
json page/procurement.json 'd["schema"] == "gpubench-matrix/1" and d["prices"] == "hour"'
# Recomputed here: 2 of 3 cases are common, both at 40 B/ns.
json page/procurement.json 'abs(d["classes"][0]["cells"][0]["value"] / 40e9 - 1) < 1e-4'
json page/procurement.json 'abs(d["classes"][0]["cells"][2]["per_price"] / (50e9 * 8 / 24) - 1) < 1e-4'
json page/procurement.json '[m["differences"] for m in d["machines"]] == [0, 0, 1, 0]'
json page/procurement.json '[c["rank"] for c in d["classes"][1]["cells"]] == [2, 1, 2, 1]'
json page/procurement.json '[c["of"] for c in d["classes"][1]["cells"]] == [3, 3, 3, 1]'
has page/procurement.html 'c [1 difference]'
if command -v gnuplot >/dev/null; then
    [ "$(grep -c '<figure' page/procurement.html)" -eq 2 ] || fail "not two pictures"
fi
# One JSON document on stdout; two runs with a price are machines too.
expect 0 "$GPUBENCH" compare a b --price a=30000 --json
strict_json out
json out 'd["prices"] == "purchase" and d["classes"][0]["cells"][1]["per_price"] is None'
# Without weights there is no score.
expect 0 "$GPUBENCH" compare a b c
hasnt out score
hasnt out 'for its price'
# Without gnuplot the page is there all the same.
expect 0 env PATH=/nowhere "$GPUBENCH" compare a b c --out bare
has err "warning[plots]"
hasnt bare/procurement.html '<figure'
