#!/bin/sh
# Verdicts by real runs, ten times each: a program against a copy of itself must never be slower, and
# one whose kernel takes 10 % longer must be found. Minutes long, and of the machine as much as of the
# program, so no part of ctest:
#
#   tests/against/ten_pairs.sh BUILD [TIMES]
#
# BUILD: the folder with gpubench, gpubench-test and gpubench-test-slow. A line a pair, then one of
# what they came to; exit status 1 when anything was not as it must be.
set -eu
build=$(cd "${1:?folder of the build}" && pwd)
times=${2:-10}
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

slower=0 found=0 odd=0 i=0
while [ $i -lt "$times" ]; do
    i=$((i + 1))
    pair "$build/gpubench" "$source/suites/quick.yaml" ./same --budget 10s --thin 2
    case "$status" in 0) ;; 1) slower=$((slower + 1)) ;; *) odd=$((odd + 1)) ;; esac
    [ "$status" -ne 1 ] || grep '(confirmed' out || true
    echo "same program, pair $i: exit status $status, load $(load): $line"
    pair "$build/gpubench-test-slow" paced.yaml "$build/gpubench-test"
    case "$status" in 1) found=$((found + 1)) ;; 0) ;; *) odd=$((odd + 1)) ;; esac
    [ "$status" -ne 0 ] || grep 'm\[how=paced' out || true
    echo "10 % slower, pair $i: exit status $status, load $(load): $line"
done
echo "ten_pairs: the same program: $slower of $times a regression (none may be); 10 % slower: found" \
    "$found of $times (all must be); $odd ended otherwise"
[ $slower -eq 0 ] && [ $found -eq "$times" ] && [ $odd -eq 0 ]
