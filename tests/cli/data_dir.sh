#!/bin/sh
# --data-dir: the user's files are measured and recorded; other files are other cases, and bad ones are errors.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
need_python

cat >s.yaml <<'END'
gpubench: 1
name: files
benchmarks:
  - name: job
    kernel: pipeline
    axes: {batch: 2}
    measure: {replicates: 1, samples: {min: 3, max: 3}, warmup: 1ms}
END
run="run s.yaml --device cpu --no-plots"
mkdir "my files" "my files/folder"
printf 'Zm9v\nYmFy\n' >"my files/a b"
printf 'Zm9vYg==' >"my files/c"
: >"my files/nothing"

# shellcheck disable=SC2086 # words
expect 0 "$GPUBENCH" $run --out r --data-dir "my files"
has err "my files: 3 files, 18 B (left out: 1 that is hidden or no regular file)"
json r/results.json 'all(x["status"] in ("ok", "skipped") for x in d["records"])'
json r/results.json 'd["records"][0]["params"]["files"] == 3 and d["records"][0]["params"]["bytes"] == 18'
json r/results.json 'd["records"][0]["params"]["data"] == d["run"]["settings"]["data"]["data"] > 0'
json r/results.json 'len(d["run"]["settings"]["data"]["sha256"]) == 64'
expect 0 "$GPUBENCH" verify r
expect 0 "$GPUBENCH" run --resume r

# Other contents of the same length are other cases, and not what a run goes on with.
printf 'Zm9vYmE=' >"my files/c"
# shellcheck disable=SC2086
expect 0 "$GPUBENCH" $run --out other --data-dir "my files"
expect 2 "$GPUBENCH" compare r other
has err "no case in common"
expect 2 "$GPUBENCH" run --resume r
has err "does not hold the files that it began with"

# Files that are no base64 are taken as they are; asked for, that is an error that names the place.
printf 'Zm9v*mFy' >"my files/c"
# shellcheck disable=SC2086
expect 0 "$GPUBENCH" $run --out plain --data-dir "my files"
has err "taken as they are (decode none)"
json plain/results.json 'd["records"][0]["params"]["decode"] == "none"'
# shellcheck disable=SC2086
expect 3 "$GPUBENCH" $run --out asked --data-dir "my files" --set job.decode=base64
json asked/results.json '"my files/c: byte 4 (0x2a) does not belong into base64" in d["records"][0]["reason"]'

mkdir empty
# shellcheck disable=SC2086
expect 2 "$GPUBENCH" $run --out n --data-dir empty
has err "empty: no files in it"
# shellcheck disable=SC2086
expect 6 "$GPUBENCH" $run --out n --data-dir missing
has err "missing: No such file or directory"
# The folder decides what files there are: another number of them is refused before anything is planned.
for name in data=1 files=3 bytes=1MiB largest_file=1KiB; do
    # shellcheck disable=SC2086
    expect 2 "$GPUBENCH" $run --dry-run --data-dir "my files" --set "job.$name"
    has err "--set job.${name%%=*}: with --data-dir the files in the folder decide that"
done
# shellcheck disable=SC2086
expect 0 "$GPUBENCH" $run --dry-run --data-dir "my files" --set job.batch=1,2
mkdir one
printf 'Zm9v' >one/a
ln -s a one/b
mkfifo one/c
# shellcheck disable=SC2086
expect 0 "$GPUBENCH" $run --out one-file --data-dir one --set job.batch=1
has err "one: 1 file, 4 B (left out: 2 that are hidden or no regular files)"
expect 2 "$GPUBENCH" run "$GB_SOURCE/suites/quick.yaml" --device cpu --out n --data-dir "my files"
has err "no benchmark of this suite reads files"
[ ! -e n ] || fail "a run that did not begin left a directory"

# Files that a case makes go away with it.
mkdir here
# shellcheck disable=SC2086
TMPDIR=$PWD/here expect 0 "$GPUBENCH" $run --out made
[ -z "$(ls here)" ] || fail "made files stay: $(ls here)"
