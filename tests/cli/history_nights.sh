#!/bin/sh
# history from the first night to a regression that is accepted: exit statuses, words, JSON, plot.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
need_python
quick q.yaml 3
expect 0 "$GPUBENCH" run q.yaml --device cpu --out real --no-plots --quiet
# nights DIR FIRST LAST FACTOR DRIVER: run directories made from the real one, rates divided by FACTOR
nights() {
    python3 - "$@" <<'END' || fail "no nights"
import copy, datetime, json, os, random, sys
to, first, last, factor, driver = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
real = json.load(open("real/results.json", encoding="utf-8"))
for night in range(first, last + 1):
    random.seed(f"{to} {night}")
    d = copy.deepcopy(real)
    when = datetime.datetime(2026, 1, 1) + datetime.timedelta(days=night)
    d["run"]["id"] = f"{to}-{night:03d}"
    d["run"]["started"] = when.strftime("%Y-%m-%dT%H:%M:%SZ")
    d["devices"][0]["driver"] = driver
    for r in d["records"]:
        slower = factor * random.gauss(1, 0.005) if r["case"].startswith("copy[bytes=4096,direction=h2d") else 1
        r["flags"] = []
        r["status"] = "ok"
        for m in r["metrics"].values():
            m["value"] = (2e9 + 1e9 * (r["params"]["bytes"] == 65536)) * random.gauss(1, 0.003) / slower
    os.makedirs(f"{to}/{night:03d}")
    json.dump(d, open(f"{to}/{night:03d}/results.json", "w", encoding="utf-8"))
END
}
export GPUBENCH_HISTORY="$work/deep/er/history.sqlite"

# CMP-22: nothing there yet is an error that says how to begin; the first night has no verdict.
expect 6 "$GPUBENCH" history check
has err 'history add DIR'
nights good 1 40 1 550.54
expect 0 "$GPUBENCH" history add good/001
has out 'run good-001: 4 cases, 4 of them new'
expect 0 "$GPUBENCH" history check
has out 'no verdict before 10 nights'
# Two at once, with runs in common: none is lost, none is there twice.
"$GPUBENCH" history add good/0[0-3]* >a.txt 2>&1 &
first=$!
"$GPUBENCH" history add good/0[1-4]* >b.txt 2>&1 || fail "the second writer: $(cat b.txt)"
wait "$first" || fail "the first writer: $(cat a.txt)"
expect 0 "$GPUBENCH" history list --json
json out 'len(d) == 4 and all(s["nights"] == 40 for s in d)'
expect 0 "$GPUBENCH" history add good/040
has out 'nothing changed'
expect 0 "$GPUBENCH" history check
has out '4 ok'

