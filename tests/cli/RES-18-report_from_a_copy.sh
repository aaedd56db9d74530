#!/bin/sh
# A run directory copied from elsewhere is enough for a report; a run that was killed gets its CSV.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r
cp out first
cp r/report.html first.html
cp r/report.md first.md
mkdir elsewhere
cp -r r 'elsewhere/a copy'
rm -r r 'elsewhere/a copy/results.csv' 'elsewhere/a copy/'report.*
cd elsewhere || exit 1
status=0
"$GPUBENCH" report 'a copy' >../out 2>../err || status=$?
[ "$status" -eq 0 ] || fail "exit status $status"
cmp ../first ../out || fail "another table"
for kind in html md; do
    cmp "../first.$kind" "a copy/report.$kind" || fail "another report.$kind"
done
[ "$(wc -l <'a copy/results.csv')" -eq 5 ] || fail "the CSV has not four rows"
rm 'a copy/results.json' # killed before its head was written
"$GPUBENCH" report 'a copy' --no-plots >../out 2>../err || fail "no report from cases.jsonl"
has ../out copy
cd "$work" || exit 1
expect 6 "$GPUBENCH" report nowhere
: >empty
expect 2 "$GPUBENCH" report empty
expect 2 "$GPUBENCH" verify empty
