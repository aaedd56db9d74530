#!/bin/sh
# A decimal comma changes nothing; paths with spaces and umlauts work.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

need_python
for name in de_DE.UTF-8 de_DE.utf8 fr_FR.UTF-8; do
    locale -a 2>/dev/null | grep -qix "$(echo "$name" | sed 's/UTF-8/utf8/')" && LC_ALL=$name && export LC_ALL
done
mkdir 'ein Ordner mit Übergröße'
quick 'ein Ordner mit Übergröße/Prüfung 1.yaml'
sed -i 's/name: small/name: Größe ''und'' mehr/' 'ein Ordner mit Übergröße/Prüfung 1.yaml'
cd 'ein Ordner mit Übergröße' || exit 1
status=0
"$GPUBENCH" run 'Prüfung 1.yaml' --device cpu --out 'Ergebnis der Prüfung' >../out 2>../err || status=$?
[ "$status" -eq 0 ] || fail "exit status $status"
"$GPUBENCH" run 'Prüfung 1.yaml' --device cpu >../out 2>../err || fail "default directory"
"$GPUBENCH" report 'Ergebnis der Prüfung' --no-plots >../out 2>../err || fail "report"
"$GPUBENCH" verify 'Ergebnis der Prüfung' >../out 2>../err || fail "verify"
json 'Ergebnis der Prüfung/results.json' 'd["suite"]["name"].startswith("Größe")'
python3 - <<'END' || fail "decimal commas"
import csv
rows = list(csv.DictReader(open("Ergebnis der Prüfung/results.csv", encoding="utf-8", newline="")))
assert len(rows) == 4
for row in rows:
    for value in row.values():
        assert not value or value[0] not in "0123456789" or "," not in value, row
END
