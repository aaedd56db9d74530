#!/bin/sh
# Whether nvcc makes of the kernels what their sources mean: the rules of rules.txt hold in the PTX,
# and ptxas needs no stack and spills no register. Usage: check_ptx.sh NVCC SOURCE_DIR ARCHITECTURE...
set -eu
nvcc=$1
source=$2
shift 2
here=$(dirname "$0")
ptxas=$(dirname "$nvcc")/ptxas
[ -x "$ptxas" ] || ptxas=ptxas
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# The instructions of one kernel, one a line: NAME (mangled: _Z, its length, itself) from a PTX file.
body() {
    awk -v prefix="_Z${#2}$2" '
        /\.entry/ { inside = index($0, prefix) > 0 }
        inside { sub(/^[ \t]+/, ""); sub(/^@!?%p[0-9]+[ \t]+/, ""); print }
        /^}/ { inside = 0 }' "$1"
}

check_rules() { # FILE.ptx FILE ARCHITECTURE
    while read -r file kernel count pattern; do
        [ "$file" = "$2" ] || continue
        body "$1" "$kernel" >"$tmp/body"
        [ -s "$tmp/body" ] || {
            echo "sm_$3 $file.cu: no kernel $kernel in the PTX"
            failed=1
            continue
        }
        found=$(grep -c -E "$pattern" "$tmp/body" || true)
        checked=$((checked + 1))
        [ "$found" -ge "$count" ] || {
            echo "sm_$3 $kernel: $found instructions match $pattern, at least $count are wanted"
            failed=1
        }
    done <"$here/rules.txt"
}

for arch in "$@"; do
    checked=0
    kernels=0
    for cu in "$source"/kernels/*.cu; do
        name=$(basename "$cu" .cu)
        "$nvcc" -std=c++17 -arch="compute_$arch" -ptx -I"$source" -I"$source/harness" "$cu" \
            -o "$tmp/$name.ptx"
        "$ptxas" -v -arch="sm_$arch" "$tmp/$name.ptx" -o /dev/null 2>"$tmp/$name.log" || {
            cat "$tmp/$name.log"
            exit 1
        }
        kernels=$((kernels + $(grep -c 'bytes stack frame' "$tmp/$name.log")))
        bad=$(grep 'bytes stack frame' "$tmp/$name.log" |
            grep -v ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' || true)
        [ -z "$bad" ] || {
            echo "sm_$arch $name.cu: stack or spills: $bad"
            failed=1
        }
        check_rules "$tmp/$name.ptx" "$name" "$arch"
    done
    echo "sm_$arch: $checked rules, $kernels kernels without stack and spills"
    [ "$kernels" -gt 0 ] && [ "$checked" -eq "$(grep -c '^[a-z]' "$here/rules.txt")" ] || failed=1
done
exit $failed
