"""``plain`` reads the calls of hooks without typer: whatever it reads, typer reads alike."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.main import get_command

from ctx.app.options import BY_NAME, PacketOptions, plain
from ctx.cli import agent, app
from ctx.errors import UsageError

OPTIONS = sorted(BY_NAME)
TAKE_VALUES = {name for name, option in BY_NAME.items() if option.metavar}
SWITCHES = BY_NAME.keys() - TAKE_VALUES
VALUES = (
    "", "-", " a ", "8000", "0", "-5", "md", "json", "a b", "--", "--strict", "=", "a=b", "決済",
    "-q", "\n", "*", "--budget=7", "true", "@file", "'", '"', "\\",
)  # fmt: skip
STRAYS = (
    "--help", "-h", "--", "-", "extra", "--no-strict", "--budg", "--strict=1", "--explain=no",
    "--x", "--as_of", "-V", "",
)  # fmt: skip
OFF: Mapping[str, object] = dict.fromkeys(
    ("allow_overshoot", "delta", "explain", "hash_ids", "log_json", "resume"), False
)
"""What typer says of a switch that is not given, where plain says nothing."""

_NAME, _VALUE = st.sampled_from(OPTIONS), st.sampled_from(VALUES)
_SWITCH = st.sampled_from(sorted(SWITCHES)).map(lambda name: [f"--{name}"])
_GIVEN = st.one_of(
    st.builds(lambda name, value: [f"--{name}", value], _NAME, _VALUE),
    st.builds(lambda name, value: [f"--{name}={value}"], _NAME, _VALUE),
    _SWITCH,
    _SWITCH,
    st.sampled_from(STRAYS).map(lambda stray: [stray]),
    st.text(max_size=12).map(lambda text: [text]),
)
CALLS = st.lists(_GIVEN, max_size=5).map(lambda parts: [one for part in parts for one in part])


def _plainly(arguments: list[str]) -> PacketOptions | None:
    """Return the options of a plain call; None where typer must look."""
    read = plain(arguments)
    return PacketOptions(**read[1]) if read and not read[0] else None


def _by_typer(arguments: list[str]) -> PacketOptions | None:
    """Return the options that typer hands on; None where it refuses the call."""
    handed: list[PacketOptions] = []

    def _record(options: PacketOptions, _world: object) -> int:
        handed.append(options)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent, "run", _record)
        try:
            app.run(["agent", *arguments])
        except UsageError:
            return None
    return handed[0] if handed else None


def _said(options: PacketOptions | None) -> dict[str, object]:
    """Drop what says nothing: options that are not given."""
    return {
        name: value
        for name, value in (options.given() if options else {"refused": True}).items()
        if OFF.get(name) is not value
    }


@given(arguments=CALLS)
@example(arguments=["--budget", "1", "--budget=2", "--strict", "--strict"])
@example(arguments=["--query", "-"])
@example(arguments=["--query", "--strict"])
@example(arguments=["--query", ""])
@example(arguments=["--query="])
@example(arguments=["--query=a=b"])
@example(arguments=["--budget", "-5"])
@example(arguments=["--focus", "a", "--budget", "1", "--focus=b", "--focus", "a"])
@example(arguments=["--focus="])
@example(arguments=["--focus", ""])
@example(arguments=["--focus", "-"])
@example(arguments=["--delta", "--log-json", "--delta", "--hash-ids", "--allow-overshoot"])
def test_what_plain_reads_typer_reads_alike(arguments: list[str]) -> None:
    plainly = _plainly(arguments)
    if plainly is None:
        return  # left to typer
    by_typer = _by_typer(arguments)
    assert by_typer is not None
    assert _said(plainly) == _said(by_typer)


def test_every_value_of_every_option_is_read_alike() -> None:
    read = 0
    for value in VALUES:
        joined = [f"--{name}={value}" for name in sorted(TAKE_VALUES)]
        parted = [word for name in sorted(TAKE_VALUES) for word in (f"--{name}", value)]
        for arguments in (joined, parted):
            plainly = _plainly(arguments)
            if plainly is not None:
                assert _said(plainly) == _said(_by_typer(arguments))
                read += 1
    assert read > len(VALUES)


def test_what_hooks_write_is_read_without_typer() -> None:
    for arguments in (
        "", "--budget 8000", "--budget=8000 --format json --strict --explain",
        "--query - --session s --cooldown 10m",
        "--dir . --as-of=2026-02-01 --tokenizer o200k --ranker brackets",
        "--session s --delta --planner acs --focus git --focus=a.py",
        "--context-length 200000 --used-tokens=9 --threshold-tokens 1 --log-json",
    ):  # fmt: skip
        assert _plainly(arguments.split()) is not None


def test_of_what_is_given_again_the_last_counts_and_every_file_in_focus() -> None:
    given = ["--focus", "a", "--budget", "1", "--focus=b", "--budget=2", "--focus", "a"]
    options = _plainly(given)
    assert options is not None
    assert options.given() == {"focus": ["a", "b", "a"], "budget": "2"}


def test_what_is_not_plain_is_left_to_typer() -> None:
    for stray in STRAYS:
        assert _plainly([stray]) is _plainly(["--budget", "1", stray]) is None
    for name in TAKE_VALUES:
        assert _plainly([f"--{name}"]) is _plainly([f"--{name}", "--strict"]) is None


def test_plain_knows_exactly_the_options_of_the_command() -> None:
    command = get_command(app.app).commands["agent"]  # type: ignore[attr-defined]
    values: set[str] = set()
    switches: set[str] = set()
    for option in command.params:
        if "--help" in option.opts:
            continue
        (switches if option.is_flag else values).update(name[2:] for name in option.opts)
    assert values == TAKE_VALUES
    assert switches == SWITCHES


def test_the_command_hands_every_option_on() -> None:
    parameters = {name.rstrip("_") for name in inspect.signature(app.agent).parameters}
    assert parameters == {option.key for option in BY_NAME.values()}
