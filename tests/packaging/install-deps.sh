#!/bin/sh
# scripts/install-deps on bare machines that are made up: a folder of programs for a PATH, and a package
# manager that adds to it.
#   install-deps.sh SOURCE
set -eu
source=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" "$tmp/have"
for tool in bash sh env grep sed touch chmod ln rm printf; do
    ln -s "$(command -v "$tool")" "$tmp/bin/$tool"
done

cat >"$tmp/pkg-config" <<END
#!/bin/sh
test -e "$tmp/have/\$2"
END
chmod +x "$tmp/pkg-config"
# Packages that are programs, and such that pkg-config knows; `nowhere` lists what cannot be had.
cat >"$tmp/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$tmp/calls"
[ "\$1" = install ] || exit 0
for package; do
    grep -qx "\$package" "$tmp/nowhere" && { echo "E: Unable to locate package \$package" >&2; exit 100; }
done
for package; do
    case "\$package" in
    ninja-build) name=ninja ;;
    gnuplot-nox) name=gnuplot ;;
    lib*-dev) name= ;;
    install | -*) continue ;;
    *) name=\$package ;;
    esac
    case "\$package" in
    pkg-config) ln -s "$tmp/pkg-config" "$tmp/bin/pkg-config" ;;
    libyaml-dev) touch "$tmp/have/yaml-0.1" ;;
    libjansson-dev) touch "$tmp/have/jansson" ;;
    libmd-dev) touch "$tmp/have/libmd" ;;
    libsqlite3-dev) touch "$tmp/have/sqlite3" ;;
    *) printf '#!/bin/sh\n' >"$tmp/bin/\$name" ;;
    esac
    [ -z "\$name" ] || chmod +x "$tmp/bin/\$name"
done
END
printf '#!/bin/sh\necho 0\n' >"$tmp/bin/id"
chmod +x "$tmp/bin/apt-get" "$tmp/bin/id"

fail() {
    echo "FAILED: $*"
    cat "$tmp/out" "$tmp/calls"
    exit 1
}
install_deps() { # STATUS
    status=0
    : >"$tmp/calls"
    PATH=$tmp/bin "$tmp/bin/bash" "$source/scripts/install-deps" >"$tmp/out" 2>&1 || status=$?
    [ "$status" -eq "$1" ] || fail "exit status $status, expected $1"
}
has() {
    grep -qF -e "$2" "$tmp/$1" || fail "'$2' is not in $1"
}

# What is needed cannot be had: it is named, with an exit status of 1 and not the manager's.
echo libmd-dev >"$tmp/nowhere"
install_deps 1
has out 'still missing: c compiler c++ compiler cmake ninja pkg-config libyaml jansson libmd sqlite3'
# Without gnuplot it goes on, and says so.
echo gnuplot-nox >"$tmp/nowhere"
install_deps 0
has out 'without gnuplot: what needs it is left out'
test -x "$tmp/bin/ninja" || fail "nothing was installed"
[ "$(grep -c '^update' "$tmp/calls")" -eq 1 ] || fail "the lists were fetched more than once"
# It is tried again, and nothing that is there is.
echo none >"$tmp/nowhere"
install_deps 0
[ "$(grep -c '^install.*gnuplot-nox' "$tmp/calls")" -eq 1 ] || fail "gnuplot was not tried again"
if grep -q '^install.*cmake' "$tmp/calls"; then fail "cmake was installed twice"; fi
# All is there (OpenBLAS, if the machine has it): no word, and nobody is asked.
install_deps 0
if grep -q gnuplot "$tmp/calls"; then fail "gnuplot was installed twice"; fi
# Neither root nor sudo: what is missing and what to install.
rm "$tmp/bin/cmake"
printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id"
install_deps 1
has out 'missing cmake; run as root or with sudo, or install: cmake'
[ ! -s "$tmp/calls" ] || fail "the package manager was called"
