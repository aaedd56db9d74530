#!/bin/sh
# A reader that goes away is no error; a run goes on to its end; a full output is one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
pipe() { # the status of the first command of a pipe into a reader that reads one line
    { "$@" 2>err; echo "$?" >status; } | head -n 1 >out
    [ "$(cat status)" -eq 0 ] || fail "exit status $(cat status): $*"
}
closed() { # ... into one that reads nothing
    { sleep 0.2; "$@" 2>err; echo "$?" >status; } | :
    [ "$(cat status)" -eq 0 ] || fail "exit status $(cat status) into a closed pipe: $*"
}
pipe "$GPUBENCH" list
[ ! -s err ] || fail "words about a closed pipe"
closed "$GPUBENCH" list
closed "$GPUBENCH" describe copy
[ ! -s err ] || fail "words about a closed pipe"
closed "$GPUBENCH" run s.yaml --device cpu --out r --quiet
[ -s r/results.json ] || fail "the run did not finish"
hasnt r/results.json '"complete":false'
pipe "$GPUBENCH" report r --no-plots
expect 0 "$GPUBENCH" verify r
if [ -w /dev/full ]; then
    status=0
    "$GPUBENCH" list >/dev/full 2>err || status=$?
    [ "$status" -eq 6 ] || fail "exit status $status on a full device"
    [ "$(wc -l <err)" -eq 1 ] || fail "not one message about a full device"
fi
