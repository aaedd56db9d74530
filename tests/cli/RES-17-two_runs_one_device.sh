#!/bin/sh
# A second run on a device waits with one message, or is refused; the lock goes with its holder,
# however that ends.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

N=100 suite s.yaml '[slow]'
quick q.yaml
"$GPUBENCH_TEST" run s.yaml --device cpu --out long --quiet >/dev/null 2>&1 &
holder=$!
lock() { [ -n "$(cat "$work"/locks/gpubench.lock-* 2>/dev/null)" ]; }
wait_for 10 lock || fail "no lock"
expect 6 "$GPUBENCH" run q.yaml --device cpu --out a --no-wait
has err "in use by another run (pid $holder, "
lines err 1
[ ! -e a ] || fail "a directory was made for nothing"
expect 6 timeout 10 "$GPUBENCH" run q.yaml --device cpu --out b --wait-device 1 --progress never
[ "$(grep -c 'waiting for it' err)" -eq 1 ] || fail "not one message while waiting"
"$GPUBENCH" run q.yaml --device cpu --out c --progress never >/dev/null 2>waiting &
waiter=$!
said() { grep -q 'waiting for it' waiting; }
wait_for 5 said || fail "it does not wait"
kill -9 "$holder"
wait "$waiter" || fail "the waiting run failed"
lines waiting 2 # the message, and where the results are
expect 0 "$GPUBENCH" verify c
wait_for 5 no_strays || fail "a worker outlived its supervisor"
