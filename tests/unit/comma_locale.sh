#!/bin/sh
# Runs a test under de_DE.UTF-8, built for the occasion: bare machines have C and POSIX only.
# Usage: comma_locale.sh PROGRAM. Exit status 77 when the locale cannot be built.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if ! command -v localedef >/dev/null; then
    echo "skipped: no localedef (Debian: package libc-bin)"
    exit 77
fi
# localedef ends with 1 on mere warnings, so what counts is what it has written.
message=$(localedef -f UTF-8 -i de_DE "$dir/de_DE.UTF-8" 2>&1)
if [ ! -e "$dir/de_DE.UTF-8/LC_NUMERIC" ]; then
    echo "skipped: localedef cannot build de_DE.UTF-8 (Debian: package locales): $message"
    exit 77
fi
LOCPATH=$dir LC_ALL=de_DE.UTF-8 GB_TEST_COMMA=1 "$1"
