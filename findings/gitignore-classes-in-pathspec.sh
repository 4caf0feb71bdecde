#!/usr/bin/env bash
# pathspec hands what stands in brackets to Python's regular expressions: named classes and reversed ranges come out otherwise.
#
# Seen on 2026-11-27 with pathspec 1.1.1 (PyPI), Python 3.11, git 2.39: git ignores "7.log" by "[[:digit:]]*", pathspec does
# not, and Python warns of a "possible nested set"; a line "[z-a]", which matches nothing in git and hurts no other
# line, makes the whole file fail with re.error, which is not the error that the library names for bad patterns.
# ctx matches by git's rules itself (ctx/text/ignored.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pathspec==1.1.1
git init --quiet work
touch work/7.log work/a.log
cat >seen.py <<'PY'
import pathlib, re, subprocess, warnings
import pathspec

warnings.simplefilter("ignore")

def by_git(line, name):
    pathlib.Path("work/.gitignore").write_text(line + "\n")
    return subprocess.run(["git", "-C", "work", "check-ignore", "-q", name]).returncode == 0

def by_library(line, name):
    try:
        return pathspec.GitIgnoreSpec.from_lines([line]).match_file(name)
    except re.error as error:
        return f"re.error: {error.msg}"

for line in ("[[:digit:]]*", "[![:digit:]]*", "[z-a]"):
    print(line, [(by_git(line, name), by_library(line, name)) for name in ("7.log", "a.log")])
PY
venv/bin/python seen.py | tee seen
diff seen - <<'EXPECTED'
[[:digit:]]* [(True, False), (False, False)]
[![:digit:]]* [(False, False), (True, False)]
[z-a] [(False, 're.error: bad character range z-a'), (False, 're.error: bad character range z-a')]
EXPECTED
echo 'as seen'
