"""Tab in the shells that are here, typed in a terminal; and what is behind it, everywhere."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.cli import completing, shell
from ctx.cli.completing import FILE, Asked, Value, few, names, offered, source_of, stored
from ctx.cli.shell import line
from ctx.cli.shell.line import Typed
from ctx.errors import CtxError, UsageError
from ctx.model import KINDS
from ctx.world import World
from scripts import generate
from tests.cli.shells import COMPLETIONS, SHELLS, Shell, desk
from tests.forked import Ran, forked
from tests.imported import sessions_of
from tests.test_transcripts import Place, prepare

posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX terminal")
each_shell = pytest.mark.parametrize("shell_", SHELLS.values(), ids=SHELLS)

EVIL = (
    "evil $(touch pwned) `touch pwned`;a'b\"c!d:e \\$(touch pwned) "
    "{x,y} *?[z] %F{red} é #h ~ & | > < \\"
)
"""All that a shell takes for more than a letter."""
TITLE = (
    "\\$(touch pwned) \\\\$(touch pwned) 'x'$(touch pwned)'y'\n"
    "%{red\x1b]0;evil\x07 \u202e:: `touch pwned`"
)


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process keep things where the shells of a ``Place`` do."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name)


def _stored(root: Path, session: str, *texts: str) -> None:
    lines = (
        {"id": f"t{at}", "session": session, "role": "user", "text": text}
        for at, text in enumerate(texts)
    )
    (sessions_of(root / ".context") / "more.jsonl").write_text(
        "".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8"
    )


def _is_here(shell_: Shell) -> None:
    if not shell_.is_here:
        pytest.skip(f"{shell_.name} is not installed")


# --- typed in a terminal ------------------------------------------------------------------


@posix
@each_shell
def test_tab_completes(shell_: Shell, tmp_path: Path) -> None:
    _is_here(shell_)
    typed = desk(tmp_path).typed(
        shell_, "ctx stat\t", "ctx session show fi\t", "ctx search x --kind dec\t",
        "ctx search x --kind=dec\t", "ctx search x --kind rule,dec\t", "ctx agent --rank\tlex\t",
        "ctx agent --session 'fi\t", "ctx tiers AGE\t", "ctx agent --dir .con\t", "ctx zzz\t",
    )  # fmt: skip
    given_ = [[one.rstrip("/") for one in arguments] for arguments in typed]
    assert given_ == [
        ["status"], ["session", "show", "fix-login"], ["search", "x", "--kind", "decision"],
        ["search", "x", "--kind=decision"], ["search", "x", "--kind", "rule,decision"],
        ["agent", "--ranker", "lexical"], ["agent", "--session", "fix-login"],
        ["tiers", "AGENTS.md"], ["agent", "--dir", ".context"], ["zzz"],
    ]  # fmt: skip


@posix
@each_shell
def test_whatever_an_id_holds_is_one_argument(shell_: Shell, tmp_path: Path) -> None:
    _is_here(shell_)
    place = desk(tmp_path)
    _stored(place.cwd, EVIL, "x")
    typed = [f"ctx session show {word}\t" for word in ("ev", "'ev", '"ev', "evil\\ ")]
    given_ = place.typed(shell_, *typed, "ctx session status --session=ev\t")
    assert [one[-1].removeprefix("--session=") for one in given_] == [EVIL] * 5
    assert not list(tmp_path.rglob("pwned"))
    _stored(place.cwd, "app:fix:login", "x")
    whole = place.typed(shell_, "ctx session show app:fi\t", "ctx session show ap\t")[5:]
    assert whole == [["session", "show", "app:fix:login"]] * 2


@posix
@each_shell
def test_what_a_text_says_is_shown_and_not_run(shell_: Shell, tmp_path: Path) -> None:
    _is_here(shell_)
    place = desk(tmp_path)
    _stored(place.cwd, "more", f"{TITLE} 0", f"{TITLE} 1")
    shown = place.shown(shell_, "ctx session show more --turn t\t\t", "")
    assert not list(tmp_path.rglob("pwned"))
    assert "\x1b]0;evil" not in shown
    assert "\u202e" not in shown
    told = r"\$(touch pwned) \\$(touch pwned) 'x'$(touch pwned)'y' %{red ]0;evil :: `touch pwned`"
    assert (told[:50] in shown) == (shell_.name != "bash")  # which shows no descriptions


@posix
@each_shell
def test_ids_of_entries_complete(shell_: Shell, tmp_path: Path) -> None:
    """In a directory whose file names and titles are programs to a careless shell."""
    _is_here(shell_)
    place = desk(tmp_path)
    folder = place.cwd / ".context" / "decisions"
    folder.mkdir()
    name = "$(touch pwned) `touch pwned`;a'b\"c!d:e{x,y}"
    for day in ("01", "02"):
        (folder / f"{name} {day}.md").write_text(
            f"# Decisions\n\n## [2026-01-{day}] $(touch pwned) `touch pwned`\n\n**Decision**: x\n"
        )
    given_ = place.typed(
        shell_, "ctx show DECISIONS.md#2026-01-2\t", "ctx show decis\t1\t",
        "ctx add learning x --supersedes LEARNINGS.md#time\t", "ctx hook run cla\tSess\t",
    )  # fmt: skip
    assert given_ == [
        ["show", "DECISIONS.md#2026-01-20-101500"],
        ["show", f"decisions/{name} 01.md#2026-01-01"],
        ["add", "learning", "x", "--supersedes", "LEARNINGS.md#time-zones-of-the-warehouse"],
        ["hook", "run", "claude", "SessionStart"],
    ]
    assert not list(tmp_path.rglob("pwned"))


@posix
@each_shell
def test_without_a_directory_tab_is_silent(shell_: Shell, tmp_path: Path) -> None:
    _is_here(shell_)
    place = desk(tmp_path, "empty")
    shown = place.shown(
        shell_, "ctx session show fi\t", "ctx agent --ranker lex\t", "ctx plan --pl\t"
    )
    given_ = [json.loads(one) for one in place.record.read_text().splitlines()]
    assert given_ == [
        ["session", "show", "fi"], ["agent", "--ranker", "lexical"], ["plan", "--planner"],
    ]  # fmt: skip
    assert "ctx:" not in shown
    assert "Traceback" not in shown


@posix
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_is_given_what_replaces_its_word(tmp_path: Path) -> None:
    """Without a terminal: the function, called as bash calls it."""
    place = prepare(tmp_path, "webshop")
    _stored(place.cwd, "a:b c", "x")
    for typed, word, offered_ in (
        ("ctx ses", "ses", ["session"]), ("ctx session show a:", "", ["b\\ c"]),
        ("ctx session show 'a:", "a:", ["a:b c"]), ("ctx session show zz", "zz", []),
        ("ctx agent --format=", "", ["md", "json"]), ("ctx", "ctx", []),
    ):  # fmt: skip
        assert _bash(place, typed, word) == offered_, typed


def _bash(place: Place, typed: str, word: str) -> list[str]:
    program = (
        'source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _ctx_completion ctx "$3";'
        ' printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", program, "bash", f"{COMPLETIONS}/ctx.bash", typed, word],
        cwd=place.cwd, env=place.environ, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.splitlines() if done.stdout.strip() else []


@pytest.mark.skipif(shutil.which("pwsh") is None, reason="PowerShell is not installed")
def test_powershell_completes(tmp_path: Path) -> None:
    place = prepare(tmp_path, "webshop")
    _stored(place.cwd, EVIL, "x")
    program = (
        f". '{COMPLETIONS}/ctx.ps1'; foreach ($line in 'ctx session show fi',"
        " 'ctx session show ev') { (TabExpansion2 $line $line.Length).CompletionMatches"
        " | ForEach-Object CompletionText }"
    )
    done = subprocess.run(
        ["pwsh", "-NoProfile", "-Command", program],
        cwd=place.cwd, env=place.environ, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["fix-login", "'" + EVIL.replace("'", "''") + "'"]


# --- the scripts --------------------------------------------------------------------------


def test_the_scripts_are_well_formed() -> None:
    for name, file in shell.SCRIPTS.items():
        assert f"complete_{name}" in shell.script(name)
        if shutil.which(name):
            command = [name, "-n", str(COMPLETIONS / file)]
            done = subprocess.run(command, check=False, capture_output=True)
            assert (done.returncode, done.stderr) == (0, b"")
    assert shell.script("zsh").startswith("#compdef ctx\n")


def test_the_script_for_powershell_is_well_formed() -> None:
    """PowerShell itself is seldom there: brackets, quotes, and what it asks of the program."""
    text = shell.script("powershell")
    code = re.sub(r"#.*", "", re.sub(r"'[^'\n]*'|\"[^\"\n]*\"", "''", text))
    open_ = []
    for char in code:
        if char in "([{":
            open_.append(char)
        elif char in ")]}":
            assert open_.pop() + char in ("()", "[]", "{}")
    assert not open_
    assert code.count("'") % 2 == 0
    assert "`t" in text  # a tab, as shell.as_powershell writes it
    assert text.isascii()  # Windows PowerShell reads files without a mark in an old encoding


@posix
def test_typer_gives_these_scripts_too(tmp_path: Path) -> None:
    place = prepare(tmp_path, "empty")
    environ = {**place.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = forked(["--show-completion", "fish"], place.cwd, environ).out.decode()
    assert forked(["--install-completion", "fish"], place.cwd, environ).code == 0
    installed = (tmp_path / "home" / ".config/fish/completions/ctx.fish").read_text("utf-8")
    assert shown.strip() == installed.strip() == shell.script("fish").strip()


@pytest.mark.parametrize("name", [None, "tcsh"])
def test_no_known_shell_is_an_error_with_a_way_out(
    name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: name)
    with pytest.raises(UsageError, match="not called from bash, zsh, fish or PowerShell"):
        shell.teach()


# --- the protocol -------------------------------------------------------------------------


def _ask(place: Place, name: str, *arguments: str, **variables: str) -> Ran:
    environ = {**place.environ, "_CTX_COMPLETE": f"complete_{name}", **variables}
    return forked(arguments, place.cwd, environ)


@posix
def test_powershell_is_answered_in_three_columns(tmp_path: Path) -> None:
    place = prepare(tmp_path, "webshop")
    _stored(place.cwd, "it's $(a) `b`", "x")
    words = json.dumps(["session", "show", ""])
    ran = _ask(place, "powershell", _CTX_WORDS=words)
    assert ran.code == 0
    rows = sorted(row.split("\t") for row in ran.out.decode().splitlines())
    assert rows == [
        ["'it''s $(a) `b`'", "it's $(a) `b`", "more.jsonl"],
        ["fix-login", "fix-login", "fix-login.jsonl"],
    ]


@posix
def test_nothing_that_goes_wrong_is_told_but_to_who_debugs(tmp_path: Path) -> None:
    empty = prepare(tmp_path / "a", "empty")
    for name, variables in (
        ("bash", {}), ("bash", {"_CTX_LINE": "ctx"}), ("fish", {}), ("powershell", {}),
        ("powershell", {"_CTX_WORDS": "{"}), ("powershell", {"_CTX_WORDS": "[]"}),
    ):  # fmt: skip
        ran = _ask(empty, name, "agent", "--nonsense", "--ranker=x", **variables)
        assert ran == Ran(b"", "", 0)
    told = _ask(empty, "zsh", "session", "show", "", CTX_DEBUG="1")
    assert told.code == 4
    assert told.err.startswith("ctx: no .context/ in ")
    place = prepare(tmp_path / "b", "webshop")
    (place.cwd / ".context" / "config.toml").write_text("budgets = 3\n")
    for arguments in (
        ["session", "show", ""], ["session", "expand", ""],
        ["agent", "--dir", "/no", "--session", ""],
    ):  # fmt: skip
        ran = _ask(place, "zsh", *arguments)
        assert (ran.code, ran.err) == (0, "")


@posix
def test_files_are_left_to_the_shell(tmp_path: Path) -> None:
    place = prepare(tmp_path, "webshop")
    assert _ask(place, "zsh", "tiers", "").code == shell.FILES
    assert _ask(place, "zsh", "agent", "--tokenizer", "my/").code == shell.FILES
    known = _ask(place, "zsh", "agent", "--tokenizer", "heu")
    assert (known.code, known.out) == (0, b"heuristic:needs no library\n")
    assert _ask(place, "zsh", "agent", "--query", "").code == 0
    assert _ask(place, "zsh", "--version").out == b"--version:Print the version and exit.\n"
    assert _ask(place, "zsh", "agent").out.startswith(b"agent:")


@pytest.mark.parametrize("instruction", ["", "complete_csh", "say_bash", "source"])
def test_an_unknown_instruction_is_a_usage_error(instruction: str) -> None:
    with pytest.raises(UsageError, match="_CTX_COMPLETE"):
        shell.run(instruction, [], World())


# --- reading lines ------------------------------------------------------------------------


LINES = (
    ("ctx ", "", Typed((), "")),
    ("ctx show DEC", "DEC", Typed(("show",), "DEC")),
    ("ctx  a\tb ", "", Typed(("a", "b"), "")),
    ("ctx show a:b:c", "c", Typed(("show",), "a:b:c", 4)),
    ("ctx --kind=de", "de", Typed((), "--kind=de", 7)),
    ("ctx 'a b' 'c d", "c d", Typed(("a b",), "c d", 0, "'")),
    ('ctx x"a b', "a b", Typed((), "xa b", 1, '"')),
    ("ctx a\\ b", "a\\ b", Typed((), "a b")),
    ("ctx a'b c'd:e", "e", Typed((), "ab cd:e", 6)),
    ('ctx "a\\"b\\c\\$" x', "x", Typed(('a"b\\c$',), "x")),
    ("ctx 'a\\' x", "x", Typed(("a\\",), "x")),
    ("ctx '' x", "x", Typed(("",), "x")),
    ("ctx a\\\nb", "b", Typed((), "ab", 1)),
    ("ctx \\", "\\", Typed((), "\\")),
)


def test_lines_of_bash() -> None:
    for text, word, typed in LINES:
        assert line.bash((), {"_CTX_LINE": text, "_CTX_WORD": word}) == typed


def test_words_of_fish_and_powershell() -> None:
    for token, word, quote in (
        ("", "", ""), ("a\\ b", "a b", ""), ("'a b", "a b", "'"), ("'it\\'s\\\\", "it's\\", "'"),
        ('"a\\$\\"', 'a$"', '"'), ("'a'b", "ab", ""), ("'a\\b'", "a\\b", ""),
    ):  # fmt: skip
        typed = line.fish(("show",), {"_CTX_WORD": token})
        assert typed == Typed(("show",), word, quote=quote)
    for given_, word in (("'a b", "a b"), ("'a'", "a"), ('"a', "a"), ("a'", "a'")):
        words = json.dumps(["x", given_])
        assert line.powershell((), {"_CTX_WORDS": words}) == Typed(("x",), word)


# --- writing words ------------------------------------------------------------------------


@given(st.text(st.characters(exclude_categories=("C", "Zl", "Zp")), min_size=1), st.data())
def test_bash_reads_its_quoted_word_as_the_value(value: str, data: st.DataObject) -> None:
    """What is put behind what is typed is that value again, however its quote is open."""
    kept = data.draw(st.integers(0, len(value) - 1))
    quote = data.draw(st.sampled_from(["", "'", '"']))
    before = shell.as_bash(Value(value[:kept]), Typed((), "")) if kept else ""
    said = shell.as_bash(Value(value), Typed((), value[:kept], kept, quote))
    read = line.bash((), {"_CTX_LINE": f"ctx {before}{quote}{said}{quote} ", "_CTX_WORD": ""})
    assert read.before == (value,)


def test_words_for_bash() -> None:
    for value, typed, said in (
        ("#a", Typed((), ""), "\\#a"), ("x#a", Typed((), ""), "x#a"),
        ("a$b", Typed((), "", 0, '"'), "a\\$b"), ("a!b", Typed((), "", 0, '"'), "a\"'!'\"b"),
        ("a'b", Typed((), "", 0, "'"), "a'\\''b"), ("x:y z", Typed((), "x:", 2), "y\\ z"),
    ):  # fmt: skip
        assert shell.as_bash(Value(value, "never shown"), typed) == said


def test_words_for_the_others() -> None:
    bare = Typed((), "")
    assert shell.as_zsh(Value("a:b\\", "c:d\\"), bare) == "a\\:b\\\\:c:d\\\\"
    assert shell.as_zsh(Value("a"), bare) == "a"
    assert shell.as_fish(Value("a b", "c"), bare) == "a b\tc"
    assert shell.as_fish(Value("a b"), bare) == "a b"
    assert shell.as_powershell(Value("A.md#x-1", "t"), bare) == "A.md#x-1\tA.md#x-1\tt"
    assert shell.as_powershell(Value("--json"), bare) == "--json\t--json\t--json"
    assert shell.as_powershell(Value("a’b,c"), bare) == "'a’’b,c'\ta’b,c\ta’b,c"
    assert shell.as_powershell(Value("a;b"), bare).startswith("'a;b'\t")


# --- values -------------------------------------------------------------------------------


def _asked(monkeypatch: pytest.MonkeyPatch, cwd: Path, word: str = "", **given_: str) -> Asked:
    monkeypatch.chdir(cwd)
    monkeypatch.setenv("HOME", str(cwd.parent / "home"))
    return Asked({**given_}, word, World())


def _values(found: Iterable[Value]) -> list[str]:
    return [one.value for one in found]


def test_entries_come_newest_first_and_turns_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = prepare(tmp_path, "webshop")
    asked = _asked(monkeypatch, place.cwd)
    decisions = [one for one in _values(stored.entries(asked)) if one.startswith("DECISIONS")]
    assert decisions[0] == "DECISIONS.md#2026-01-20-101500"
    assert decisions == sorted(decisions, reverse=True)
    assert not [one for one in _values(stored.entries(asked)) if one.startswith("sessions/")]
    turns = offered("stored.entries", asked._replace(word="sessions/"))
    assert len(turns) == 6
    assert all(one.value.startswith("sessions/fix-login") for one in turns)


def test_of_entries_those_are_offered_that_a_command_can_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = prepare(tmp_path, "webshop")
    asked = _asked(monkeypatch, place.cwd)
    found = _values(stored.replaceable(asked))
    assert "DECISIONS.md#2025-11-28-110000" in found
    assert "DECISIONS.md#2025-06-02-100000" not in found  # superseded
    assert {one.partition(".")[0] for one in found} == {"DECISIONS", "LEARNINGS"}
    (place.cwd / ".context" / "TASKS.md").write_text(
        "# Tasks\n\n## Now\n\n- [ ] one\n- [x] two\n- [-] three #skipped\n- [ ] four #blocked\n"
    )
    assert [one.help for one in stored.open_tasks(asked)] == ["one", "four"]
    elsewhere = _asked(monkeypatch, tmp_path / "empty", dir_=str(tmp_path / "webshop"))
    assert _values(stored.sessions(elsewhere)) == ["fix-login"]


@posix
def test_summaries_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = prepare(tmp_path, "webshop")
    for arguments in (["import", "../transcripts/refunds.jsonl"], ["compact"]):
        assert forked(["session", *arguments], place.cwd, place.environ).code == 0
    found = list(stored.summaries(_asked(monkeypatch, place.cwd)))
    assert all(re.fullmatch(r"s1-[0-9a-f]{12}", one.value) for one in found)
    assert found
    assert all(one.help for one in found)


def test_values_that_a_line_cannot_hold_are_left_out_and_descriptions_are_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odd = ["a\nb", "a\tb", "a\x1b", "-a", "a\udcff", "a\u202e", "good", "good"]
    monkeypatch.setattr(names, "tokenizers", lambda _: [*map(Value, odd), FILE])
    assert offered("names.tokenizers", Asked({}, "", World())) == [Value("good"), FILE]
    assert offered("names.tokenizers", Asked({}, "go", World())) == [Value("good"), FILE]
    long = Value("a", "x\n\x1b[1m  y\u202e " + "z" * 99)
    monkeypatch.setattr(names, "tokenizers", lambda _: [long])
    (only,) = offered("names.tokenizers", Asked({}, "", World()))
    assert only.help.startswith("x [1m y zzz")
    assert only.help.endswith("z…")
    assert len(only.help) == completing.LONGEST


@given(st.lists(st.text("ab", min_size=8, max_size=8), unique=True, max_size=250))
def test_few_begin_with_no_more_than_all(values: Sequence[str]) -> None:
    found = few([Value(one) for one in values], most=5)
    kept = _values(found)
    assert kept == [one for one in values if one in kept]
    assert len(kept) == min(len(values), 5)
    for end in range(8):
        begun = {one[:end] for one in values}
        assert (len({one[:end] for one in kept}) == 1) == (len(begun) == 1)


def test_lines_are_completed_as_typer_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prepare(tmp_path, "webshop").cwd)

    def offered_(*arguments: str) -> list[str]:
        return _values(completing.complete(arguments[:-1], arguments[-1], World()))

    assert offered_("session", "show", "fix-login", "--turn", "") == ["6", "5", "4", "3", "2", "1"]
    assert offered_("session", "show", "--json", "fix-login", "--turn=") == [
        f"--turn={turn}" for turn in (6, 5, 4, 3, 2, 1)
    ]
    assert offered_("session", "ta") == ["tail"]
    assert offered_("list", "tasks", "--status", "blo") == ["blocked"]
    assert offered_("check", "--rule", "dead") == ["dead-link", "dead-glob"]
    assert offered_("task", "done", "TASKS.md#upg") == [
        "TASKS.md#upgrade-the-database-to-the-next-major-release"
    ]
    assert offered_("add", "decision", "x", "--supersedes", "LEARNINGS.md#time") == []
    assert offered_("session", "--nonsense=ta") == []
    assert offered_("agent", "--budget", "") == []
    assert offered_("agent", "--nonsense", "--rank") == ["--ranker"]
    assert offered_("search", "x", "--kind", "task", "--kind", "ta") == ["task"]


def test_a_source_that_is_late_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who gives up after 1.5 s keeps nothing of its work, and the next Tab begins again."""
    late = [Value("late")]
    monkeypatch.setattr(names, "tokenizers", lambda _: [] if Event().wait(2) else late)
    assert offered("names.tokenizers", Asked({}, "", World())) == late


