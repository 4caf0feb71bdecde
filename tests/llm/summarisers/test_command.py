"""Programs that write summaries, and every way in which they fail."""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from ctx.llm.summarisers import writer
from ctx.model import Prompt, SummaryError, Writer
from tests.hostile import HANGS

Make = Callable[..., Writer]

KEY = "sk-never-shown-0123456789"
TEXT = "a secret that no message may hold"
PROMPT = Prompt("Say it in short.", f"user: {TEXT}", 50)
SOON = 0.3
"""Seconds that a program may take that never ends."""
ENOUGH = float(HANGS)
posix = pytest.mark.skipif(sys.platform == "win32", reason="processes of POSIX")


@pytest.fixture
def program(tmp_path: Path) -> Make:
    def make(
        source: str, *arguments: str, seconds: float = ENOUGH, environ: dict[str, str] | None = None
    ) -> Writer:
        path = tmp_path / "program.py"
        path.write_text(source, encoding="utf-8")
        command = " ".join(f'"{word}"' for word in (sys.executable, str(path), *arguments))
        made = writer(f"command:{command}", {**os.environ, **(environ or {})}, seconds)
        assert made is not None
        return made

    return make


def fault(made: Writer, prompt: Prompt = PROMPT) -> str:
    """Return the message of the error that asking ends in, in time and without secrets."""
    with pytest.raises(SummaryError) as caught:
        made.ask(prompt)
    everything = "".join(traceback.format_exception(caught.value))
    assert KEY not in everything
    assert TEXT not in everything
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert message.startswith(f"{made.name}: ")
    return message.removeprefix(f"{made.name}: ")


# --- what is given and taken ------------------------------------------------------------


def test_a_program_reads_the_prompt_and_writes_the_summary(program: Make) -> None:
    echo = program("import sys; data = sys.stdin.buffer.read(); print(repr(data))")
    said = echo.ask(Prompt("Say it — short.", "user: 決済\nassistant: ok", 50))
    expected = "Say it — short.\n\nuser: 決済\nassistant: ok\n".encode()
    assert (said.text, said.mean_logprob) == (repr(expected), None)


def test_the_name_is_that_of_the_program_without_its_arguments(program: Make) -> None:
    made = program("", "--key", KEY)
    assert made.name == f"command:{os.path.basename(sys.executable)}"
    assert KEY not in f"{made!r}"


def test_arguments_are_passed_as_they_are(program: Make) -> None:
    shown = program("import sys; print(sys.argv[1:])", "two words", "$HOME", "*", ";", "#")
    assert shown.ask(PROMPT).text == "['two words', '$HOME', '*', ';', '#']"


def test_much_goes_in_and_out_at_the_same_time(program: Make) -> None:
    both = program(
        "import sys\nfor line in sys.stdin:\n    sys.stdout.write(line); sys.stderr.write(line)\n"
    )
    material = "\n".join(f"line {number} of what was said" for number in range(25_000))
    assert both.ask(Prompt("", material, 9)).text == material


@pytest.mark.parametrize(
    "source",
    [
        "print('done')",
        "import sys; sys.stdin.read(3); print('done')",
    ],
)
def test_a_program_need_not_read_what_it_is_given(program: Make, source: str) -> None:
    assert program(source).ask(Prompt("", "x" * 1_000_000, 9)).text == "done"


# --- failures ---------------------------------------------------------------------------


def test_a_program_that_is_not_there_is_said() -> None:
    for name in ("no-such-program-here", os.path.abspath(f"{os.sep}no{os.sep}such")):
        with pytest.raises(SummaryError, match="there is no such program: install it, or write"):
            writer(f"command:'{name}' x", dict(os.environ), ENOUGH)