# A pattern also names the history, folders and notes: they are left out, and the rest is added. A
# run that cannot be taken does not keep those behind it out.
mkdir mixed mixed/empty
cp -r good/001 mixed/a
cp -r good/002 mixed/z
echo note >mixed/note.txt
expect 0 "$GPUBENCH" history add mixed/a --history mixed/history.sqlite
expect 0 "$GPUBENCH" history add mixed/* --history mixed/history.sqlite
has err 'mixed/history.sqlite is no run, and left out'
has err 'mixed/empty is no run'
has out 'run good-001 was there already'
has out 'run good-002: 4 cases'
mkdir mixed/bad
echo '{' >mixed/bad/results.json
cp -r good/003 mixed/zz
expect 2 "$GPUBENCH" history add mixed/* --history mixed/history.sqlite
has err '1 of 4 runs were not added'
has out 'run good-003: 4 cases'
expect 2 "$GPUBENCH" history add mixed/note.txt mixed/empty
has err 'no run among the 2 words'

# One night stands out: suspect, which is no regression; two fresh runs decide.
nights bad 41 41 1.3 550.54
nights again 42 43 1.3 550.54
nights clean 42 43 1 550.54
expect 0 "$GPUBENCH" history add bad/041
expect 0 "$GPUBENCH" history check --json
json out 'not d["regressed"] and d["counts"]["suspect"] == 1 and d["run"] == "bad-041"'
expect 1 "$GPUBENCH" history check --confirmed again/042 --confirmed again/043
has out '2 of 2 repeats agree'
# The change is that of the repeats, not that of the night, which was picked for standing out.
nights milder 42 43 1.1 550.54
expect 1 "$GPUBENCH" history check --confirmed milder/042 --confirmed milder/043 --json
json out 'all(0.05 < abs(s["repeated_change"]) < 0.14 < abs(s["change"]) for s in d["series"] if s["verdict"] == "slower")'
expect 1 "$GPUBENCH" history check --confirmed milder/042 --confirmed milder/043
has out 'in 2 repeats, '
expect 2 "$GPUBENCH" history check --confirmed bad/041 --confirmed bad/041
has err 'cannot confirm itself'
expect 2 "$GPUBENCH" history check --confirmed again/042 --confirmed again/042
has err 'given twice'
expect 2 "$GPUBENCH" history check --confirmed good/040
has err 'began before run bad-041'
expect 0 "$GPUBENCH" history check --confirmed clean/042
has out 'cleared'
expect 2 "$GPUBENCH" history add --repeat-of bad/041 good/039
has err 'a night of its own'
expect 0 "$GPUBENCH" history add --repeat-of bad/041 clean/042 clean/043
expect 0 "$GPUBENCH" history check
has out '1 cleared'

# A level that changed with the driver: named with both, until it is accepted.
nights slow 44 53 1.06 560.28
expect 0 "$GPUBENCH" history add slow/*
expect 1 "$GPUBENCH" history check
has out 'slower since  copy[bytes=4096,direction=h2d'
has out 'since run slow-044'
has out 'driver 550.54 -> 560.28'
has out 'next: find what changed there, or accept it'
expect 0 "$GPUBENCH" history check --run good/040
expect 1 "$GPUBENCH" history check --run slow-053
expect 0 "$GPUBENCH" history show 'bytes=4096,direction=h2d' --out plot
has out 'since run slow-044'
has out '|'
if command -v gnuplot >/dev/null; then
    grep -q '</svg>' plot/plots/*.svg || fail 'no plot'
    grep -q "set ylabel '.* is better'" plot/plots/*.gp || fail 'the plot does not say which way is better'
    grep -q 'set yrange' plot/plots/*.gp || fail 'nights may lie on the frame of the plot'
fi
expect 0 "$GPUBENCH" history accept 'bytes=4096,direction=h2d' --note 'driver 560'
has out 'a new segment from run slow-044 on'
expect 0 "$GPUBENCH" history show 'bytes=4096,direction=h2d'
has out 'Z on: driver 560'
expect 0 "$GPUBENCH" history show 'bytes=4096,direction=h2d' --json
json out '[a["note"] for a in d["accepted"]] == ["driver 560"] and d["accepted"][0]["run"]'
expect 0 "$GPUBENCH" history check
has out '1 too few nights'
expect 0 "$GPUBENCH" history show 'bytes=4096,direction=h2d' --json
json out 'len(d["nights"]) == 51 and d["nights"][40]["repeats"] == 2'

# What goes out can be read by others.
expect 0 "$GPUBENCH" history export
python3 -c '
import csv
rows = list(csv.DictReader(open("out", newline="", encoding="utf-8")))
assert len(rows) == 4 * 53 and rows[0]["driver"] == "550.54" and float(rows[0]["value"]) > 1e9
assert sum(r["repeat_of"] == "bad-041" for r in rows) == 8' || fail 'the CSV is not right'
expect 0 "$GPUBENCH" history export --json --filter direction=d2h
json out 'len(d) == 2 * 53 and d[0]["better"] == "higher"'
expect 0 "$GPUBENCH" history prune --keep 60
has out '0 results removed'

# Mistakes.
expect 2 "$GPUBENCH" history chek
has err "did you mean 'check'?"
expect 2 "$GPUBENCH" history
expect 2 "$GPUBENCH" history add
has err 'history add: DIR... is missing'
expect 2 "$GPUBENCH" history show copy
has err 'means 4 series'
expect 2 "$GPUBENCH" history show cpoy
expect 2 "$GPUBENCH" history list --filter nothing-like-it
expect 2 "$GPUBENCH" history list --filter copy --filter other
expect 2 "$GPUBENCH" history check --run nowhere-1
has err 'is not in the history'
expect 2 "$GPUBENCH" history accept
expect 2 "$GPUBENCH" history prune
expect 2 "$GPUBENCH" history prune --keep 5
expect 6 "$GPUBENCH" history add missing/dir
expect 0 "$GPUBENCH" history check --help
has out 'usage: gpubench history check'
expect 0 "$GPUBENCH" help history accept
has out '--note TEXT'
echo 'dear diary' >diary
cp diary before
expect 2 "$GPUBENCH" history add good/001 --history diary
has err 'left as it is'
cmp -s diary before || fail 'a file that is no history was changed'

# Whoever may read and not write leaves nothing behind that would keep the owner out.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    cp "$GPUBENCH_HISTORY" shared.sqlite
    chmod 644 shared.sqlite
    cp "$GPUBENCH" gpubench # where the build lies may be closed to others
    for mode in 777 755; do
        chmod $mode .
        expect 0 setpriv --reuid 65534 --regid 65534 --clear-groups \
            ./gpubench history list --history shared.sqlite
        has out copy
        [ -z "$(find . -name 'shared.sqlite-*')" ] || fail "left something behind"
    done
    expect 0 "$GPUBENCH" history add good/001 --history shared.sqlite
fi