def test_a_source_that_fails_offers_nothing_and_says_so_to_who_debugs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: Asked) -> list[Value]:
        raise ZeroDivisionError

    monkeypatch.setattr(names, "tokenizers", fail)
    monkeypatch.delenv("CTX_DEBUG", raising=False)
    assert shell.run("complete_zsh", ["agent", "--tokenizer", ""], World()) == 0
    monkeypatch.setenv("CTX_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        shell.run("complete_zsh", ["agent", "--tokenizer", ""], World())


def test_names_are_those_of_the_registries() -> None:
    from ctx.config.table import BY_NAME
    from ctx.rank import RANKERS
    from ctx.sessions.transcripts import FORMATS

    asked = Asked({}, "", World())
    assert _values(names.RANKERS) == ["auto", *RANKERS]
    assert _values(names.FINDERS) == ["lexical", "hybrid", "discovery"]
    for name in ("planner", "format"):
        for one in getattr(names, f"{name}s".upper()):
            assert BY_NAME[name].kind.check(one.value) == one.value
    assert _values(offered("ctx.sessions.transcripts.FORMATS", asked)) == [*FORMATS]
    assert _values(names.embedders(asked))[:2] == ["none", "static"]
    assert _values(names.kinds(asked._replace(word="task,tu")))[:2] == [
        "task,rule",
        "task,convention",
    ]


def test_names_of_the_newer_commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ctx.app.entries import kind_of
    from ctx.checks.rules import NAMES
    from ctx.hosts import NAMES as HOSTS

    asked = _asked(monkeypatch, prepare(tmp_path, "webshop").cwd)
    assert _values(offered("ctx.checks.rules.RULES", asked)) == list(NAMES)
    assert _values(offered("ctx.checks.types.Severity", asked)) == ["error", "warning"]
    assert _values(names.TOOLS) == [*HOSTS, "git"]
    assert {kind_of(one) for one in _values(names.LISTED) if one != "sessions"} == KINDS
    assert set(_values(offered("ctx.app.editing.HOMES", asked))) == {
        "decision", "learning", "task", "convention", "rule",
    }  # fmt: skip
    events = names.events(asked._replace(given={"tool": "claude"}))
    assert _values(events) == ["SessionStart", "UserPromptSubmit"]
    assert _values(names.events(asked._replace(given={"tool": "nobody"}))) == []
    assert _values(names.events(asked._replace(given={"tool": "git"}))) == ["post-commit"]
    phases = stored.phases(asked._replace(given={"kind": "task"}, word="Phase 2"))
    assert "Phase 2: Search" in _values(phases)
    learnings = stored.replaceable(asked._replace(given={"kind": "learning"}))
    assert {one.partition(".")[0] for one in _values(learnings)} == {"LEARNINGS"}
    assert "TASKS.md#remove-the-old-admin-theme" in _values(stored.other_tasks(asked))


def test_every_source_is_there() -> None:
    """What the table names can be called, with a context directory or without."""
    asked = Asked({"dir_": "/nowhere"}, "", World())
    for source in {*completing._OF_OPTIONS.values(), *completing._of_commands().values()} - {""}:
        with suppress(CtxError):
            assert bool(offered(source, asked)) == (source not in NEEDS_MORE), source
            continue
        assert source in NEEDS_MORE


NEEDS_MORE = {
    "stored.entries", "stored.open_tasks", "stored.other_tasks", "stored.phases",
    "stored.replaceable", "stored.sessions", "stored.summaries", "stored.turns", "names.events",
}  # fmt: skip
"""Sources that offer nothing without a context directory, or without a tool."""


def test_every_row_of_the_table_is_for_a_parameter() -> None:
    there = {
        (command.name.removeprefix("ctx").strip(), name)
        for command in generate.commands()
        for param in command.params
        for name in param.names
    }
    assert completing._of_commands().keys() <= there
    assert completing._OF_OPTIONS.keys() <= {name for _, name in there}


def test_every_value_is_offered_or_free() -> None:
    """A new option is either completed, or named here as free text."""
    seen = set()
    for command in generate.commands():
        path = command.name.removeprefix("ctx").strip()
        for param in command.params:
            if param.takes_value and not source_of(path, param.names):
                seen.add((path, param.names[0]))
    assert {name for _, name in seen} <= FREE, sorted(seen)


FREE = {
    "--alias", "--application", "--as-of", "--branch", "--budget", "--chars", "--commit",
    "--consequence", "--context", "--context-length", "--cooldown", "--deadline", "--decision",
    "--lesson", "--limit", "--min-relevance", "--older-than", "--port", "--query", "--rationale",
    "--repo", "--since", "--size", "--threshold-tokens", "--tool", "--used-tokens", "address",
    "port", "query", "repository", "title", "what", "who",
}  # fmt: skip
"""Parameters whose values nobody can know: figures, days, text."""
