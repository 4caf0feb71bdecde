"""How many secrets are redacted, kinds by places, in all that ``ctx`` prints and keeps.

    python -m benchmarks.secrets [--seed SEED] [--text] [--corpora DIRECTORY]

``--text`` looks at the texts alone, ``--corpora`` names what is found in the files of a directory,
where a person has to look whether it is a secret. Exit code 1 below 98 % or with a false alarm.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from ctx.cli.main import main as ctx
from ctx.text.secrets import find, mask
from tests.keeping import opened
from tests.text.secret_kinds import PLACES, Kind, harmless, kinds, written

AGENT = ("agent", "--as-of", "2026-11-21", "--budget", "9000000")
CALLS = {
    "packet": (AGENT, (*AGENT, "--session", "talk", "--delta"), (*AGENT, "--query", "token key")),
    "packet, json": ((*AGENT, "--format", "json"),),
    "search": (("search", "then they said", "--limit", "5000", "--json", "--archive"),),
    "list": (("list", "decision", "--json"), ("list", "turn", "--json")),
    "explain": (("explain", "--json"), (*AGENT, "--explain")),
    "plan": (("plan", "--as-of", "2026-11-21", "--budget", "9000000", "--json"),),
    "check": (("check", "--json"), ("status",)),
}  # fmt: skip
GOAL = 0.98
_LONGEST_NAME = 200


def main() -> int:
    """Measure, print, and judge by the goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", default="benchmark", help="which secrets are drawn")
    parser.add_argument("--text", action="store_true", help="the texts alone")
    parser.add_argument("--corpora", type=Path, help="files in which nothing should be found")
    options = parser.parse_args()
    every = kinds(options.seed)
    least = [_report("texts", every, _in_texts(every))]
    if not options.text:
        with tempfile.TemporaryDirectory() as folder:
            least += [_report(name, every, gone) for name, gone in _in_outputs(every, folder)]
    alarms = [line for line in harmless(options.seed) if find(line)]
    print(f"false alarms: {len(alarms)} of {len(harmless(options.seed))} harmless lines")
    for line in (*alarms, *(_found(options.corpora) if options.corpora else ())):
        print(f"  {line}")
    return int(min(least) < GOAL or bool(alarms))


def _report(what: str, every: list[Kind], missed: set[tuple[str, str]]) -> float:
    """Print the share of secrets that are redacted, by half; return the smaller one."""
    shares = []
    for held_out in (False, True):
        labels = {kind.label for kind in every if kind.held_out is held_out}
        count = len(labels) * len(PLACES)
        shares.append(1 - sum(label in labels for label, _ in missed) / count)
    print(f"{what:<16}{shares[0]:>8.1%} of the kinds fitted, {shares[1]:>6.1%} of those held out")
    places = Counter(place for _, place in missed)
    for place, count in places.most_common():
        print(f"  {place}: {count}")
    return min(shares)


def _in_texts(every: list[Kind]) -> set[tuple[str, str]]:
    return {
        (kind.label, place)
        for kind in every
        for place in PLACES
        if kind.secret in mask(written(kind, place))
    }


def _in_outputs(every: list[Kind], folder: str) -> Iterator[tuple[str, set[tuple[str, str]]]]:
    """Yield for each output, and what is kept, which secrets come out of a project."""
    drawn = {place: kinds(f"{every[0].text} {place}") for place in PLACES}
    root = Path(folder) / "project" / ".context"
    _write(root, drawn)
    os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = os.environ["XDG_STATE_HOME"] = folder
    os.chdir(root.parent)
    for name, calls in CALLS.items():
        yield name, _leaked(drawn, "".join(map(_call, calls)))
    event = json.dumps({"cwd": str(root.parent), "session_id": "s", "source": "startup"})
    told = _call(("hook", "run", "claude", "SessionStart"), event)
    ids = json.loads(_call(("list", "decision", "--json")))
    shown = [_call(("show", one["id"])) for one in _entries(ids)[::20]]
    yield "hook, show", _leaked(drawn, told + "".join(shown))
    # A cache has to know files by the names that stand on the disk beside it.
    kept = {one for one in _leaked(drawn, _kept(Path(folder), root)) if one[1] != "file name"}
    yield "kept on disk", kept


