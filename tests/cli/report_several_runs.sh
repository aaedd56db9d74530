#!/bin/sh
# Several runs in one report: a place of its own, both devices in table, page, CSV and JSON; what
# cannot go together or is not there is a clear error.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --out one --quiet
expect 0 "$GPUBENCH" run s.yaml --device cpu --out other/two --filter h2d --quiet
for file in report.html report.md; do
    [ -s "one/$file" ] || fail "run wrote no $file"
done
cp one/report.html page-of-one

expect 0 "$GPUBENCH" report one other/two/ --out both/of/them
[ "$(grep -c '^device: cpu' out)" -eq 2 ] || fail "not two devices in the table"
has out ', one'
has out ', two'
has err 'report: both/of/them/report.html'
for file in report.html report.md results.csv; do
    [ -s "both/of/them/$file" ] || fail "no $file"
done
has both/of/them/report.html '<h2>The runs</h2>'
has both/of/them/report.html 'bandwidth B'
[ "$(wc -l <both/of/them/results.csv)" -eq 7 ] || fail "not six rows in the CSV"
cmp one/report.html page-of-one || fail "the page of one of the runs was changed"

expect 0 "$GPUBENCH" report one/results.json other/two
place=$(echo results/report-*)
[ -s "$place/report.html" ] || fail "no default place"
expect 0 "$GPUBENCH" report one other/two --json --out j
json out 'len(d["records"]) == 6 and [x["run"] for x in d["devices"]] == [0, 1] and [r["name"] for r in d["runs"]] == ["one", "two"]'

expect 2 "$GPUBENCH" report one ./one/
has err 'given twice'
expect 2 "$GPUBENCH" report one other/two --out one
has err 'would replace its own'
# Another run's directory keeps its own report, CSV and plots; a copy of the same run may be one.
find other -type f -exec cksum {} + | sort >before
expect 2 "$GPUBENCH" report one --out other/two
has err 'other/two is another run'
has err 'would replace its own'
find other -type f -exec cksum {} + | sort >after
cmp before after || fail "another run's files were changed"
mkdir lines && cp other/two/cases.jsonl lines
expect 2 "$GPUBENCH" report one --out lines
cp -r one copied
expect 0 "$GPUBENCH" report one --out copied
expect 0 "$GPUBENCH" verify other/two
# The same run under two names is no second run.
expect 2 "$GPUBENCH" report one copied --out twice
has err 'one and copied are the same run (run.id'
[ ! -e twice ] || fail "a report of one run twice"
expect 6 "$GPUBENCH" report one nowhere --out x
has err nowhere
mkdir damaged
echo '{"schema": "gpubench-results/1", "records": [{]}' >damaged/results.json
expect 2 "$GPUBENCH" report one damaged --out x
has err damaged/results.json
[ ! -e x ] || fail "a report of what cannot be read"
expect 2 "$GPUBENCH" report
has err 'DIR'

# A results.json that was cut off: what cases.jsonl has is shown, with a warning; nothing else is.
cp -r one cut
size=$(wc -c <one/results.json)
head -c "$((size / 2))" one/results.json >cut/results.json
expect 0 "$GPUBENCH" report cut --no-plots
has err 'cut: results.json is damaged: the records are those of cases.jsonl'
[ "$(grep -c '^  [hd]2[hd] .*B/s' out)" -eq 4 ] || fail "not the figures of cases.jsonl"
has cut/report.html 'the run did not finish'
cmp one/results.csv cut/results.csv || fail "the CSV lost its devices"
expect 2 "$GPUBENCH" run --resume cut
has err 'gpubench report cut shows them'
"$GPUBENCH" verify cut >out 2>err && fail "verify takes a damaged run"
rm cut/cases.jsonl
expect 2 "$GPUBENCH" report cut --out x
has err cut/results.json
