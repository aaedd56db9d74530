#!/bin/sh
# 100,000 nested brackets, one byte, nothing, a directory, a device, a pipe: a message, never a crash
# or a wait.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

python=$(command -v python3) || skip "python3 is not there"
"$python" -c 'print("a: " + "[" * 100000)' >nested.yaml
"$python" -c 'print("{" * 100000)' >braces.yaml
printf x >one.yaml
: >empty.yaml
printf '\377\376\000' >bytes.yaml
mkdir folder
for file in nested.yaml braces.yaml one.yaml empty.yaml bytes.yaml folder missing.yaml /dev/null; do
    expect 2 timeout 10 "$GPUBENCH" check "$file"
    [ -s err ] || fail "no message about $file"
    [ "$(wc -c <err)" -lt 20000 ] || fail "a flood of messages about $file"
    expect 2 timeout 10 "$GPUBENCH" run "$file" --device cpu --out r
    [ ! -e r ] || fail "a directory was made for $file"
done
quick s.yaml
sed '' s.yaml | "$GPUBENCH" check /dev/stdin >out 2>err || fail "a suite from a pipe"
mkfifo silent
expect 2 timeout 20 "$GPUBENCH" check silent # nobody writes
expect 2 "$GPUBENCH" check s.yaml one.yaml s.yaml
