#!/bin/sh
# Every row of docs/field-cases.md has a test that carries its id in its name, and the files that it
# names are there and carry the id; and every id that a test carries has a row.
#   field_cases.sh SOURCE
set -eu
cd "$1"
missing=0
# shellcheck disable=SC2013 # ids have no spaces
for id in $(sed -n 's/^| \([A-Z][A-Z][A-Z]-[0-9][0-9]\) |.*/\1/p' docs/field-cases.md); do
    word=$(echo "$id" | tr - _)
    if ! find tests -name "*$id*" | grep -q . &&
        ! grep -rqE "(START_TEST\(|def test_)[A-Za-z0-9_]*$word|NAME [^ ]*$id|_locale_test\([^ ]* $id\)" tests; then
        echo "$id: no test carries this id"
        missing=1
    fi
    # The files are the words in backquotes of the last cell.
    # shellcheck disable=SC2016
    for file in $(sed -n "s/^| $id |.*|\([^|]*\)|\$/\1/p" docs/field-cases.md | tr ',' '\n' |
        sed -n 's/[^`]*`\([^`]*\)`.*/\1/p'); do
        case $file in *"$id"*) test -f "tests/$file" && continue ;; esac
        if ! grep -qE "$id|$word" "tests/$file"; then
            echo "$id: tests/$file, which its row names, does not carry it"
            missing=1
        fi
    done
done
for id in $({
    grep -rhoE '(START_TEST\(|def test_)[A-Za-z0-9_]+|NAME [^ ]*[A-Z]{3}-[0-9]{2}' tests
    find tests -name '*[A-Z]-[0-9][0-9]*'
} | grep -oE '[A-Z]{3}[-_][0-9]{2}' | tr _ - | sort -u); do
    if ! grep -q "^| $id |" docs/field-cases.md; then
        echo "$id: a test carries this id, and docs/field-cases.md has no row for it"
        missing=1
    fi
done
test "$(grep -cE '^\| [A-Z]{3}-[0-9]{2} \|' docs/field-cases.md)" -gt 50
exit "$missing"
