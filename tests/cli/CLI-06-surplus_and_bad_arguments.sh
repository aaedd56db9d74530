#!/bin/sh
# Unknown options, surplus words, missing and bad values: exit 2, one line, before any work.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
usage() { # TEXT ARGUMENTS...
    text=$1
    shift
    expect 2 "$GPUBENCH" "$@"
    has err "$text"
    lines err 1
    [ ! -s out ] || fail "output"
}
usage "did you mean 'run'" runn s.yaml
usage "no verb 'nonsense'" nonsense
usage "did you mean '--filter'" run s.yaml --fliter x
usage "unknown option '-z'" run s.yaml -z
usage "surplus argument 'extra'" run s.yaml extra
usage "surplus argument 'extra'" list extra
usage "surplus argument 'extra'" describe copy extra
usage "KERNEL is missing" describe
usage "DIR... is missing" report
usage "did you mean 'copy'" describe cpoy
usage "--out needs a value" run s.yaml --out
usage "--out needs a value" run s.yaml --out --quiet
usage "--quiet takes no value" run s.yaml --quiet=yes
usage "'abc' is not a whole number from 1 to 1000" run s.yaml --replicates abc
usage "'--5'" run s.yaml --replicates=--5
usage "did you mean 'always'" run s.yaml --progress=alway
usage "--budget" run s.yaml --budget 90
usage "did you mean 'plots'" run s.yaml --silence plot
usage "the value is empty" run s.yaml --out=
usage "unknown device 'gpu'" run s.yaml --device gpu
expect 2 "$GPUBENCH"
expect 0 "$GPUBENCH" --help
expect 0 "$GPUBENCH" help run
for verb in run list describe check estimate report verify selftest doctor devices help completion; do
    expect 0 "$GPUBENCH" "$verb" --help
    has out "usage: gpubench $verb"
done
# What was given is recorded.
expect 0 "$GPUBENCH" run s.yaml --device=cpu -o r --seed=9 --filter h2d --replicates 2 --set copy.bytes=8KiB
json r/results.json 'd["run"]["seed"] == 9 and "--filter" in d["run"]["command"]'
json r/results.json 'd["run"]["settings"]["filter"] == ["h2d"] and d["run"]["settings"]["replicates"] == 2'
json r/results.json 'len(d["records"]) == 2 and all(r["params"]["bytes"] == 8192 for r in d["records"])'
