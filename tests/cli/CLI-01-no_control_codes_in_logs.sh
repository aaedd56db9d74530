#!/bin/sh
# Not a terminal, TERM=dumb, CI or NO_COLOR: no carriage return, no escape, a line for each case and replicate.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml 3
run() {
    expect 0 "$@" run s.yaml --device cpu --out "r$n"
    n=$((n + 1))
    if tr -d '\000-\010\013\014\016-\032\034-\176\200-\377\011\012' <err | grep -q .; then fail "control codes in err"; fi
    if tr -d '\000-\032\034-\377' <out | grep -q .; then fail "escapes in out"; fi
    [ "$(grep -c '^\[' err)" -eq 12 ] || fail "not one line a case and replicate"
}
n=0
run "$GPUBENCH"
run env TERM=dumb "$GPUBENCH"
run env CI=true "$GPUBENCH"
run env NO_COLOR=1 "$GPUBENCH"
expect 0 "$GPUBENCH" run s.yaml --device cpu --out never --progress=never
hasnt err '['
expect 0 "$GPUBENCH" run s.yaml --device cpu --out always --progress always
tr -d '\000-\014\016-\377' <err | grep -q . || fail "--progress always does not redraw"
expect 0 "$GPUBENCH" run s.yaml --device cpu --out quiet --quiet
[ ! -s err ] || fail "--quiet is not quiet"
