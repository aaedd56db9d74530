#!/bin/sh
# The list of GPU architectures follows from what nvcc knows, and a wrong entry gets one clear line.
#   BLD-02-architectures.sh SOURCE CMAKE NVCC
set -eu
source=$1 cmake=$2 nvcc=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# An nvcc that knows two architectures, one of them new to us, and is the real one otherwise.
cat >"$tmp/nvcc" <<EOF
#!/bin/sh
case "\$*" in
--list-gpu-arch) printf 'compute_80\ncompute_90\n' ;;
*) exec "$nvcc" "\$@" ;;
esac
EOF
chmod +x "$tmp/nvcc"
"$cmake" -G Ninja -S "$source" -B "$tmp/a" -DCMAKE_CUDA_COMPILER="$tmp/nvcc" -DGPUBENCH_TESTS=OFF >"$tmp/log" 2>&1 || {
    cat "$tmp/log"
    exit 1
}
grep -q 'sm 80 90 and PTX' "$tmp/log" || {
    echo "expected the two architectures that this nvcc knows:"
    grep 'cuda device' "$tmp/log"
    exit 1
}

if "$cmake" -G Ninja -S "$source" -B "$tmp/b" -DCMAKE_CUDA_COMPILER="$tmp/nvcc" -DGPUBENCH_TESTS=OFF \
    -DGPUBENCH_CUDA_ARCHITECTURES='80;35' >"$tmp/log" 2>&1; then
    echo "an architecture that nvcc does not know was accepted"
    exit 1
fi
tr -s '\n ' ' ' <"$tmp/log" | grep -q "cannot build for '35'; it knows 80 90" || {
    cat "$tmp/log"
    exit 1
}