def test_a_program_that_has_gone_is_said(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    made = writer(f"command:{path}", dict(os.environ), ENOUGH)
    assert made is not None
    path.unlink()
    assert fault(made) == "there is no such program: install it, or write its whole path"


@posix
def test_a_file_that_is_no_program_is_said(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("hello")
    path.chmod(0o755)
    made = writer(f"command:{path}", dict(os.environ), ENOUGH)
    assert made is not None
    path.chmod(0o644)
    assert fault(made) == "it cannot be run: is it a program, and executable?"
    path.chmod(0o755)
    path.write_bytes(b"\x7fELF?")
    assert fault(made).startswith("it cannot be run: ")


def test_a_program_that_fails_is_quoted_with_its_last_line(program: Make) -> None:
    made = program("import sys; print('a\\nmodel not found\\n \\n', file=sys.stderr); sys.exit(3)")
    assert fault(made) == "ended with code 3: model not found"


def test_the_last_line_is_shown_in_part_and_without_signs(program: Make) -> None:
    made = program("import sys; sys.exit('\\x1b[31mbad\\x1b[0m\\x07 ' + 'x' * 9000)")
    # A long line is kept from its end.
    assert fault(made) == f"ended with code 1: {'x' * 199}…"
    made = program("import sys; sys.exit('\\x1b[31mbad\\x1b[0m\\x07 ' + 'x' * 900)")
    assert fault(made) == f"ended with code 1: bad {'x' * 195}…"


def test_errors_that_quote_the_texts_are_not_repeated(program: Make) -> None:
    made = program("import sys; sys.exit('cannot parse: ' + sys.stdin.read().split(': ')[1][:30])")
    assert fault(made) == "ended with code 1: run it by hand to see why"


def test_errors_are_repeated_without_keys(program: Make) -> None:
    source = "import sys; sys.exit('bad keys ' + ' '.join(sys.argv[1:]))"
    assert fault(program(source, f"--key={KEY}", KEY, "-v")) == (
        "ended with code 1: bad keys … … -v"
    )
    source = "import sys; sys.exit('bad key ' + sys.argv[1].partition('=')[2])"
    assert fault(program(source, f"--key={KEY}")) == "ended with code 1: bad key …"
    source = "import os, sys; sys.exit('bad key ' + os.environ['LLM_API_KEY'] + ', try 1')"
    made = program(source, environ={"LLM_API_KEY": KEY, "LLM_TOKEN": "1"})
    assert fault(made) == "ended with code 1: bad key …, try 1"


@pytest.mark.parametrize("source", ["", "print()", "print('<think>hm')"])
def test_a_program_that_says_nothing_is_an_error(program: Make, source: str) -> None:
    assert "answer" in fault(program(source))


def test_a_program_that_says_too_much_is_ended(program: Make) -> None:
    made = program("while True: print('x' * 1000)")
    assert fault(made) == "the answer is over 1 MB: is this a model that summarises?"


# --- time -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "import time; print('half', flush=True); time.sleep(60)",
        "import os, time; os.close(1); os.close(2); time.sleep(60)",
    ],
)
def test_a_program_that_hangs_is_left_in_time(program: Make, source: str) -> None:
    assert fault(program(source, seconds=SOON)) == (
        "not done within 0.3 s: is the model still loading? Try again, or raise summary_seconds"
    )


_LEADER = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])
with open(sys.argv[1], 'w') as file:
    file.write(f'{os.getpid()} {child.pid}')
os.replace(sys.argv[1], sys.argv[2])
if sys.argv[3] == 'waits':
    time.sleep(3600)
"""


@posix
@pytest.mark.parametrize("leader", ["waits", "leaves"])
def test_what_a_late_program_started_ends_with_it(
    program: Make, tmp_path: Path, leader: str
) -> None:
    told = tmp_path / "told"
    for seconds in (1.0, 10.0, ENOUGH):  # until it was started
        made = program(_LEADER, str(tmp_path / "new"), str(told), leader, seconds=seconds)
        assert f"not done within {seconds:g} s" in fault(made)
        if told.exists():
            break
    for number in map(int, told.read_text().split()):
        assert _ends(number)


def _ends(number: int) -> bool:
    """Return whether the process is gone, or will be in a moment: whoever inherits it reaps it."""
    end = time.monotonic() + HANGS
    while time.monotonic() < end:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return True
        try:
            with open(f"/proc/{number}/stat", encoding="ascii") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            pass
        time.sleep(0.01)
    return False


# On a busy machine the program tells of itself before Python has all its pipes in hand.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@posix
def test_an_interrupted_call_leaves_no_process(program: Make, tmp_path: Path) -> None:
    told = tmp_path / "told"
    made = program(_LEADER, str(tmp_path / "new"), str(told), "waits")

    def interrupt(*_: object) -> None:
        if told.exists():
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            made.ask(PROMPT)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for number in map(int, told.read_text().split()):
        assert _ends(number)


@posix
def test_what_a_program_leaves_running_is_not_waited_for(program: Make) -> None:
    # Such as a server that it has started, and that does not hold its output.
    made = program(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'],\n"
        "    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)\n"
        "print(child.pid)"
    )
    child = int(made.ask(PROMPT).text)
    os.kill(child, signal.SIGKILL)  # it was there, and is nobody else's
    assert _ends(child)
