#!/usr/bin/env bash
# Python's sqlite3 raises one OperationalError that has no sqlite_errorcode: for a text that is no UTF-8.
#
# Seen on 2026-11-27 with Python 3.11.7, 3.12.1 and 3.13.0, SQLite 3.40.1 (standard library, no package): "Could not decode
# to UTF-8 column …" has neither sqlite_errorcode nor sqlite_errorname, as the module makes it, not SQLite; an error of SQLite
# has both. Code that tells errors apart by error.sqlite_errorcode gets an AttributeError while it handles that one; ctx
# asks by getattr. PYTHON names another Python.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >seen.py <<'PY'
import sqlite3

store = sqlite3.connect(":memory:")
for query in ("select * from missing", "select cast(x'ff' as text)"):
    try:
        store.execute(query).fetchall()
    except sqlite3.OperationalError as error:
        names = ("sqlite_errorcode", "sqlite_errorname")
        print(type(error).__name__, str(error)[:22], [getattr(error, name, None) for name in names])
PY
"${PYTHON:-python3}" -c 'import sqlite3, sys; print("Python", sys.version.split()[0], "SQLite", sqlite3.sqlite_version)'
"${PYTHON:-python3}" seen.py | tee seen
diff seen - <<'EXPECTED'
OperationalError no such table: missing [1, 'SQLITE_ERROR']
OperationalError Could not decode to UT [None, None]
EXPECTED
echo 'as seen'
