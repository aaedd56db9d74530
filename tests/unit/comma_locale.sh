#!/bin/sh
# Runs a test under de_DE.UTF-8, built for the occasion: bare machines have C and POSIX only.
# Usage: comma_locale.sh PROGRAM FOLDER. The first one to need it makes the locale in FOLDER, for all. Exit
# status 77 when the locale cannot be built.
set -u
program=$1 folder=$2
if [ ! -e "$folder/de_DE.UTF-8/LC_NUMERIC" ]; then
    if ! command -v localedef >/dev/null; then
        echo "skipped: no localedef (Debian: package libc-bin)"
        exit 77
    fi
    mkdir -p "$folder" && made=$(mktemp -d "$folder/XXXXXX") || exit 1
    trap 'rm -rf "$made"' EXIT
    # localedef ends with 1 on mere warnings, so what counts is what it has written.
    message=$(localedef -f UTF-8 -i de_DE "$made/de_DE.UTF-8" 2>&1)
    if [ ! -e "$made/de_DE.UTF-8/LC_NUMERIC" ]; then
        echo "skipped: localedef cannot build de_DE.UTF-8 (Debian: package locales): $message"
        exit 77
    fi
    # Another test may have been first: then its locale stays.
    mv -T "$made/de_DE.UTF-8" "$folder/de_DE.UTF-8" 2>/dev/null
    [ -e "$folder/de_DE.UTF-8/LC_NUMERIC" ] || exit 1
fi
LOCPATH=$folder LC_ALL=de_DE.UTF-8 GB_TEST_COMMA=1 "$program"
