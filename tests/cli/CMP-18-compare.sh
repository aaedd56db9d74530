#!/bin/sh
# `compare` end to end: table, JSON, Markdown and page say the same; each case says what to do next.
# RES-04, RES-05, RES-06: standard output is one JSON document with unique keys, also of an error.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
base='"x[n=1]": [100, 100.1, 100.2], "y[n=2]": [50, 50.1, 50.2], "gone[n=3]": [7, 7, 7]'
new='"x[n=1]": [100, 100.1, 100.2], "y[n=2]": [80, 80.1, 80.2], "few[n=4]": [9], "fresh[n=5]": [1, 1, 1]'
made a "{\"cases\": {$base, \"few[n=4]\": [9, 9]}}"
made b "{\"cases\": {$new}}"
expect 0 "$GPUBENCH" compare a b --out report --markdown short.md
has out "No verdict: some cases look slower"
has out "suspect slower (1): decide it with run --against"
has out "y[n=2]"
has out "+59.9 %"
has out "only in baseline (1): run it again, or allow it with --allow-missing"
has out "insufficient samples (1): measure at least 3 replicates a side"
has out "same: 1 case"
hasnt out "x[n=1]"
has err "warning[noise-floor]"
# The runs are named as they were given.
cp -r a 'an old one' && cp -r b 'a new one'
expect 0 "$GPUBENCH" compare 'an old one' 'a new one'
grep -qx "baseline  *an old one" out || fail "the baseline is not named"
grep -qx "new  *a new one" out || fail "the new run is not named"
expect 0 "$GPUBENCH" compare a b --all
has out "x[n=1]"
expect 0 "$GPUBENCH" compare a b --json
strict_json out
json out "d['counts']['suspect slower'] == 1 and d['counts']['same'] == 1"
json out "d['cases'][0]['case'] == 'y[n=2]' and d['cases'][0]['next']"
json out "d['cases'][0]['new']['replicates'] == sorted(d['cases'][0]['new']['replicates'])"
strict_json report/compare.json
grep -q "suspect slower" report/compare.md || fail "no Markdown"
grep -q "suspect slower" report/compare.html || fail "no page"
# The picture's data: three judged cases; y's change and interval, in percent, as in the JSON
[ "$(grep -c '^[0-9]' report/plots/compare.dat)" -eq 3 ] || fail "not three cases in the plot"
json report/compare.json "abs(100 * d['cases'][0]['change'] - $(grep -E '^3 ' report/plots/compare.dat | cut -d' ' -f2)) < 1e-9"
json report/compare.json "abs(100 * d['cases'][0]['ci95'][1] - $(grep -E '^3 ' report/plots/compare.dat | cut -d' ' -f4)) < 1e-9"
if command -v gnuplot >/dev/null; then
    grep -q "<svg" report/compare.html || fail "no picture in the page"
fi
cmp -s short.md report/compare.md || fail "two Markdowns"
# The gate: missing and not compared cases fail; other thresholds; only decided cases
expect 3 "$GPUBENCH" compare a b --gate
has out "The gate fails: cases are missing or without a figure in the new run"
has err "warning[gate-without-teeth]"
expect 3 "$GPUBENCH" compare a b --gate --json
json out "d['headline'].startswith('The gate fails') and d['incomplete']"
expect 0 "$GPUBENCH" compare a b --gate --allow-missing
expect 5 "$GPUBENCH" compare a b --require-decision
expect 5 "$GPUBENCH" compare a b --strict
expect 0 "$GPUBENCH" compare a b --threshold 70% --filter y --require-decision
expect 2 "$GPUBENCH" compare a b --threshold 3
has err "--threshold"
expect 2 "$GPUBENCH" compare a b --filter ''
expect 6 "$GPUBENCH" compare a b --markdown no/such/folder.md --json
strict_json out
json out "d['error']['exit_code'] == 6"
expect 0 "$GPUBENCH" compare a b --silence noise-floor
hasnt err "warning"
# A run without values passes no gate; a run is not held against itself by one
rate='"metric": {"name": "m", "unit": "1/s", "better": "higher", "direct": true, "scale"'
made full "{\"cases\": {$base}, $rate: 1}}"
made empty "{\"cases\": {$base}, $rate: 0}}"
expect 3 "$GPUBENCH" compare full empty --gate
has out "not every case is decided"
expect 5 "$GPUBENCH" compare full empty --strict
has out "No regression found, but not every case is decided"
expect 2 "$GPUBENCH" compare a a --gate
has err "run a is given twice"
expect 0 "$GPUBENCH" compare a a
has err "warning[same-run]"
expect 0 "$GPUBENCH" compare a a --silence same-run --silence noise-floor
hasnt err "warning"
expect 3 "$GPUBENCH" compare a b --gate --silence gate-without-teeth --silence noise-floor
hasnt err "warning"
# The halves of a run --against the wrong way round
half="document['run']['pair'] = {'id': 'p', 'role':"
made old "{\"cases\": {$base}, \"edit\": \"$half 'baseline'}\"}"
made young "{\"cases\": {$base}, \"edit\": \"$half 'new'}\"}"
expect 0 "$GPUBENCH" compare old young --gate
hasnt err "wrong way round"
expect 0 "$GPUBENCH" compare young old
has err "warning[reversed]"
expect 0 "$GPUBENCH" compare young old --silence reversed
hasnt err "warning"
expect 2 "$GPUBENCH" compare young old --gate
has err "the wrong way round"
