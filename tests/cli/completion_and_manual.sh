#!/bin/sh
# Completion and the manual page come from the table of verbs; both are well formed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

expect 0 "$GPUBENCH" completion bash
has out run
bash -n out 2>err || fail "the completion is no bash"
expect 2 "$GPUBENCH" completion csh
expect 0 "$GPUBENCH" help --man
has out '.TH GPUBENCH 1'
if command -v groff >/dev/null; then
    cp out man
    expect 0 groff -man -Tascii -ww man
    [ ! -s err ] || fail "groff complains"
fi
