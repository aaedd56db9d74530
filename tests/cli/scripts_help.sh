#!/bin/sh
# Every script says how it is used, from its own header, and does nothing else then; a wrong option is
# exit status 2, before anything is installed, built or measured.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

command -v bash >/dev/null || skip "bash is not there"
for script in "$GB_SOURCE"/scripts/*; do
    name=${script##*/}
    for option in --help -h; do
        expect 0 bash "$script" "$option"
        has out "scripts/$name"
        hasnt out '#!'
        hasnt out 'set -'
        [ ! -s err ] || fail "words beside the usage of $name"
    done
    # What quickstart is given is for `gpubench run`, which says so once it is built.
    [ "$name" != quickstart ] || continue
    expect 2 bash "$script" --nonsense
    [ ! -s out ] || fail "$name --nonsense says something on standard output"
    [ "$(wc -l <err)" -eq 1 ] || fail "not one line about a wrong option of $name"
done
expect 2 bash "$GB_SOURCE/scripts/install-deps" --test --nonsense
expect 0 bash "$GB_SOURCE/scripts/quickstart" --device cpu --help
expect 2 bash "$GB_SOURCE/scripts/test" lint nonsense
[ "$(find . -type f | wc -l)" -eq 2 ] || fail "files were left: $(find . -type f)"
