"""Secrets planted in every kind of file are shown to nobody and stored nowhere, unless allowed."""

import contextlib
import io
import json
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx import read
from ctx.app import promotion
from ctx.app.capture import capture
from ctx.app.options import PacketOptions
from ctx.app.settings import load
from ctx.cli.main import main
from ctx.errors import DEGRADED, FINDINGS, OK, USAGE
from ctx.hosts.sources import chosen
from ctx.model import Cluster, Context, Draft, Entry, Summariser, SummaryError
from ctx.read.card import parser_of
from ctx.read.columns import Columns
from ctx.read.record import record
from ctx.serve.answers import answered
from ctx.sessions import compaction
from ctx.store.no_cache import NoCache
from ctx.text.secrets import REDACTED
from ctx.text.tokens import counter
from ctx.text.vector_space import TermSpace
from ctx.world import World
from tests.imported import sessions_of
from tests.keeping import cache, make_repository, opened
from tests.sampling import sampled
from tests.text.planted import ALNUM, Planted, noise, planted

AGENT = ("agent", "--as-of", "2026-11-21", "--budget", "900000")
SEARCH = ("search", "token password key", "--all", "--min-relevance", "0", "--limit", "900")
CALLS = (
    AGENT,
    (*AGENT, "--format", "json"),
    (*AGENT, "--explain"),
    (*AGENT, "--explain", "--format", "json"),
    (*AGENT, "--query", "token password key", "--planner", "acs"),
    (*AGENT, "--session", "talk", "--log-json"),
    (*AGENT, "--session", "talk", "--delta"),
    ("plan", "--as-of", "2026-11-21", "--budget", "900000", "--json"),
    SEARCH,
    (*SEARCH, "--json", "--budget", "90000"),
    (*SEARCH, "--archive", "--json"),
    ("explain", "--json"),
    ("list", "turn", "--json"),
    ("check", "--json"),
    ("status",),
    ("session", "promote"),
    ("index", "--embedder", "static"),
    (*AGENT, "--query", "token password key", "--embedder", "static"),
)
"""Every way in which what files say comes out of ``ctx``, but for showing a session itself."""

_DATED = (
    "## [{day}] {one}\n\n**Decision**: kept.\n",
    "## [{day}] Entry {n}\n\n**Decision**: {one}\n\n**Rationale**: it is so.\n",
    "## [{day}] Entry {n}\n\n**Lesson**:\n\n```sh\n{one}\n```\n\nAfter {n}.\n",
    "## [{day}] Entry {n}\n\n- An item\n  - {one}\n\n> Quoted.\n",
    "## [{day}] Entry {n}\n\n| a | b |\n|---|---|\n| c | {one} |\n",
    "## [{day}] Entry {n}\n\n<!-- {one} -->\n\nText. Supersedes {one}\n",
)
_RULES = (
    "- Never say {one}\n",
    "{n}. You must use this: {one}\n",
    "Rule {n}: always `x`. {one}\n\n",
)
_TASKS = ("- [ ] Mend {n}: {one} #in-progress\n", "- [x] Done {n}: {one}\n", "- [ ] {n}\n  {one}\n")
_KINDS = {
    "CONSTITUTION.md": _RULES, "steering/one.md": _RULES, "../AGENTS.md": _RULES,
    "TASKS.md": _TASKS,
    "CONVENTIONS.md": ("- Convention {n}: {one}\n", "## About {one}\n\n- Convention {n}.\n"),
    "conventions/one.md": ("- Convention {n}: {one}\n",), "DECISIONS.md": _DATED,
    "decisions/one.md": _DATED, "LEARNINGS.md": _DATED, "learnings/one.md": _DATED,
    "specs/a/one.md": ("## Section {n}\n\n{one}\n", "## {one}\n\nText {n}.\n"),
    "archive/decisions-2026-01-01.md": _DATED, "archive/tasks-2026-01-01.md": _TASKS,
}  # fmt: skip
FRONT = "---\ntags: [one, {tag}]\nowner: {extra}\ndb:\n  url: {url}\n---\n\n"


