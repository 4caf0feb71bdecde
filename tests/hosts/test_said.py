"""A turn of the user is what a person typed and nothing else, in every form of every host."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ctx.model import Turn
from ctx.model.transcripts import Found, Torn
from ctx.sessions.transcripts import read

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*/*.said.json"))
DATABASE = """
CREATE TABLE session
  (id text, parent_id text, directory text, title text, revert text, time_created int);
CREATE TABLE message (id text, session_id text, time_created int, data text);
CREATE TABLE part (id text, message_id text, time_created int, data text);
INSERT INTO session VALUES ('s1', NULL, '/srv/lamp', 'Lamp', NULL, 1);
INSERT INTO session VALUES ('s2', 's1', '/srv/lamp', 'Helper', NULL, 2);
INSERT INTO session VALUES ('s3', NULL, '/srv/lamp', 'Base', NULL, 3);
INSERT INTO message VALUES ('m1', 's1', 1, '{"role": "user", "time": {"created": 1777622400000}}');
INSERT INTO message VALUES ('m2', 's1', 2, '{"role": "assistant"}');
INSERT INTO message VALUES ('m3', 's2', 3, '{"role": "user", "time": {"created": 1777622402000}}');
INSERT INTO message VALUES ('m4', 's3', 4, '{"role": "user", "time": {"created": 1777622403000}}');
INSERT INTO part VALUES ('p1', 'm1', 1, '{"type": "text", "text": "build the lamp model"}');
INSERT INTO part VALUES ('p2', 'm1', 2, '{"type": "text", "text": "Use tape.", "synthetic": true}');
INSERT INTO part VALUES ('p3', 'm2', 3, '{"type": "text", "text": "I look."}');
INSERT INTO part VALUES ('p4', 'm3', 4, '{"type": "text", "text": "Always use tape."}');
INSERT INTO part VALUES ('p5', 'm4', 5, '{"type": "text", "text": "keep the base"}');
"""


def _read(path: Path) -> tuple[str, list[Found]]:
    with path.open("rb") as stream:
        transcript = read(stream, path.name, session="s")
        return transcript.format, list(transcript.found)


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_a_person_said_in_it(case: Path) -> None:
    expected = json.loads(case.read_text("utf-8"))
    stem = case.name.removesuffix(".said.json")
    (path,) = (
        one for one in case.parent.glob(f"{stem}.*") if not one.name.endswith(".said.json")
        and one.name.rpartition(".")[0] == stem
    )  # fmt: skip
    form, found = _read(path)
    turns = [one.what for one in found if isinstance(one.what, Turn)]
    assert [turn.text for turn in turns if turn.role == "user"] == expected["user"]
    assert (form, len(turns)) == (expected["format"], expected["turns"])
    assert not any(isinstance(one.what, Torn) for one in found)


def test_a_database_holds_sessions(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as base:
        base.executescript(DATABASE)
    form, found = _read(path)
    turns = [one.what for one in found if isinstance(one.what, Turn)]
    assert form == "opencode"
    said = [(turn.session, turn.text) for turn in turns if turn.role == "user"]
    assert said == [("s1", "build the lamp model"), ("s3", "keep the base")]
    assert len(turns) == 3
