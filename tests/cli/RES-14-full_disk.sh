#!/bin/sh
# A disk that fills up during the run: exit 6, one message with the file's name, what was finished
# before is whole, no temporary file stays.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
N=200 suite s.yaml '[good]'
limited() { # under a limit of file size, which any user can set
    (ulimit -f "$1" && exec "$GPUBENCH_TEST" run s.yaml --device cpu --out r --progress never)
}
expect 6 limited 64
[ "$(grep -c 'error:' err)" -ge 1 ] || fail "no message"
has err r/cases.jsonl
has err 'File too large'
expect 0 "$GPUBENCH_TEST" report r --no-plots
expect 0 "$GPUBENCH_TEST" run --resume r --progress never
json r/results.json 'd["complete"] and len(d["records"]) == 200 and {r["status"] for r in d["records"]} == {"ok"}'
[ "$(id -u)" -eq 0 ] || exit 0
mkdir disk
mount -t tmpfs -o size=200k none disk 2>/dev/null || exit 0
status=0
"$GPUBENCH_TEST" run s.yaml --device cpu --out disk/r --progress never >out 2>err || status=$?
ls -a disk/r >files
umount disk
[ "$status" -eq 6 ] || fail "exit status $status on a full disk"
has err 'No space left'
hasnt files .tmp