class Place(NamedTuple):
    """A project with secrets."""

    root: Path
    secrets: dict[str, list[str]]
    """By file."""

    @property
    def all(self) -> list[str]:
        return [secret for secrets in self.secrets.values() for secret in secrets]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    root = tmp_path / "project" / ".context"
    root.mkdir(parents=True)
    (tmp_path / "home").mkdir()
    make_repository(root.parent)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root.parent)
    secrets = {path: _write(root, path, templates) for path, templates in _KINDS.items()}
    secrets["sessions/talk.jsonl"] = _talk(root)
    return Place(root, secrets)


def _write(root: Path, path: str, templates: tuple[str, ...]) -> list[str]:
    every = sampled(planted(path), 3, len(path) % 3)
    text = f"# {path}\n\n"
    used = []
    for n, one in enumerate(every):
        if "\n" in one.line:
            text += f"{_header(path, n)}```\n{one.line}\n```\n\n"
        else:
            text += templates[n % len(templates)].format(one=one.line, n=n, day=_day(n)) + "\n"
        used.append(one.secret)
    if not path.startswith("../") and templates is _DATED:
        more = {name: f"hf_{noise(34, ALNUM, path + name)}" for name in ("tag", "extra")}
        word = noise(14, ALNUM, f"{path}url")
        text = FRONT.format(**more, url=f"postgres://ann:{word}@db/x") + text
        used += [*more.values(), word]
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    return used


def _header(path: str, n: int) -> str:
    dated = "decision" in path.lower() or "learning" in path.lower()
    return f"## [{_day(n)}] Key {n}\n\n" if dated else f"## Key {n}\n\n"


def _day(n: int) -> str:
    return f"2026-{n // 28 + 1:02}-{n % 28 + 1:02}-000000"


