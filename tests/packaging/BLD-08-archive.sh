#!/bin/sh
# What git would hand out is complete: unpacked elsewhere, without git and network, scripts/quickstart
# builds it (without CUDA, which would take minutes), and it lists its kernels and accepts its suites.
#   BLD-08-archive.sh SOURCE CMAKE
set -eu
source=$1 cmake=$2
if ! git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
    echo "skipped: not a git checkout"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/un packed"
git -C "$source" archive HEAD | tar -x -C "$tmp/un packed"
cd "$tmp/un packed"
mkdir "$tmp/bin"
cat >"$tmp/bin/cmake" <<EOF
#!/bin/sh
case \$1 in --build) ;; *) set -- "\$@" -DGPUBENCH_CUDA=OFF ;; esac
exec "$cmake" "\$@"
EOF
chmod +x "$tmp/bin/cmake"
PATH=$tmp/bin:$PATH scripts/quickstart --device cpu --dry-run >"$tmp/out" 2>"$tmp/err" || {
    cat "$tmp/out" "$tmp/err"
    exit 1
}
grep -q 'cuda device *out (GPUBENCH_CUDA=OFF)' "$tmp/err"
grep -q 'cached-read' "$tmp/out"
./build/gpubench list | grep -q stream
./build/gpubench check suites/*.yaml
