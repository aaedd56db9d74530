#!/bin/sh
# Whatever lies under the name of a device's lock: a warning, no hang; one that is held is named.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
expect 0 "$GPUBENCH" run s.yaml --device cpu --out first --no-plots
lock=$(echo locks/gpubench.lock-*)
[ -f "$lock" ] || fail "no lock file"
rm "$lock"
for plant in 'mkfifo' 'mkdir' 'ln -s nowhere'; do
    $plant "$lock" || fail "$plant"
    expect 0 timeout 60 "$GPUBENCH" run s.yaml --device cpu --out "r-${plant%% *}" --no-plots
    has err 'warning[no-lock]: '
    has err "$lock"
    rm -r "$lock"
done
command -v flock >/dev/null || skip "no flock to hold the file with"
: >"$lock"
(exec 9>"$lock" && flock 9 && exec sleep 20) &
sleep 0.3
expect 6 "$GPUBENCH" run s.yaml --device cpu --out held --no-wait
has err "by its lock in $work/locks"
kill $!
wait
