"""Settings: precedence, origins, and a message for every mistake."""

import ntpath
import posixpath
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctx.app.options import PacketOptions
from ctx.app.workspace import Workspace
from ctx.config import (
    SETTINGS,
    Settings,
    alternatives,
    resolve,
    strays,
)
from ctx.errors import USAGE, CtxError, SettingsError, UsageError
from ctx.world import World

USER = "~/.config/ctx/config.toml"
PROJECT = ".context/config.toml"
NO_SECTIONS = (
    "unknown setting 'agent': settings have no sections"
    " (write them at the top, like: budget = 8000)"
)
DEFAULTS = "hard_share = 0.4 (default), conventions_share = 0.2 (default)"
NO_PATH = "is not a path, relative and with /, that ends in .md"
NO_DOCUMENTS = "is not a line of relative paths that end in .md, or none"


def _file(text: str) -> Settings:
    return resolve([(PROJECT, text)], {}, {}).settings


def _message(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        _file(text)
    assert caught.value.exit_code == USAGE
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- the table ----------------------------------------------------------------------------


def test_the_table_and_the_record_agree() -> None:
    assert tuple(setting.name for setting in SETTINGS) == Settings._fields


def test_every_setting_is_documented_in_one_line() -> None:
    for setting in SETTINGS:
        assert setting.help[0].isupper()
        assert not setting.help.endswith(".")
        assert "\n" not in setting.help + setting.kind.allowed


def test_every_default_is_allowed() -> None:
    for setting in SETTINGS:
        if setting.default != "":
            assert setting.kind.check(setting.default) == setting.default


# --- precedence ---------------------------------------------------------------------------


def test_every_origin_is_named() -> None:
    files = [(USER, "budget = 1\nstrict = true"), (PROJECT, "format = 'json'")]
    resolved = resolve(files, {"CTX_RANKER": "hybrid"}, {"max_file_mb": 3, "allow_links": False})
    assert resolved.settings == Settings(
        budget=1, strict=True, format="json", ranker="hybrid", max_file_mb=3
    )
    said = {name: origin for name, origin in resolved.origins.items() if origin != "default"}
    assert said == {
        "budget": USER, "strict": USER, "format": PROJECT, "ranker": "CTX_RANKER",
        "max_file_mb": "--max-file-mb", "allow_links": "--no-allow-links",
    }  # fmt: skip


_layer = st.dictionaries(
    st.sampled_from(["budget", "cooldown", "tail_turns", "max_file_mb"]), st.integers(1, 10**6)
)


@given(user=_layer, project=_layer, environment=_layer, flags=_layer)
def test_the_later_layer_wins(
    user: dict[str, int],
    project: dict[str, int],
    environment: dict[str, int],
    flags: dict[str, int],
) -> None:
    texts = [
        "".join(f"{name} = {value}\n" for name, value in one.items()) for one in (user, project)
    ]
    environ = {f"CTX_{name.upper()}": str(value) for name, value in environment.items()}
    resolved = resolve([(USER, texts[0]), (PROJECT, texts[1])], environ, flags)
    for name in Settings._fields:
        expected: tuple[object, str] = (Settings._field_defaults[name], "default")
        layers = ((user, USER), (project, PROJECT), (environment, f"CTX_{name.upper()}"))
        for layer, origin in (*layers, (flags, "--" + name.replace("_", "-"))):
            if name in layer:
                expected = (layer[name], origin)
        assert (getattr(resolved.settings, name), resolved.origins[name]) == expected


# --- files --------------------------------------------------------------------------------


def test_a_file_can_set_everything_that_it_may() -> None:
    settings = _file(
        'budget = 12_000\nformat = "json"\ntokenizer = "o200k"\nranker = "hybrid"\nstrict = true\n'
        'cooldown = "10m"\nhard_share = 0.5\ntasks_share = 0\nconventions_share = 0.25\n'
        'tail_share = 0.125\ntail_turns = 9\nauthored = "RULES.md, docs/STYLE.md"\n'
        "max_file_mb = 1\nallow_links = true\n"
    )
    assert settings == Settings(
        budget=12_000, format="json", tokenizer="o200k", ranker="hybrid", strict=True,
        cooldown=600, hard_share=0.5, tasks_share=0.0, conventions_share=0.25, tail_share=0.125,
        tail_turns=9, authored="RULES.md, docs/STYLE.md", max_file_mb=1, allow_links=True,
    )  # fmt: skip
    assert isinstance(settings.tasks_share, float)


def test_files_of_nothing_of_windows_and_with_quoted_keys_are_read() -> None:
    for text in ("", "\n", "# budget = 1", "\ufeff", "\ufeff# x\r\n", "  # x\n\t\n"):
        assert _file(text) == Settings()
    for text in ("\ufeffbudget = 5", "budget = 5\r\n# x\r\n", "'budget' = 5"):
        assert _file(text).budget == 5


def test_a_key_that_is_no_setting_is_refused() -> None:
    not_in_files = "cannot be set in a settings file"
    for text, message in (
        ("\nbugdet = 1", "2: unknown setting 'bugdet' (did you mean budget?)"),
        ("Max-File-MB = 1", "1: unknown setting 'Max-File-MB' (did you mean max_file_mb?)"),
        ("#\n[agent]\nbudget = 1", f"2: {NO_SECTIONS}"),
        ("agent.budget = 1", f"1: {NO_SECTIONS}"),
        ("budget.x = 1", "1: budget: a [section] is not a whole number of 0 or more"),
        ("strict = true\ndir = 'x'", f"2: dir {not_in_files} (use --dir or CTX_DIR)"),
        ("session = 's1'", f"1: session {not_in_files} (use --session or CTX_SESSION)"),
    ):
        assert _message(text) == f"{PROJECT}:{message}"
    message = _message("zzzzzzzz = 1")  # like no other: the list of all that it may be
    known = "(known are budget, max_budget, "
    assert message.startswith(f"{PROJECT}:1: unknown setting 'zzzzzzzz' {known}")
    assert "dir" not in message
    assert " session," not in message


COUNT = "is not a whole number of 0 or more"
DURATION = "is not a duration such as 600, 90s, 10m or 1h"
SHARE = "is not a number from 0 to 1"
REFUSED = (
    ("budget = -1", f"budget: -1 {COUNT}"),
    ("budget = true", f"budget: true {COUNT}"),
    ("budget = 8e3", f"budget: 8000.0 {COUNT}"),
    ("budget = '8000'", f"budget: '8000' {COUNT} (write it without the quotes)"),
    ("budget = 'much'", f"budget: 'much' {COUNT}"),
    ("budget = 2026-01-31", f"budget: 2026-01-31 {COUNT}"),
    ("max_file_mb = 0", "max_file_mb: 0 is not a whole number of 1 or more"),
    ("format = 'xml'", "format: 'xml' is not md or json"),
    ("format = ['md']", "format: ['md'] is not md or json"),
    ("strict = 1", "strict: 1 is not true or false"),
    ("strict = 'yes'", "strict: 'yes' is not true or false (write it without the quotes)"),
    ("tokenizer = ''", "tokenizer: '' is not a non-empty line of text"),
    ('ranker = "a\\u0000b"', "ranker: 'a\\x00b' is not a non-empty line of text"),
    ("cooldown = '1d'", f"cooldown: '1d' {DURATION}"),
    ("cooldown = true", f"cooldown: true {DURATION}"),
    ("hard_share = 1.01", f"hard_share: 1.01 {SHARE}"),
    ("scope_weight = nan", "scope_weight: nan is not a number"),
    ("scope_weight = true", "scope_weight: true is not a number"),
    ("hard_share = nan", f"hard_share: nan {SHARE}"),
    ("tail_turns = 4.0", "tail_turns: 4.0 is not a whole number of 1 or more"),
    ("authored = ''", f"authored: '' {NO_DOCUMENTS}"),
    ("authored = ['A.md']", f"authored: ['A.md'] {NO_DOCUMENTS}"),
    ('authored = "A.md\\u2028B.md"', f"authored: 'A.md\\u2028B.md' {NO_DOCUMENTS}"),
    ("authored = 'A.md,'", f"authored: '' in 'A.md,' {NO_PATH}"),
    ("authored = 'A.md, ../B.md'", f"authored: '../B.md' in 'A.md, ../B.md' {NO_PATH}"),
    ("authored = 'A.md|B.md, A.md'", "authored: 'A.md|B.md, A.md' names 'A.md' twice"),
)


def test_a_value_that_is_not_allowed_is_named() -> None:
    for line, message in REFUSED:
        assert _message(f"# first\n{line}\n") == f"{PROJECT}:2: {message}"


def test_a_long_value_is_quoted_in_part_and_named_by_its_fault() -> None:
    names = ", ".join(f"docs/{number}.md" for number in range(1000))
    for text, end in (
        (f"format = '{'x' * 10_000}'", "x… is not md or json"),
        (f"authored = '{names}, docs/7.md'", "… names 'docs/7.md' twice"),
    ):
        message = _message(text)
        assert message.endswith(end)
        assert len(message) < 150


def test_broken_toml_is_named_with_its_line() -> None:
    for text, line in (
        ("strict = true\nbudget =\n", ":2: "), ("budget = 1\nbudget = 2", ":2: "),
        ("strict = true\nranker = ['x',\n\n\n", ":2: "), ("budget = " + "9" * 5000, ":1: "),
        ("x = " + "[" * 100_000, ""),
    ):  # fmt: skip
        message = _message(text)
        assert message.startswith(f"{PROJECT}{line}")
        assert "not TOML: " in message
        assert message.endswith("(a line reads like: budget = 8000)")


def test_a_number_too_long_to_print_is_refused() -> None:
    assert (
        _message(f"format = 0x{'f' * 9000}")
        == f"{PROJECT}:1: format: a number of thousands of digits is not md or json"
    )


@given(st.text() | st.text("budget=format[].'\"\n#0\x00\ufeff "))
@example("[[budget]]")
@example('"" = 1')
@example('"\\ud7ff\\n" = 1')
def test_any_text_gives_settings_or_one_line(text: str) -> None:
    try:
        resolved = resolve([(PROJECT, text)], {}, {})
    except SettingsError as error:
        message = str(error)
    else:
        message = PROJECT
        assert set(resolved.origins.values()) <= {"default", PROJECT}
    assert message.startswith(PROJECT)
    assert "\n" not in message


# --- shares -------------------------------------------------------------------------------


def test_shares_may_not_pass_the_whole() -> None:
    two = f"tasks_share = 0.9 ({PROJECT}) and conventions_share = 0.2 (default)"
    for text, message in (
        ("tasks_share = 0.9", two),
        ("tail_share = 0.5", f"{DEFAULTS} and tail_share = 0.5 ({PROJECT})"),
    ):
        assert _message(text) == f"{message} are more than 1 together (lower one of them)"


def test_each_share_is_named_with_its_origin() -> None:
    files = [(USER, "conventions_share = 0.3"), (PROJECT, "tail_share = 0.3")]
    with pytest.raises(SettingsError) as caught:
        resolve(files, {"CTX_HARD_SHARE": "0.5"}, {})
    assert caught.value.message == (
        f"hard_share = 0.5 (CTX_HARD_SHARE), conventions_share = 0.3 ({USER})"
        f" and tail_share = 0.3 ({PROJECT}) are more than 1 together"
    )


def test_a_later_layer_can_mend_the_shares() -> None:
    resolved = resolve([(PROJECT, "tasks_share = 0.9")], {}, {"conventions_share": 0.1})
    assert resolved.settings.conventions_share == 0.1


_thousandths = st.integers(0, 1000)


@given(hard=_thousandths, conventions=_thousandths, tail=_thousandths)
@example(hard=200, conventions=684, tail=116)  # 0.2 + 0.684 + 0.116 is over 1 in binary
@example(hard=400, conventions=201, tail=400)
def test_the_shares_of_the_assembly_law_are_at_most_one(
    hard: int, conventions: int, tail: int
) -> None:
    flags = {
        "tasks_share": 0,
        "hard_share": hard / 1000,
        "conventions_share": conventions / 1000,
        "tail_share": tail / 1000,
    }
    if hard + conventions + tail <= 1000:
        assert resolve([], {}, flags).settings.tail_share == tail / 1000
    else:
        with pytest.raises(SettingsError, match="are more than 1 together"):
            resolve([], {}, flags)


# --- authored documents -------------------------------------------------------------------


def test_documents() -> None:
    lists: dict[str, tuple[tuple[str, ...], ...]] = {
        Settings().authored: (("AGENTS.md",), ("CLAUDE.md",)),
        "AGENTS.md|CLAUDE.md, docs/RULES.md": (("AGENTS.md", "CLAUDE.md"), ("docs/RULES.md",)),
        " A.MD ,\tb c/.d.Md | none.md ": (("A.MD",), ("b c/.d.Md", "none.md")),
        "A.md, a.md": (("A.md",), ("a.md",)),
        " none ": (),
    }
    for text, names in lists.items():
        settings = resolve([], {"CTX_AUTHORED": text}, {}).settings
        assert settings.authored == text
        assert alternatives(settings.authored) == names


def test_what_is_no_document_is_refused() -> None:
    faults = (
        "", " ", "A", "A.txt", "A.md.txt", "None", "none",
        "/A.md", "//host/A.md", "a//A.md", "a/", "A.md/",
        "..", "../A.md", "a/../A.md", "a/..md/../.md", "./A.md", "a/./A.md", "a/.. /A.md",
        "\\A.md", "a\\A.md", "..\\A.md", "C:A.md", "C:/A.md", "c:\\A.md",
    )  # fmt: skip
    forms = cycle(("{},B.md", "B.md, {}", "B.md|{}", "B.md, C.md | {} | D.md"))
    for name, form in zip(faults, forms, strict=False):
        text = form.format(name)
        with pytest.raises(UsageError) as caught:
            resolve([], {}, {"authored": text})
        assert str(caught.value) == f"--authored: {name.strip()!r} in {text!r} {NO_PATH}"


_part = st.from_regex(r"[ab.]{0,2}[ab]( [ab.]{0,2}[ab])?", fullmatch=True)
_document = st.lists(_part, min_size=1, max_size=3).map(lambda parts: "/".join(parts) + ".md")


@given(st.lists(st.lists(_document, min_size=1), min_size=1), st.data())
def test_documents_are_given_as_they_were_said(names: list[list[str]], data: st.DataObject) -> None:
    flat = [name for one in names for name in one]
    bar, comma = (data.draw(st.sampled_from([sign, f" {sign} "])) for sign in "|,")
    text = comma.join(bar.join(one) for one in names)
    if len(set(flat)) == len(flat):
        authored = resolve([], {}, {"authored": text}).settings.authored
        assert alternatives(authored) == tuple(map(tuple, names))
    else:
        with pytest.raises(UsageError, match="twice"):
            resolve([], {}, {"authored": text})


@given(st.text("aB./\\:|, \t\r\nmd") | st.text())
@example("a.md|a.md")
@example("\u2028.md")
def test_any_text_names_documents_below_the_project_or_is_refused(text: str) -> None:
    try:
        said = resolve([], {}, {"authored": text}).settings.authored
    except UsageError as error:
        said, message = "none", str(error)
    else:
        message = ""
    assert "\n" not in message
    names = [name for one in alternatives(said) for name in one]
    assert len(set(names)) == len(names)
    for name in names:
        assert posixpath.normpath(name) == name
        assert not ntpath.splitdrive(name)[0]
        assert not name.startswith(("/", "../"))


# --- variables ----------------------------------------------------------------------------


def test_a_variable_is_read_as_its_type() -> None:
    for name, text, value in (
        ("BUDGET", " 500 ", 500), ("FORMAT", "json", "json"), ("STRICT", "1", True),
        ("STRICT", "Off", False), ("COOLDOWN", "90s", 90), ("SUMMARY_SECONDS", "2m", 120),
        ("SUMMARISER", "command:llm -m 'a b'", "command:llm -m 'a b'"), ("HARD_SHARE", "0", 0.0),
        ("TAIL_SHARE", ".25", 0.25), ("TAIL_TURNS", "1", 1), ("AUTHORED", "none", "none"),
        ("MAX_FILE_MB", "2", 2), ("ALLOW_LINKS", "yes", True), ("DIR", "/a b/c", "/a b/c"),
        ("SESSION", "s1", "s1"),
    ):  # fmt: skip
        resolved = resolve([], {f"CTX_{name}": text}, {})
        assert getattr(resolved.settings, name.lower()) == value
        assert resolved.origins[name.lower()] == f"CTX_{name}"


def test_a_variable_that_is_not_allowed_is_named() -> None:
    for name, text, allowed in (
        ("BUDGET", "1.5", COUNT), ("BUDGET", " ", COUNT),
        ("STRICT", "maybe", "is not true or false"),
        ("HARD_SHARE", "nan", SHARE), ("HARD_SHARE", "40%", SHARE), ("COOLDOWN", "ten", DURATION),
        ("TAIL_TURNS", "0", "is not a whole number of 1 or more"), ("AUTHORED", " ", NO_DOCUMENTS),
        ("SUMMARISER", " ", "is not a non-empty line of text"), ("SUMMARY_SECONDS", "-1", DURATION),
        ("SESSION", "a\nb", "is not a non-empty line of text"),
    ):  # fmt: skip
        with pytest.raises(SettingsError) as caught:
            resolve([], {f"CTX_{name}": text}, {})
        assert str(caught.value) == f"CTX_{name}: {text!r} {allowed}"
        assert caught.value.exit_code == USAGE


def test_an_empty_variable_is_not_set() -> None:
    variables = {setting.variable: "" for setting in SETTINGS}
    assert resolve([(PROJECT, "budget = 3")], variables, {}).origins["budget"] == PROJECT


def test_unknown_variables_are_ignored_and_can_be_listed() -> None:
    environ = {"CTX_BUGDET": "x", "CTX_A": "", "CTX_NO_CACHE": "1", "CTX_BUDGET": "7", "PATH": ""}
    assert resolve([], environ, {}).settings == Settings(budget=7)
    assert strays(environ) == ("CTX_A", "CTX_BUGDET")
    assert strays(dict.fromkeys(("CTX_EMBEDDER_KEY", "CTX_SUMMARISER_KEY"), "k")) == ()


# --- flags --------------------------------------------------------------------------------


def test_a_flag_is_taken_typed_or_as_text() -> None:
    for budget, strict in ((5, True), ("5", "true")):
        settings = resolve([], {}, {"budget": budget, "strict": strict, "dir": None}).settings
        assert settings == Settings(budget=5, strict=True)


def test_a_flag_that_is_not_allowed_is_named() -> None:
    for name, value, message in (
        ("budget", -1, f"--budget: -1 {COUNT}"),
        ("budget", "lots", f"--budget: 'lots' {COUNT}"),
        ("max_file_mb", 0, "--max-file-mb: 0 is not a whole number of 1 or more"),
        ("dir", "", "--dir: '' is not a non-empty line of text"),
        ("format", "xml", "--format: 'xml' is not md or json"),
    ):
        with pytest.raises(UsageError) as caught:
            resolve([], {}, {name: value})
        assert str(caught.value) == message
        assert caught.value.exit_code == USAGE


def test_a_flag_that_is_no_setting_is_a_bug() -> None:
    with pytest.raises(KeyError):
        resolve([], {}, {"bugdet": 1})


# --- durations ----------------------------------------------------------------------------


def _seconds(text: str) -> int:
    return resolve([], {}, {"cooldown": text}).settings.cooldown


def test_durations() -> None:
    durations = {"600": 600, "90s": 90, "10m": 600, "1h": 3600, "0": 0, " 5m ": 300}
    assert {text: _seconds(text) for text in durations} == durations
    for text in ("", "m", "-5", "1.5h", "5 m", "1d", "10M", "٣m", "1h30m"):
        with pytest.raises(UsageError) as caught:
            _seconds(text)
        assert str(caught.value) == f"--cooldown: {text!r} {DURATION}"


@given(st.text())
@example("9" * 5000)
def test_any_text_is_a_duration_or_one_line(text: str) -> None:
    try:
        said = str(_seconds(text))
    except CtxError as error:
        said = str(error)
    assert "\n" not in said


# --- start-up -----------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "loaded"), [("# budget = 1", "False"), ("budget = 1", "True")])
def test_the_parser_is_loaded_only_for_a_file_that_says_something(text: str, loaded: str) -> None:
    program = (
        "import sys; from ctx.config import resolve\n"
        f"resolve([('x', {text!r})], {{'CTX_COOLDOWN': '5m'}}, {{}})\n"
        "assert not {'dataclasses', 'pathlib', 'difflib', 'typer', 'tempfile'} & set(sys.modules)\n"
        "print('tomllib' in sys.modules)"
    )
    # Without `site`, which may load anything.
    command = [sys.executable, "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == loaded


def test_a_request_has_the_settings(tmp_path: Path) -> None:
    root = tmp_path / ".context"
    root.mkdir()
    world = World()
    world.environ, world.home = {"CTX_NO_CACHE": "1"}, "/-"
    assert Workspace(PacketOptions(), world, root=str(root)).request().settings == Settings()
    (root / "config.toml").write_text("scope_weight = 3\n")
    settings = Workspace(PacketOptions(), world, root=str(root)).request().settings
    assert settings == Settings(scope_weight=3)
