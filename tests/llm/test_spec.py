"""Which writer a setting means, and who may set it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctx.errors import UsageError
from ctx.llm import spec as said
from ctx.llm.spec import SUMMARY, address, key
from ctx.llm.summarisers import check, writer
from ctx.model import SummaryError
from tests.rank.hands import Done, call
from tests.read.samples import write

HIDDEN = "a-secret-that-no-message-may-hold"


def test_a_setting_that_can_be_meant_is_taken() -> None:
    for spec in (
        "extractive", "command:llm", "command: llm -m 'two words' --option=x",
        "command:~/bin/summarise", f"command:{sys.executable} -u ./script.py",
        "openai:llama3.2:3b@http://localhost:11434",
        "openai:gpt-4o-mini@https://api.openai.com/v1/chat/completions",
    ):  # fmt: skip
        check(spec)


REFUSED = (
    "", " ", "none", "extractive:", "extractive:x", "Extractive", HIDDEN,
    f"http://me:{HIDDEN}@host", "command", "command:", "command:  ", "command:''",
    f"command:llm '{HIDDEN}", f"command:./{HIDDEN}", f"command:bin/{HIDDEN} x",
    f"command:../{HIDDEN}", f"command:~other/{HIDDEN}", f"command:llm {HIDDEN}\x1b[31m",
    "openai", f"openai:{HIDDEN}", f"openai:m@ftp://{HIDDEN}", f"openai:m@http://me:{HIDDEN}@host",
)  # fmt: skip


def test_a_setting_that_cannot_be_meant_is_refused() -> None:
    for spec in REFUSED:
        with pytest.raises(UsageError) as caught:
            check(spec)
        assert HIDDEN not in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1
        assert str(caught.value).startswith("summariser: ")
        with pytest.raises(UsageError):
            writer(spec, {}, 60)


def test_an_unknown_summariser_is_refused_with_what_exists() -> None:
    with pytest.raises(UsageError) as caught:
        check("static")
    assert str(caught.value) == (
        "summariser: this names no summariser"
        " (one of extractive, command:PROGRAM ARGUMENTS, openai:MODEL@URL)"
    )


def test_a_command_is_split_as_a_shell_does_and_means_no_more() -> None:
    for argument, words in (
        ("llm -m llama3.2", ["llm", "-m", "llama3.2"]),
        ("llm 'two words' \"a 'b'\"", ["llm", "two words", "a 'b'"]),
        (r"llm a\ b", ["llm", "a b"]),
        ("llm # $HOME | rm * ;", ["llm", "#", "$HOME", "|", "rm", "*", ";"]),
    ):
        assert said.split(argument, windows=False) == words, argument


def test_folders_of_windows_are_no_quotes() -> None:
    argument = r'"C:\Program Files\llm.exe" -f C:\tools\a.txt'
    words = [r"C:\Program Files\llm.exe", "-f", r"C:\tools\a.txt"]
    assert said.split(argument, windows=True) == words


@pytest.mark.skipif(sys.platform == "win32", reason="paths of POSIX")
def test_home_is_that_of_the_environment_given() -> None:
    assert said.words("~/bin/sum ~/x", {"HOME": "/home/me"}) == ["/home/me/bin/sum", "~/x"]
    with pytest.raises(UsageError, match="relative"):
        said.words("~/bin/sum", {})


def test_any_form_of_an_address_leads_to_its_chat() -> None:
    for argument, url in (
        ("m@http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("m@http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("m@https://g.dev/v1beta/openai", "https://g.dev/v1beta/openai/chat/completions"),
    ):
        assert address(argument, SUMMARY).url == url, argument


def test_the_key_is_the_summariser_s_own() -> None:
    environ = {"CTX_EMBEDDER_KEY": "other", "OPENAI_API_KEY": "theirs"}
    assert key(address("m@http://localhost", SUMMARY), environ, SUMMARY) == ""
    assert key(address("m@https://api.openai.com/v1", SUMMARY), environ, SUMMARY) == "theirs"
    environ["CTX_SUMMARISER_KEY"] = "own"
    assert key(address("m@http://localhost", SUMMARY), environ, SUMMARY) == "own"
    assert key(address("m@https://api.openai.com/v1", SUMMARY), environ, SUMMARY) == "own"


def test_a_missing_library_is_an_error_that_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http", "summarisers.openai"):
        monkeypatch.delitem(sys.modules, f"ctx.llm.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "urllib3", None)
    with pytest.raises(SummaryError, match=r"openai: urllib3 .*'.\[http\]'"):
        writer("openai:m@http://localhost", {}, 60)


def test_looking_at_a_setting_imports_nothing_heavy() -> None:
    looked = (
        "import sys; from ctx.llm.summarisers import check, writer\n"
        "check('openai:m@http://h'); check('command:llm -m x'); writer('extractive', {}, 60)\n"
        "from ctx.llm.embedders import check; check('openai:m@http://h'); check('local:/m')\n"
        "heavy = {'numpy', 'urllib3', 'subprocess', 'asyncio', 'http.client', 'logging', 'json'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    # Without `site`, which may load anything.
    subprocess.run([sys.executable, "-S", "-c", looked], check=True)


def test_a_command_needs_no_numpy_and_no_urllib3(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("print('hello')")
    looked = (
        "import os, sys; from ctx.model import Prompt; from ctx.llm.summarisers import writer\n"
        f"made = writer('command:{sys.executable} {program}', os.environ, 60)\n"
        "print(made.ask(Prompt('a', 'b', 9)).text)\n"
        "assert not {'numpy', 'urllib3', 'asyncio'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", looked], check=True, capture_output=True, env=dict(os.environ)
    )
    assert (done.stdout.strip(), done.stderr) == (b"hello", b"")


@pytest.fixture
def root(tmp_path: Path) -> str:
    return write(tmp_path / ".context", {"CONSTITUTION.md": "- Never lose a payment\n"})


def _said_by_project(root: str, value: str) -> Done:
    (Path(root) / "config.toml").write_text(f'summariser = "{value}"\n', encoding="utf-8")
    return call("agent", "--dir", root)


@pytest.mark.parametrize(
    "value", ["command:rm", "openai:m@http://127.0.0.1:9", "openai:m@https://example.org", "x"]
)
def test_a_project_names_no_address_and_no_program_for_itself(root: str, value: str) -> None:
    done = _said_by_project(root, value)
    assert (done.code, done.out) == (2, b"")
    assert done.err == (
        "ctx: .context/config.toml: a project cannot set summariser to anything but extractive"
        " (set it in ~/.config/ctx/config.toml or CTX_SUMMARISER)\n"
    )


def test_a_project_may_say_what_is_harmless(root: str) -> None:
    assert _said_by_project(root, "extractive").code == 0


def test_a_person_s_own_file_may_name_any(root: str, tmp_path: Path) -> None:
    folder = tmp_path / "home" / ".config" / "ctx"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('summariser = "command:llm"\nsummary_seconds = "2m"\n')
    done = call("agent", "--dir", root, home=str(tmp_path / "home"))
    assert (done.code, done.err) == (0, "")
