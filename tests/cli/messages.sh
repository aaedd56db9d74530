#!/bin/sh
# Messages that send nobody the wrong way.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

mkdir suites
cp "${GB_SOURCE:?}/suites/quick.yaml" suites/
expect 2 "$GPUBENCH" run quikc --dry-run
has err "'quikc': no such file, and no suite of that name (did you mean 'quick'?); there are: "
expect 2 "$GPUBENCH" check nope
has err 'looked for in ./suites'
quick s.yaml
# shellcheck disable=SC3045 # dash and bash have it
(ulimit -n 10 && exec "$GPUBENCH" run s.yaml --out r) >out 2>err && fail "it ran with 10 descriptors"
has err 'ulimit -n'
# A filter may say a size as people do; ids have exact numbers.
expect 0 "$GPUBENCH" run s.yaml --dry-run --filter 'bytes=64KiB' --device cpu
has out 'cpu: 2 cases'
has out 'copy[bytes=65536,direction=h2d,memory=pageable]'
