#!/bin/sh
# 0, negative, not a number, too large: an error with the allowed range before anything runs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
for value in 0 -5 nonsense 1.5 3000000000 99999999999999999999 ' 3' 0x10; do
    expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --replicates "$value"
    has err "'$value' is not a whole number from 1 to 1000"
    [ ! -e r ] || fail "it ran"
done
for value in 0s -1s nonsense 5 99999999999999999999h; do
    expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --budget "$value"
    has err "$value"
done
for value in 0 -1 1.5 999999999999; do
    expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --set "copy.pieces=$value"
    has err "$value"
done
for value in 999us 721h; do
    expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --budget "$value"
    has err "--budget: $value is out of range; allowed: 1ms to 720h"
    sed "s/^budget: .*/budget: $value/" s.yaml >t.yaml
    expect 2 "$GPUBENCH" check t.yaml
    has err "budget: $value is out of range; allowed: 1ms to 720h"
done
expect 2 "$GPUBENCH" run s.yaml --device cpu --out r --no-wait --wait-device 3
has err '--wait-device and --no-wait exclude each other'