def _entries(told: object) -> list[dict[str, str]]:
    entries = told.get("entries", []) if isinstance(told, dict) else told
    return entries if isinstance(entries, list) else []


def _leaked(drawn: dict[str, list[Kind]], text: str) -> set[tuple[str, str]]:
    return {
        (kind.label, place)
        for place, every in drawn.items()
        for kind in every
        if kind.secret in text or json.dumps(kind.secret)[1:-1] in text
    }


def _write(root: Path, drawn: dict[str, list[Kind]]) -> None:
    """Write a context directory in which each kind stands in every place."""
    bodies: dict[str, Callable[[str], str]] = {
        "title": "{}".format,
        "prose": "Kept.\n\n{}".format,
        "list": "- An item\n- {}".format,
        "table": "| a | b |\n|---|---|\n{}".format,
        "fence": "```sh\n{}\n```".format,
        "env": "```env\n{}\n```".format,
        "json": "```json\n{}\n```".format,
        "yaml": "```yaml\n{}\n```".format,
    }
    for place, body in bodies.items():
        text = ""
        for at, kind in enumerate(drawn[place]):
            day = f"2026-{at // 28 + 1:02}-{at % 28 + 1:02}"
            line = written(kind, place)
            if place == "title" and "\n" not in line:
                text += f"## [{day}] {line}\n\nKept.\n\n"
            else:
                text += f"## [{day}] Entry {at}\n\n{body(line)}\n\n"
        _file(root / "decisions" / f"{place}.md", text)
    for at, kind in enumerate(drawn["frontmatter"]):
        entry = f"## [2026-01-01] Entry {at}\n\nKept.\n"
        head = written(kind, "frontmatter")
        _file(root / "decisions" / f"front-{at}.md", f"---\ntags: [x]\n{head}\n---\n\n{entry}")
    for at, kind in enumerate(drawn["file name"]):
        name = written(kind, "file name")
        if "/" not in name and "\n" not in name and len(name) < _LONGEST_NAME:
            _file(root / "decisions" / f"{name}.md", f"## [2026-01-01] File {at}\n\nKept.\n")
    turns = [
        {"id": f"t{at}{role}", "session": "talk", "ts": "2026-02-01T00:00:00Z", "role": role,
         "text": f"They said then:\n\n{written(kind, place)}"}
        for place, role in (("quoted turn", "user"), ("tool result", "tool"))
        for at, kind in enumerate(drawn[place])
    ]  # fmt: skip
    _file(root / "sessions" / "talk.jsonl", "".join(f"{json.dumps(turn)}\n" for turn in turns))


def _file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _call(arguments: tuple[str, ...], given: str = "") -> str:
    """Return what a command prints to both streams."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            ctx(arguments)
    finally:
        sys.stdin = before
    told = []
    for stream in (out, err):
        stream.flush()
        told.append(stream.buffer.getvalue().decode("utf-8", "replace"))
    return told[0] if arguments[0] == "list" else "".join(told)


def _kept(*folders: Path) -> str:
    """Return all that was written beside what the project holds, compressed parts opened."""
    found = []
    for path in sorted(set(folders[0].rglob("*"))):
        inside = path.is_relative_to(folders[1]) and ".ctx" not in path.parts
        if path.is_file() and not inside:
            found.append(path.read_bytes())
            if path.suffix == ".db":
                found += opened(path)
    return b"\n".join(found).decode("utf-8", "replace")


def _found(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            for secret in find(text):
                said = text[secret.start : secret.end][:60]
                yield f"{path}:{secret.line}: {secret.kind}: {said}"


if __name__ == "__main__":
    raise SystemExit(main())
