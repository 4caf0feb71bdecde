"""``ctx session promote``: what is said, what is asked, and what is written when."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from ctx import streams
from ctx.app import library
from ctx.app.editor import edit
from ctx.app.options import PacketOptions
from ctx.errors import EmbedderError, FileError
from ctx.world import World
from tests.imported import sessions_of
from tests.rank.hands import call
from tests.terminal import answered

promote = import_module("ctx.cli.session.promote")  # the package has a command of this name
command = promote.promote.__wrapped__
FACT = "Today an order can only be refunded whole."
WISH = "I prefer tea and 2 biscuits in the morning."
DECIDED = "We decided to indent with tabs in all projects."
posix = pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a context directory with one session of four turns, three of them proposed."""
    place = tmp_path / "project" / ".context"
    place.mkdir(parents=True)
    turns = [FACT, "Thanks!", f"{WISH} \x1b[2J", DECIDED]
    lines = [
        {"id": f"t{at}", "session": "one", "ts": "2026-05-01", "role": "user", "text": text}
        for at, text in enumerate(turns)
    ]
    text = "".join(f"{json.dumps(one)}\n" for one in lines)
    (sessions_of(place) / "one.jsonl").write_text(text)
    return place


def ctx(root: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    home = str(root.parent)
    done = call("session", "promote", "--dir", str(root), *arguments, home=home)
    assert done.code == code, done.err
    return subprocess.CompletedProcess([], done.code, done.text, done.err)


def written(root: Path) -> list[str]:
    return sorted(one.name for one in root.iterdir() if one.suffix == ".md")


# --- in a pipe ----------------------------------------------------------------------------


def test_in_a_pipe_nothing_is_written_without_yes(root: Path) -> None:
    done = ctx(root)
    assert done.stdout.startswith(
        f"learning: {WISH[:-1]}\n  sessions/one.jsonl#t2, user, 2026-05-01\n"
        "  score 0.49 (from 0.35 on): technical 0.00, new 1.00, repeated 0.00, already known 0.00, "
        f"states 0.57, concrete 0.00, settles 0.00, explains 0.00\n  > {WISH}"
    )
    assert f"decision: {DECIDED[:-1]}\n" in done.stdout
    assert done.stdout.endswith(
        "\n3 proposed, 0 added, 0 refused as repeating an entry\n"
        "nothing was written: --yes adds them, a terminal asks about each\n"
    )
    assert written(root) == []


def test_yes_adds_all_and_names_them_and_a_second_time_none(root: Path) -> None:
    done = ctx(root, "--yes")
    lines = done.stdout.split("\n")
    assert [line.partition("#")[0] for line in lines[:3]] == [
        "added LEARNINGS.md", "added DECISIONS.md", "added LEARNINGS.md",
    ]  # fmt: skip
    assert lines[0].endswith(f": {WISH[:-1]} (sessions/one.jsonl#t2)")
    assert lines[3:] == ["3 proposed, 3 added, 0 refused as repeating an entry", ""]
    assert written(root) == ["DECISIONS.md", "LEARNINGS.md"]
    assert (root / "LEARNINGS.md").read_text().count("\n## [") == 2
    before = {name: (root / name).read_bytes() for name in written(root)}
    again = ctx(root, "--yes").stdout
    assert again == "0 proposed, 0 added, 0 refused as repeating an entry\n"
    assert {name: (root / name).read_bytes() for name in written(root)} == before


def test_json_tells_all_parts(root: Path) -> None:
    found = json.loads(ctx(root, "--json", "--limit", "1").stdout)
    assert found == {
        "proposed": [
            {
                "source": "sessions/one.jsonl#t2", "session": "one", "turn": "t2", "role": "user",
                "supersedes": "",
                "speaker": "", "ts": "2026-05-01",
                "parts": {
                    "T": 0.0, "G_conv": 0.4929, "H": 1.0, "F": 0.0, "S": 0.0, "R": 0.0,
                    "D_nl": 0.5714, "G_tech": 0.0, "P": 0.0, "A": 0.0, "D_tech": 0.0,
                },
                "score": 0.4929, "kind": "learning", "title": WISH[:-1], "text": f"{WISH} \\x1b[2J",
                "noted": False,
            }
        ],
        "added": [],
        "again": [],
        "refused": [],
    }  # fmt: skip
    assert written(root) == []


def test_what_repeats_an_entry_is_refused_with_its_twin(root: Path) -> None:
    name = "LEARNINGS.md"
    entry = f"## [2026-01-01-000000] Tea\n\n**Lesson**: {WISH.swapcase()} Or so.\n"
    others = "".join(f"\n## [2026-01-0{n}] Other {n}\n\nCats sleep {n} hours.\n" for n in (2, 3, 4))
    (root / name).write_text(entry + others)
    done = ctx(root)
    line = f"refused sessions/one.jsonl#t2: {WISH[:-1]}: repeats {name}#2026-01-01-000000 (words "
    assert line in done.stdout
    assert "2 proposed, 0 added, 1 refused as repeating an entry\n" in done.stdout
    (told,) = json.loads(ctx(root, "--json").stdout)["refused"]
    assert (told["turn"], told["near_duplicate"], told["how"]) == (
        "t2",
        f"{name}#2026-01-01-000000",
        "words",
    )
    assert 0.9 <= told["likeness"] <= 1


def test_of_turns_that_say_the_same_one_is_added(root: Path) -> None:
    path = sessions_of(root) / "two.jsonl"
    turn = {"id": "x", "session": "two", "ts": "", "role": "user", "text": FACT}
    path.write_text(json.dumps(turn))
    found = json.loads(ctx(root, "--json").stdout)
    (again,) = found["again"]
    assert (again["turn"], again["near_duplicate"]) == ("x", "sessions/one.jsonl#t0")
    assert found["refused"] == []
    said = ctx(root).stdout
    assert "\n  sessions/two.jsonl#x, as sessions/one.jsonl#t0 above (words 1.00)\n" in said
    assert "4 proposed (1 as another above), 0 added, 0 refused as repeating an entry\n" in said
    (refused,) = json.loads(ctx(root, "--json", "--yes").stdout)["refused"]
    assert refused["near_duplicate"].startswith("LEARNINGS.md#")


def test_errors_are_one_line(root: Path) -> None:
    for arguments, code, message in (
        (["--session", "none"], 2, "no session 'none' is stored here"),
        (["--limit", "0"], 2, "--limit: '0' is not a whole number of 1 or more"),
        (["--limit", "x"], 2, "--limit: 'x' is not a whole number of 1 or more"),
        (["--embedder", "openai:m@http://127.0.0.1:9/v1"], 7, ""),
        (["--embedder", "nothing"], 2, "embedder"),
    ):
        done = ctx(root, *arguments, code=code)
        assert (done.stdout, done.stderr.count("\n")) == ("", 1)
        assert done.stderr.startswith("ctx: ")
        assert message in done.stderr


def test_what_was_added_before_an_error_stays_and_is_named(root: Path) -> None:
    (root / "DECISIONS.md").write_text("# D\n\n<!-- open\n")
    done = ctx(root, "--yes", code=6)
    assert done.stderr == (
        f"ctx: {root}/DECISIONS.md:3: a code fence, comment or HTML block is not closed "
        "(mend it, then try again)\n"
    )
    assert "added LEARNINGS.md#" in done.stdout
    assert "3 proposed, 2 added, 1 left, 0 refused as repeating an entry\n" in done.stdout
    assert written(root) == ["DECISIONS.md", "LEARNINGS.md"]


# --- on a terminal ------------------------------------------------------------------------


class _Streams:
    """What a person answers; every stream is a terminal."""

    def __init__(self, *answers: str) -> None:
        self._answers: Iterator[str] = iter(answers)

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        answer = next(self._answers, None)
        if answer == "^C":
            raise KeyboardInterrupt
        return "" if answer is None else f"{answer}\n"


@pytest.fixture
def asked(root: Path, monkeypatch: pytest.MonkeyPatch) -> type[_Asked]:
    monkeypatch.setattr(_Asked, "root", root, raising=False)
    monkeypatch.setattr(_Asked, "patch", monkeypatch, raising=False)
    return _Asked


class _Asked:
    """A run on a terminal, with answers."""

    root: Path
    patch: pytest.MonkeyPatch

    def __init__(self, *answers: str, editor: str = "") -> None:
        self.shown: list[str] = []
        self.edited: list[str] = []
        self.said = b""
        self._editor = editor
        self.patch.setattr(World, "at_terminal", lambda _: True)
        self.patch.setattr(promote, "answers", lambda: True)
        self.patch.setattr(sys, "stdin", _Streams(*answers))
        self.patch.setattr(streams, "write_err", lambda data: self.shown.append(data.decode()))
        self.patch.setattr(streams, "write_out", self._out)
        self.patch.setattr(promote, "edit", self._edit)
        self.patch.setenv("HOME", str(self.root))

    def _out(self, data: bytes) -> None:
        self.said += data

    def _edit(self, text: str, _environ: object, _warn: object) -> str:
        self.edited.append(text)
        return self._editor

    def run(self, **options: bool) -> int:
        return int(command(PacketOptions(dir=str(self.root)), **options))


def test_on_a_terminal_each_is_asked_about(asked: type[_Asked], root: Path) -> None:
    one = asked("s", "a", "quit")
    assert one.run() == 0
    told = "".join(one.shown)
    assert f"\n1 of 3: learning: {WISH[:-1]}\n" in told
    assert told.count("accept, edit, skip or quit? [a/e/s/q] ") == 3
    assert "added DECISIONS.md#" in told
    assert one.said == b"3 proposed, 1 added, 1 skipped, 1 left, 0 refused as repeating an entry\n"
    assert written(root) == ["DECISIONS.md"]


def test_what_was_skipped_is_proposed_no_more_unless_asked_for(asked: type[_Asked]) -> None:
    asked("s", "s", "q").run()
    assert asked("q").run() == 0
    one = asked("q")
    one.run()
    assert one.said == b"1 proposed, 0 added, 0 skipped, 1 left, 0 refused as repeating an entry\n"
    one = asked("q")
    one.run(skipped=True)
    assert one.said.startswith(b"3 proposed")


def test_what_is_quoted_is_not_obeyed(asked: type[_Asked]) -> None:
    one = asked("q")
    one.run()
    told = "".join(one.shown)
    assert "\x1b" not in told
    assert "\\x1b[2J" in told


def test_an_answer_that_is_none_is_asked_again(asked: type[_Asked], root: Path) -> None:
    one = asked("", "what?", "A", "q")
    assert one.run() == 0
    told = "".join(one.shown)
    assert told.count("accept, edit, skip or quit?") == 4
    assert told.count("answer a (accept), e (edit), s (skip) or q (quit)\n") == 2
    assert written(root) == ["LEARNINGS.md"]


def test_an_interruption_keeps_what_was_accepted(asked: type[_Asked], root: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        asked("a", "^C").run()
    assert written(root) == ["LEARNINGS.md"]
    assert (root / "LEARNINGS.md").read_text().count("\n## [") == 1


def test_an_edited_candidate_is_added_as_it_is_left(asked: type[_Asked], root: Path) -> None:
    one = asked("e", "q", editor="A title\n\nA text\nof two lines.\n")
    assert one.run() == 0
    assert one.edited == [f"{WISH[:-1]}\n\n{WISH} \x1b[2J\n\n{promote._HINT}\n"]
    text = (root / "LEARNINGS.md").read_text()
    assert "] A title\n\n**Context**: Said by the user in session one on 2026-05-01.\n\n" in text
    assert "**Lesson**: A text\nof two lines.\n\n**Source**: sessions/one.jsonl#t2\n" in text


@pytest.mark.parametrize("left", ["", promote._HINT])
def test_an_emptied_text_skips(asked: type[_Asked], root: Path, left: str) -> None:
    assert asked("e", "s", "s", editor=left).run() == 0
    assert written(root) == []


def editor(folder: Path, body: str) -> str:
    """Return the command of an editor, a script with a space in its path."""
    script = folder / "an editor"
    script.write_text(f"#!{sys.executable}\nimport os, sys\npath = sys.argv[-1]\n{body}\n")
    script.chmod(0o700)
    return f"'{script}' --wait"


@posix
def test_an_editor_gets_a_private_file_that_is_removed(tmp_path: Path) -> None:
    body = (
        "assert sys.argv[1] == '--wait'\nassert os.stat(path).st_mode & 0o777 == 0o600\n"
        "told = open(path, encoding='utf-8').read()\n"
        f"open({str(tmp_path / 'where')!r}, 'w').write(path)\n"
        "os.unlink(path)\nopen(path, 'w', encoding='utf-8').write(told.upper())"
    )
    environ = {"VISUAL": editor(tmp_path, body), "EDITOR": "false"}
    assert edit("é\n", environ, print) == "É\n"
    assert not Path((tmp_path / "where").read_text()).exists()


@posix
@pytest.mark.parametrize(
    ("called", "said"),
    [
        ("no-such-editor", "cannot be used: No such file or directory"),
        ("'open", "cannot be used: No closing quotation"),
        ("false", "ended with code 1; what it left was not taken"),
    ],
)
def test_an_editor_that_fails_is_one_line_and_it_is_asked_again(
    asked: type[_Asked], monkeypatch: pytest.MonkeyPatch, root: Path, called: str, said: str
) -> None:
    one = asked("e", "a", "q")
    monkeypatch.setattr(promote, "edit", edit)
    monkeypatch.setattr(os, "environ", {**os.environ, "VISUAL": " ", "EDITOR": called})
    assert one.run() == 0
    (line,) = [text for text in one.shown if text.startswith(called)]
    assert line.startswith(f"{called}: {said}")
    assert line.count("\n") == 1
    assert one.said.startswith(b"3 proposed, 1 added, 0 skipped, 2 left")
    assert written(root) == ["LEARNINGS.md"]


def test_a_session_that_cannot_be_read_is_code_6_and_the_others_are_done(root: Path) -> None:
    (sessions_of(root) / "bad.jsonl").mkdir()
    done = ctx(root, "--yes", code=6)
    assert done.stderr == "ctx: sessions/bad.jsonl: is a directory, not a file; left out\n"
    assert "3 proposed, 3 added, 0 refused as repeating an entry\n" in done.stdout


@pytest.mark.parametrize("option", ["yes", "json"])
def test_yes_and_json_ask_nothing_on_a_terminal(asked: type[_Asked], option: str) -> None:
    one = asked()
    assert one.run(**{option: True}) == 0
    assert one.shown == []
    assert b"\x1b" not in one.said
    if option == "json":
        assert json.loads(one.said)["proposed"][0]["text"] == f"{WISH} \\x1b[2J"


# --- errors of the world ------------------------------------------------------------------


def test_an_embedder_that_fails_is_an_error_of_its_kind(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ctx.model import EmbeddingError

    def fail(*_arguments: object) -> None:
        raise EmbeddingError("it is tired")

    monkeypatch.setattr(library, "embedder_of", fail)
    with pytest.raises(EmbedderError, match="it is tired"):
        command(PacketOptions(dir=str(root), embedder="static"))


@posix
def test_sessions_that_cannot_be_listed_are_an_error(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ctx.read import stored

    def fail(_root: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(stored, "names", fail)
    with pytest.raises(FileError, match=r"sessions: cannot be read: Permission denied"):
        command(PacketOptions(dir=str(root)))


@posix
def test_a_real_terminal_is_asked_and_an_interruption_is_130(root: Path) -> None:
    command = ("session", "promote", "--dir", str(root))
    shown = answered("a|\x03", "[a/e/s/q] ", *command, code=130, HOME=str(root.parent))
    assert "added LEARNINGS.md#" in shown
    assert "ctx: interrupted" in shown
    assert (root / "LEARNINGS.md").read_text().count("\n## [") == 1


# --- standing instructions ----------------------------------------------------------------

RULE = "From now on, start all headlines with 'New:'."
LATER = "From now on, start all headlines with 'Note:'."


def told(root: Path, *texts: str) -> None:
    turns = [
        {"id": f"r{at}", "session": "rules", "ts": f"2026-05-0{at}", "role": "user",
         "speaker": "Ana", "text": text}
        for at, text in enumerate(texts, 1)
    ]  # fmt: skip
    turns += [{"id": "a", "session": "rules", "role": "assistant", "text": "Noted."}]
    lines = "".join(f"{json.dumps(turn)}\n" for turn in turns)
    (sessions_of(root) / "rules.jsonl").write_text(lines)


def test_an_instruction_in_force_becomes_a_convention_that_cites_its_turn(root: Path) -> None:
    told(root, f"{RULE} Also, never use emojis in replies.")
    proposed = json.loads(ctx(root, "--json", "--session", "rules").stdout)["proposed"]
    assert [(one["kind"], one["title"], one["turn"], one["parts"]) for one in proposed] == [
        ("convention", RULE, "r1", {}),
        ("convention", "Also, never use emojis in replies.", "r1", {}),
    ]
    assert ctx(root, "--yes", "--session", "rules").stdout.startswith("added CONVENTIONS.md#")
    text = (root / "CONVENTIONS.md").read_text()
    about = "  **Context**: Said by Ana in session rules on 2026-05-01.\n"
    assert f"- {RULE}\n\n{about}  **Source**: sessions/rules.jsonl#r1%2F1\n" in text
    again = ctx(root, "--yes", "--session", "rules").stdout
    assert again == "0 proposed, 0 added, 0 refused as repeating an entry\n"
    assert (root / "CONVENTIONS.md").read_text() == text


def test_one_that_was_replaced_is_never_proposed(root: Path) -> None:
    told(root, RULE, LATER, "Sign all letters with 'Ana'.", "Never mind signing letters.")
    proposed = json.loads(ctx(root, "--json", "--session", "rules").stdout)["proposed"]
    assert [one["title"] for one in proposed] == [LATER]


def test_an_instruction_that_is_not_quite_clear_is_proposed_if_it_is_of_all_cases(
    root: Path,
) -> None:
    once, every = (
        "do not add seeds.",
        "we must focus on one issue at a time.",
    )
    turns = [
        {"id": f"r{at}", "session": "rules", "role": "user", "text": text}
        for at, text in enumerate((once, f"Important - {every}"))
    ]
    lines = "".join(f"{json.dumps(turn)}\n" for turn in turns)
    (sessions_of(root) / "rules.jsonl").write_text(lines)
    proposed = json.loads(ctx(root, "--json", "--session", "rules").stdout)["proposed"]
    found = [(one["kind"], one["title"]) for one in proposed]
    assert found == [("convention", f"Important - {every}")]


def test_what_is_reversed_is_shown_and_marked(root: Path) -> None:
    (root / "DECISIONS.md").write_text(
        "## [2026-01-02-000000] Indent with spaces\n\n**Decision**: Four of them.\n"
    )
    turn = {"id": "x", "session": "two", "ts": "", "role": "user",
            "text": "Instead of spaces we now indent by tabs of width 8."}  # fmt: skip
    (sessions_of(root) / "two.jsonl").write_text(json.dumps(turn))
    shown = "  supersedes DECISIONS.md#2026-01-02-000000, which is marked so when it is added\n"
    assert shown in ctx(root, "--session", "two").stdout
    (one,) = json.loads(ctx(root, "--session", "two", "--json").stdout)["proposed"]
    assert one["supersedes"] == "DECISIONS.md#2026-01-02-000000"
    ctx(root, "--session", "two", "--yes")
    text = (root / "DECISIONS.md").read_text()
    assert "**Supersedes**: Indent with spaces\n" in text
    assert '**Status**: Superseded by "Instead of spaces we now indent by tabs of width 8"' in text
