#!/bin/sh
# Verdicts by real runs, ten times each: a program against a copy of itself must never be slower, and
# one whose kernel takes 10 % longer must be found. Minutes long, and of the machine as much as of the
# program, so no part of ctest:
#
#   tests/against/ten_pairs.sh BUILD [TIMES [same|slower]]
#
# BUILD: the folder with gpubench, gpubench-test and gpubench-test-slow. A line a pair, then one of
# what they came to; exit status 1 when anything was not as it must be. same or slower: only those.
set -eu
build=$(cd "${1:?folder of the build}" && pwd)
times=${2:-10} which=${3:-both}
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-pairs.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$work"
cat >paced.yaml <<'END'
gpubench: 1
name: paced
budget: 10s
defaults: {replicates: 8, warmup: 20ms, timeout: 20s, samples: {min: 20, max: 400}}
benchmarks:
  - {name: m, kernel: misbehave, axes: {how: [paced]}}
END
cp "$build/gpubench" same

load() {
    cut -d' ' -f1 /proc/loadavg
}
# pair PROGRAM SUITE OTHER [OPTIONS...]: its exit status into $status, its headline into $line
pair() {
    program=$1 suite=$2 other=$3
    shift 3
    status=0
    "$program" run "$suite" --device cpu --against "$other" --out run --no-plots --quiet "$@" \
        >out 2>err || status=$?
    line=$(head -n 1 out)
    [ "$status" -le 1 ] || line="$line $(tail -n 1 err)"
    rm -rf run
}

regressions=0 found=0 odd=0
count() { # a status that is no verdict
    [ "$status" -le 1 ] || odd=$((odd + 1))
}
for i in $(seq "$times"); do
    [ "$which" != slower ] || break
    pair "$build/gpubench" "$source/suites/quick.yaml" ./same --budget 10s --thin 2
    count
    if [ "$status" -eq 1 ]; then
        regressions=$((regressions + 1))
        grep -F '(confirmed' out || true
    fi
    echo "same program, pair $i: exit status $status, load $(load): $line"
done
for i in $(seq "$times"); do
    [ "$which" != same ] || break
    pair "$build/gpubench-test-slow" paced.yaml "$build/gpubench-test"
    count
    if [ "$status" -eq 1 ]; then
        found=$((found + 1))
    else
        grep -F 'm[how=paced' out || true
    fi
    echo "10 % slower, pair $i: exit status $status, load $(load): $line"
done
echo "ten_pairs: $times times each ($which): the same program: $regressions regressions (none may be);" \
    "10 % slower: $found found (all must be); $odd ended otherwise"
[ "$which" = same ] || [ "$found" -eq "$times" ] || exit 1
[ $regressions -eq 0 ] && [ $odd -eq 0 ]
