#!/bin/sh
# --version says what is in and what is out; asking for what was left out is a clear error.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
expect 0 "$GPUBENCH" --version
for word in 'cuda device' 'cpu device' NVML gnuplot libyaml; do
    has out "$word"
done
if grep -q 'cuda device   out' out; then
    quick s.yaml
    expect 4 "$GPUBENCH" run s.yaml --device cuda
    has err 'this build has no CUDA'
else
    has out 'minimum driver'
fi
