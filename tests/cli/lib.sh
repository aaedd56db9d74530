# Shared by the scripts of this folder; each is a test of its own:
#   GPUBENCH=build/gpubench GPUBENCH_TEST=build/gpubench-test GB_SOURCE=. sh tests/cli/CLI-05-....sh
# shellcheck shell=sh
set -u
: "${GPUBENCH:?path of gpubench}" "${GPUBENCH_TEST:?path of gpubench-test}" "${GB_SOURCE:?source tree}"
unset CUDA_VISIBLE_DEVICES CI NO_COLOR GPUBENCH_FAILED
export LC_ALL=C TERM=xterm
work=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
cd "$work" || exit 1
# Tests of several processes at once must not wait for the runs of other tests.
mkdir "$work/locks"
export GPUBENCH_LOCK_DIR="$work/locks" XDG_CACHE_HOME="$work/cache"

fail() {
    echo "FAILED: $*" >&2
    for file in out err; do
        [ -s "$work/$file" ] && { echo "--- $file"; head -n 40 "$work/$file"; } >&2
    done
    exit 1
}
skip() {
    echo "skipped: $*"
    exit 77
}
# expect STATUS COMMAND...: stdout and stderr go to the files out and err
expect() {
    expected=$1
    shift
    status=0
    "$@" >out 2>err || status=$?
    [ "$status" -eq "$expected" ] || fail "exit status $status, expected $expected: $*"
}
has() { # FILE TEXT: the file contains it
    grep -qF -e "$2" "$1" || fail "'$2' is not in $1"
}
hasnt() {
    if grep -qF -e "$2" "$1"; then fail "'$2' is in $1"; fi
}
lines() { # FILE N: exactly so many lines
    n=$(wc -l <"$1")
    [ "$n" -eq "$2" ] || fail "$n lines in $1, expected $2"
}
json() { # FILE EXPRESSION: of python, about `d`, must be true
    python3 -c '
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2" || fail "not so in $1: $2"
}
need_python() {
    command -v python3 >/dev/null || skip "python3 is not there"
}
# suite FILE HOW [REPLICATES]: a suite of the misbehaving kernel; HOW is a YAML list
suite() {
    cat >"$1" <<END
gpubench: 1
name: misbehaviour
budget: 2s
defaults: {replicates: ${3:-1}, warmup: 1ms, timeout: ${TIMEOUT:-2s}, samples: {min: 3, max: 20}}
benchmarks:
  - name: m
    kernel: misbehave
    axes:
      how: $2
      n: {from: 1, to: ${N:-1}, step: 1}
END
}
# quick FILE [REPLICATES]: a small suite of the product's own kernels
quick() {
    cat >"$1" <<END
gpubench: 1
name: small
budget: 1s
defaults: {replicates: ${2:-1}, warmup: 1ms, samples: {min: 3, max: 20}}
benchmarks:
  - {name: copy, kernel: copy, axes: {direction: [h2d, d2h], memory: pageable, bytes: [4KiB, 64KiB]}}
END
}
# quick_plot FILE [REPLICATES]: the same with a plot
quick_plot() {
    quick "$@"
    cat >>"$1" <<END
plots:
  - {type: curve, benchmark: copy, x: bytes, y: bandwidth, series: [direction]}
END
}
# Process ids of a process's children.
children() {
    grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null | cut -d/ -f3
}
# Process ids of programs of this test that are alive.
strays() {
    # the list is whole before it is looked through: the grep that makes it is among those it finds
    found=$(grep -lzs "^GPUBENCH_LOCK_DIR=$work/locks" /proc/[0-9]*/environ | cut -d/ -f3)
    for pid in $found; do
        grep -aqs gpubench "/proc/$pid/cmdline" && echo "$pid"
    done
}
no_strays() {
    [ -z "$(strays)" ]
}
wait_for() { # SECONDS COMMAND...: until it succeeds
    tries=$(($1 * 20))
    shift
    while ! "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.05
    done
}
# made DIR SPEC: a run directory for comparisons (compare_runs.py says what SPEC is)
made() {
    python3 "$GB_SOURCE/tests/cli/compare_runs.py" "$1" "$2" || fail "no run $1"
}
# strict_json FILE: one document, no duplicate keys, nothing that is not JSON
strict_json() {
    python3 -c '
import json, sys
def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)
def wrong(word):
    raise ValueError(word)
json.loads(open(sys.argv[1], encoding="utf-8").read(), object_pairs_hook=unique, parse_constant=wrong)' "$1" ||
        fail "$1 is no strict JSON"
}
