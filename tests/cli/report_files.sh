#!/bin/sh
# Where a report goes: into the run directory, elsewhere with --out, nowhere with --table; a place
# that cannot be written is an error that says what to do, after the table.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick_plot s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --out r
cp out table
for file in report.html report.md results.csv results.json; do
    [ -s "r/$file" ] || fail "no $file"
done
if command -v gnuplot >/dev/null; then
    grep -q '<figure' r/report.html || fail "no plot in the page"
fi
find r -type f -exec cksum {} + | sort >before
expect 0 "$GPUBENCH" report r --table
cmp table out || fail "another table"
lines err 0
expect 0 "$GPUBENCH" report r --out 'else where/report'
find r -type f -exec cksum {} + | sort >after
cmp before after || fail "the run directory was changed"
cmp r/report.html 'else where/report/report.html' || fail "another page"
cmp r/results.csv 'else where/report/results.csv' || fail "another CSV"
# A file of the run, as completion writes it, stands for the run; its plots' folder is none.
for file in report.html results.csv cases.jsonl results.json; do
    expect 0 "$GPUBENCH" report "r/$file" --out named
    cmp r/report.html named/report.html || fail "another page of r/$file"
    hasnt err damaged
done
expect 0 "$GPUBENCH" verify r/report.html
mkdir r/other
expect 6 "$GPUBENCH" report r/other
has err 'neither results.json nor cases.jsonl'
expect 0 "$GPUBENCH" report r --no-plots --out plain
[ ! -e plain/plots ] || fail "plots"
hasnt plain/report.html '<figure'
has plain/report.html 'copy: 4 cases with figures'
# Without gnuplot: one warning, the page all the same.
expect 0 env PATH=/nowhere "$GPUBENCH" report r --out bare
[ "$(grep -c 'plots skipped' err)" -eq 1 ] || fail "not one warning"
[ -s bare/report.html ] || fail "no page without gnuplot"

: >file
expect 6 "$GPUBENCH" report r --out file
has err file
cmp table out || fail "no table where nothing can be written"
[ "$(id -u)" -ne 0 ] || {
    mkdir mnt
    mount -t tmpfs none mnt 2>/dev/null || exit 0
    cp -r r mnt/r
    mount -o remount,ro mnt || exit 0
    status=0
    "$GPUBENCH" report mnt/r >out 2>err || status=$?
    "$GPUBENCH" report mnt/r --out kept >out2 2>err2
    kept=$?
    umount mnt
    [ "$status" -eq 6 ] || fail "exit status $status on a read-only disk"
    has err 'mnt/r: cannot be written'
    has err '--out DIR puts the report elsewhere'
    cmp table out || fail "no table on a read-only disk"
    [ "$kept" -eq 0 ] || fail "--out beside a read-only disk"
    [ -s kept/report.html ] || fail "no page beside a read-only disk"
    exit 0
}
chmod -R a-w r
expect 6 "$GPUBENCH" report r
has err '--out DIR puts the report elsewhere'
chmod -R u+w r