def _talk(root: Path) -> list[str]:
    every = [one for role in ("user", "tool") for one in sampled(planted(f"talk {role}"), 2)]
    lines = [_turn(n, one) for n, one in enumerate(every)]
    name = f"AKIA{noise(16, 'ABCDEFGHIJKLMNOP0123456789', 'name')}"
    call = f"ghp_{noise(36, ALNUM, 'bundle')}"
    turn = f"hf_{noise(34, ALNUM, 'id')}"
    odd = {"id": turn, "role": "tool", "speaker": name, "text": "It works.", "bundle": call}
    lines += [json.dumps(odd), json.dumps({**odd, "id": "odd", "speaker": {name: 1}})]
    (sessions_of(root) / "talk.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [*(one.secret for one in every), name, call, turn]


def _turn(n: int, one: Planted) -> str:
    role = ("user", "assistant", "tool")[n % 3]
    said = (
        f"We decided that the key is this, because the server needs it.\n\n{one.line}\n\nIt works."
    )
    if role == "tool":
        said = f"[tool_use Bash] {json.dumps({'command': said})}"
    ts = f"2026-02-{n % 28 + 1:02}T00:00:00Z"
    return json.dumps({"id": f"t{n}", "session": "talk", "ts": ts, "role": role, "text": said})


def call(*arguments: str) -> str:
    """Run a command here; return what it printed to both streams."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    assert code in (OK, FINDINGS, DEGRADED), arguments
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
    return out.read() + err.read()


def leaked(secrets: list[str], text: str) -> list[str]:
    """Return the ``secrets`` that ``text`` holds, in any case: slugs are in lower case."""
    lower = text.lower()
    return [secret for secret in secrets if secret.lower() in lower]


def stored(root: Path, but: str = "") -> str:
    """Return all that the store of ``root`` holds, compressed parts opened.

    Counts are by id, and kept from release to release: an id that was allowed to hold a secret
    stays in them, and nothing says it.
    """
    found = []
    for path in sorted(cache(root).rglob("*")):
        if path.is_file() and path.name != but:
            found.append(path.read_bytes())
            if path.suffix == ".db":
                found += opened(path)
    return b"\n".join(found).decode("utf-8", "replace")


# --- nothing comes out --------------------------------------------------------------------


def test_no_call_says_a_secret_and_none_is_kept(place: Place) -> None:
    for arguments in (*CALLS, *CALLS[:2]):  # made, and remembered
        assert leaked(place.all, call(*arguments)) == [], arguments
    assert leaked(place.all, stored(place.root)) == []
    assert REDACTED in stored(place.root)


def test_who_allows_secrets_reads_them(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTX_ALLOW_SECRETS", "1")
    said = call(*AGENT) + call(*SEARCH, "--archive")
    assert REDACTED not in said
    for path, secrets in place.secrets.items():
        assert len(leaked(secrets, said)) > len(secrets) / 8, path
    assert "is redacted" not in call(*AGENT, "--format", "json")


def test_what_was_allowed_is_forgotten_when_it_is_no_more(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert REDACTED in call(*AGENT)
    monkeypatch.setenv("CTX_ALLOW_SECRETS", "1")
    for arguments in sampled(CALLS, 4):
        call(*arguments)
    assert leaked(place.all, stored(place.root))
    monkeypatch.delenv("CTX_ALLOW_SECRETS")
    for more in (("--session", "talk", "--delta"), ("--query", "token password key")):
        assert leaked(place.all, call(*AGENT, *more)) == []
    assert leaked(place.all, stored(place.root, but="counts.db")) == []


def test_a_project_cannot_allow_secrets_for_itself(place: Place) -> None:
    (place.root / "config.toml").write_text("allow_secrets = true\n", encoding="utf-8")
    out = io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stderr(out):
        assert main(AGENT) == USAGE
    out.seek(0)
    assert "a project cannot set allow_secrets (set it" in out.read()


def test_the_user_allows_it_in_the_settings(place: Place, tmp_path: Path) -> None:
    settings = tmp_path / "home" / ".config" / "ctx" / "config.toml"
    settings.parent.mkdir(parents=True)
    before = call(*AGENT)
    settings.write_text("allow_secrets = true\n", encoding="utf-8")
    assert leaked(place.secrets["DECISIONS.md"], before) == []
    assert leaked(place.secrets["DECISIONS.md"], call(*AGENT))


# --- nothing else changes -----------------------------------------------------------------


def context(root: Path, *, allow_secrets: bool) -> Context:
    limits = read.Limits(1 << 30, False, str(root.parent), allow_secrets)
    groups = (("AGENTS.md",),)
    return read.read(
        str(root),
        NoCache(),
        limits,
        read.Wanted(
            chosen(documents=groups).origins,
            archive=True,
            state=str(sessions_of(root).parent),
            levels=("..",),
        ),
    )


def entries(found: Context) -> list[Entry]:
    return [
        part.entry(at) for one in found.sources for part in one.parts for at in range(len(part))
    ]


def test_lines_times_and_numbers_of_entries_are_as_they_were(place: Place) -> None:
    held, said = (entries(context(place.root, allow_secrets=allow)) for allow in (False, True))
    assert len(held) == len(said)
    for one, other in zip(held, said, strict=True):
        assert (one.source, one.line, one.end_line) == (other.source, other.line, other.end_line)
        assert (one.timestamp, one.kind, one.status) == (other.timestamp, other.kind, other.status)
        assert one.body.count("\n") == other.body.count("\n")
        if REDACTED not in f"{one.title}{one.body}{one.speaker}{one.bundle}{one.id}":
            assert one.body == other.body
            assert one.title == other.title


def test_one_line_a_file_says_what_is_redacted(place: Place) -> None:
    warnings = context(place.root, allow_secrets=False).warnings
    for path in place.secrets:
        told = [one for one in warnings if one.startswith(f"{path}:") and "is redacted" in one]
        assert len(told) == 1, path
        assert "(and " in told[0]
    assert not any("is redacted" in one for one in context(place.root, allow_secrets=True).warnings)


def test_the_line_names_the_first_secret_and_how_many_more(tmp_path: Path) -> None:
    key, word = f"AKIA{noise(16, 'ABCDEF0123456789', 'a')}", noise(12, ALNUM, "b")
    text = f'## [2026-01-01] One\n\nThe key is {key}.\n\n## Two\n\npassword = "{word}"\n'
    (tmp_path / "DECISIONS.md").write_text(text, encoding="utf-8")
    (told,) = context(tmp_path, allow_secrets=False).warnings
    assert told == (
        "DECISIONS.md:3: a secret (AWS Access Key) is redacted (and 1 more); `ctx check` names "
        "them; allow_secrets = true in ~/.config/ctx/config.toml includes them"
    )


def test_who_changes_a_file_reads_it_as_it_is() -> None:
    word = noise(12, ALNUM, "writer")
    data = f'## [2026-01-01] One\n\npassword = "{word}"\n'.encode()
    parser = parser_of("decisions")
    assert word.encode() in record("DECISIONS.md", data, parser, None)[1]
    held, text = record("DECISIONS.md", data, parser, None, redact_secrets=True)
    assert word.encode() not in text
    assert held.digest != record("DECISIONS.md", data, parser, None)[0].digest


@given(
    st.lists(st.sampled_from(range(6)), max_size=6), st.lists(st.sampled_from(range(6)), max_size=6)
)
def test_what_is_taken_from_before_holds_back_as_much(one: list[int], two: list[int]) -> None:
    """A file is looked at where it has changed; what it says is as if it were looked at whole."""

    def text(parts: list[int]) -> bytes:
        return "\n".join(CHUNKS[part] for part in parts).encode()

    def read_as(data: bytes, before: Columns | None) -> Columns:
        kept, bodies = record("DECISIONS.md", data, parser, before, redact_secrets=True)
        return Columns("DECISIONS.md", "DECISIONS.md", kept, lambda: bodies)

    parser = parser_of("decisions")
    fresh = read_as(text(two), None)
    again = read_as(text(two), read_as(text(one), None))
    assert fresh.warnings == again.warnings
    places = range(len(fresh))
    assert [(one.id, one.title, one.line) for one in map(fresh.entry, places)] == [
        (one.id, one.title, one.line) for one in map(again.entry, places)
    ]
    assert list(map(fresh.body, places)) == list(map(again.body, places))
    assert leaked(SECRETS, "".join(map(again.body, places))) == []


def test_secrets_in_names_of_files_are_redacted_and_the_files_stay_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project" / ".context"
    (root / "decisions").mkdir(parents=True)
    monkeypatch.chdir(root.parent)
    tokens = [f"ghp_{noise(36, ALNUM, name)}" for name in ("one", "two")]
    words = [noise(14, ALNUM, "name")]
    for name in (*tokens, *(f"db_password={word}" for word in words)):
        (root / "decisions" / f"{name}.md").write_text("## [2026-01-01] One\n\nText.\n")
    found = context(root, allow_secrets=False)
    assert len({one.id for one in entries(found)}) == len(tokens) + len(words)
    listed = ("list", "decision", "--json")
    for arguments in (AGENT, (*AGENT, "--format", "json"), listed, ("check", "--json")):
        said = call(*arguments)
        assert leaked([*tokens, *words], said) == [], arguments
        assert REDACTED in said or arguments[0] == "agent", arguments  # it names no such file


def test_a_secret_in_frontmatter_counts_once(tmp_path: Path) -> None:
    token = f"hf_{noise(34, ALNUM, 'once')}"
    for name, body in (("CONSTITUTION.md", "- Never lose a thing.\n"), ("DECISIONS.md", "")):
        text = f"---\ntags: [one]\nowner: {token}\n---\n{body}\n## [2026-01-01] One\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    warnings = context(tmp_path, allow_secrets=False).warnings
    assert [one.partition(" is redacted")[0] for one in warnings] == [
        "CONSTITUTION.md:3: a secret (API Key)",
        "DECISIONS.md:3: a secret (API Key)",
    ]
    assert not any("more" in one for one in warnings)


SECRETS = [noise(14, ALNUM, f"chunk {n}") for n in range(3)]
CHUNKS = (
    *(f'## [2026-01-0{n + 1}] Entry {n}\n\npassword = "{one}"\n' for n, one in enumerate(SECRETS)),
    "## [2026-02-01] Plain\n\nText.\n",
    f"---\nowner: hf_{noise(34, ALNUM, 'front')}\n---\n",
    f'## [2026-03-01] Masked\n\npassword = "{REDACTED}"\n',
)


# --- summaries and promotion --------------------------------------------------------------


class Hearing:
    """A summariser that keeps what it was shown, and writes nothing."""

    method = "abstractive"
    model = "hearing"

    def __init__(self) -> None:
        self.heard: list[str] = []

    def summarise(self, cluster: Cluster, limit: int) -> Draft:
        self.heard += [f"{one.speaker}: {one.text}" for one in cluster.utterances]
        raise SummaryError(f"not in {limit} tokens")


def _compact(root: Path, *, allow_secrets: bool, summariser: Summariser | None = None) -> None:
    tail = compaction.Tail(1, 0, counter("heuristic"))
    means = compaction.Means(TermSpace(), summariser, allow_secrets)
    for _ in compaction.compact(
        str(sessions_of(root).parent), "talk.jsonl", compaction.Settings(5, tail, "x"), means
    ):
        pass


def test_summaries_are_made_without_secrets(place: Place) -> None:
    _compact(place.root, allow_secrets=False)
    made = (sessions_of(place.root) / "summaries" / "talk.jsonl").read_text(encoding="utf-8")
    texts = [json.loads(line).get("text", "") for line in made.splitlines()]
    assert any(REDACTED in text for text in texts)
    assert leaked(place.all, "\n".join(texts)) == []


def test_a_model_that_summarises_is_shown_no_secret(place: Place) -> None:
    hearing = Hearing()
    _compact(place.root, allow_secrets=False, summariser=hearing)
    assert hearing.heard
    assert not leaked(place.all, "\n".join(hearing.heard))


def test_summaries_that_hold_secrets_do_not_say_them(place: Place) -> None:
    _compact(place.root, allow_secrets=True)
    made = (sessions_of(place.root) / "summaries" / "talk.jsonl").read_text(encoding="utf-8")
    assert leaked(place.all, made)
    for arguments in sampled(CALLS, 4, 1):
        assert leaked(place.all, call(*arguments)) == [], arguments
    assert leaked(place.all, stored(place.root)) == []
    found = context(place.root, allow_secrets=False)
    assert not any("has changed since" in one for one in found.warnings)
    assert any(one.ancestors for one in entries(found))


@pytest.mark.parametrize("allow", [False, True])
def test_promotion_proposes_without_secrets(place: Place, allow: bool) -> None:
    limits = read.Limits(1 << 30, allow_links=False, allow_secrets=allow)
    known = promotion.memory(str(place.root), limits)
    sessions = promotion.Sessions(str(sessions_of(place.root).parent), ["talk.jsonl"], allow)
    found = promotion.candidates(sessions, known, TermSpace())
    proposed = "\n".join(f"{one.title}\n{one.text}" for one in found)
    durable = "\n".join(f"{one.id}\n{one.title}\n{one.text}" for one in known.durable)
    assert bool(leaked(place.all, durable)) is allow
    assert found
    assert bool(leaked(place.all, proposed)) is allow


def test_a_session_is_shown_without_secrets_unless_they_are_allowed(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = place.secrets["sessions/talk.jsonl"]
    assert leaked(secrets, call("session", "show", "talk")) == []
    monkeypatch.setenv("CTX_ALLOW_SECRETS", "1")
    assert leaked(secrets, call("session", "show", "talk"))


# --- places -------------------------------------------------------------------------------


def test_warnings_of_imports_name_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    (root / ".context").mkdir(parents=True)
    (root / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root)
    token, word = f"ghp_{noise(36, ALNUM, 'import')}", noise(14, ALNUM, "import")
    text = (
        f"# Rules\n\n@{token}.md\n\n@https://ann:{word}@a.internal/b.md\n\n@~/password={word}.md\n"
    )
    (root / "AGENTS.md").write_text(text, encoding="utf-8")
    for arguments in (
        AGENT, (*AGENT, "--format", "json"), ("status",), ("status", "--json"), ("check",),
        ("check", "--json"), ("explain", "--json"), ("explain", "--html", "-"), ("rules",),
    ):  # fmt: skip
        said = call(*arguments)
        assert leaked([token, word], said) == [], arguments
    asked = json.dumps([answered(name, {}, "") for name in ("packet", "sources", "check")])
    assert leaked([token, word], asked) == []
    assert "left out" in asked
    monkeypatch.setenv("CTX_ALLOW_SECRETS", "1")
    assert leaked([token], call("status", "--json"))


def test_what_git_knows_of_a_line_holds_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    (root / ".context").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root)
    subject, name = (f"ghp_{noise(36, ALNUM, what)}" for what in ("subject", "name"))
    (root / f"{name}.py").write_text("a\n", encoding="utf-8")
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for command in (
        ("init", "-q"), ("add", "."), ("commit", "-qm", f"use {subject}"),
        ("mv", f"{name}.py", "b.py"), ("commit", "-qm", "move"),
    ):  # fmt: skip
        subprocess.run(["git", *author, *command], check=True)
    for what in ("b.py:1", "HEAD~1"):
        for form in ((), ("--json",)):
            said = call("trace", what, *form)
            assert leaked([subject, name], said) == [], what
            assert REDACTED in said


def _transcript(path: Path, *texts: str) -> str:
    lines = [
        {
            "type": "user", "sessionId": path.stem, "timestamp": f"2026-01-02T03:04:0{number}Z",
            "uuid": f"u{number}", "cwd": "/", "version": "2.0.0",
            "message": {"role": "user", "content": text},
        }
        for number, text in enumerate(texts)
    ]  # fmt: skip
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("before", ["captured", "imported as it was"])
def test_a_session_that_is_captured_and_imported_is_stored_once_and_redacted(
    place: Place, tmp_path: Path, before: str
) -> None:
    token = f"ghp_{noise(36, ALNUM, 'once')}"
    path = _transcript(tmp_path / "twice.jsonl", f"Use {token} from now on.", "Go on.")
    settings = load(str(place.root), World(), PacketOptions()).settings
    captured = settings._replace(capture="on", allow_secrets=before != "captured")
    capture(str(place.root), path, "twice", World(), captured, lambda: 60.0)
    assert "0 turns added, 2 already known" in call("session", "import", path)
    kept = (sessions_of(place.root) / "twice.jsonl").read_text(encoding="utf-8")
    assert kept.count("\n") == 2
    assert (token in kept) is (before != "captured")


def test_an_import_stores_no_secret_and_promotion_names_none(place: Place, tmp_path: Path) -> None:
    token, name = (f"ghp_{noise(36, ALNUM, what)}" for what in ("turn", "session"))
    text = f"We decided to use {token}, because the server needs it. From now on always use tabs."
    path = _transcript(tmp_path / f"{name}.jsonl", text, "Go on.")
    assert leaked([token, name], call("session", "import", path)) == []
    kept = [file.read_text(encoding="utf-8") for file in sessions_of(place.root).glob("*.jsonl")]
    assert any("From now on always use tabs" in text for text in kept)
    assert token not in "".join(kept)
    said = call("session", "promote", "--session", name, "--json")
    assert json.loads(said)["proposed"]
    assert leaked([token, name], said) == []
    assert leaked([token, name], call("session", "promote", "--session", name)) == []


def test_a_request_is_redacted_before_it_is_cut(place: Place, tmp_path: Path) -> None:
    token = f"ghp_{noise(36, ALNUM, 'cut')}"
    path = _transcript(tmp_path / "cut.jsonl", f"{'word ' * 36}{token}")
    settings = load(str(place.root), World(), PacketOptions()).settings._replace(capture="titles")
    capture(str(place.root), path, "cut", World(), settings, lambda: 60.0)
    kept = (sessions_of(place.root) / "cut.jsonl").read_text(encoding="utf-8")
    assert token[:12] not in kept
