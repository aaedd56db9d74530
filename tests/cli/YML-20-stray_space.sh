#!/bin/sh
# A blank in a value shows in the message, quoted.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

quick s.yaml
expect 2 "$GPUBENCH" run s.yaml --device ' cuda:0'
has err "' cuda:0'"
expect 2 "$GPUBENCH" run s.yaml --device 'cpu '
has err "'cpu '"
expect 2 "$GPUBENCH" run s.yaml --device cpu --progress ' never'
has err "' never'"
