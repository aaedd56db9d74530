#!/bin/sh
# Two runs released at the same instant into one directory: one is whole, the other is refused at
# once; without --out each gets a directory of its own.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
round=0
while [ "$round" -lt 10 ]; do
    round=$((round + 1))
    for i in 1 2; do
        {
            until [ -e go ]; do :; done
            status=0
            "$GPUBENCH" run s.yaml --device cpu --out "r$round" >"out$i" 2>"err$i" || status=$?
            echo "$status" >"status$i"
        } &
    done
    : >go
    wait
    rm go
    case "$(cat status1) $(cat status2)" in
    '0 6' | '6 0') ;;
    *) fail "exit statuses $(cat status1 status2)" ;;
    esac
    grep -q 'in use by pid\|holds a run already' err1 err2 || fail "no reason"
    expect 0 "$GPUBENCH" verify "r$round"
    lines "r$round/cases.jsonl" 4
done
for i in 1 2 3 4; do
    "$GPUBENCH" run s.yaml --device cpu >"out$i" 2>"err$i" &
done
wait
set -- results/*
[ "$#" -eq 4 ] || fail "$# directories for four runs"
for dir; do
    expect 0 "$GPUBENCH" verify "$dir"
done
