"""What a project's own settings file may set: a clone must not widen what ctx does."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctx.config import SETTINGS
from tests.rank.hands import Done, call
from tests.read.samples import write

REFUSED = {
    "budget": "200001",
    "tokenizer": "'../tokenizer.json'",
    "embedder": "'local:/models/e5'",
    "rerank": "'local:/models/reranker'",
    "summariser": "'command:rm -r /'",
    "max_file_mb": "65",
    "rule_tokens": "501",
    "share_server": "'postgresql://host/name'",
}
"""What a project may not set where it may set other values."""
TAKEN = {"budget": "200000", "tokenizer": "'heuristic'", "max_file_mb": "64"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / ".context"


def said(root: Path, line: str, **environ: str) -> Done:
    write(root, {"CONSTITUTION.md": "- Never lose a payment\n", "config.toml": f"{line}\n"})
    return call("agent", "--dir", str(root), environ=environ)


def test_every_setting_says_whether_a_project_may_set_it(root: Path) -> None:
    for setting in (one for one in SETTINGS if one.in_files):
        default = setting.default
        same = str(default).lower() if isinstance(default, bool) else repr(default)
        done = said(root, f"{setting.name} = {REFUSED.get(setting.name, same)}")
        if setting.project.values == "any":
            assert (done.code, done.err) == (0, ""), setting.name
        else:
            assert (done.code, done.out, done.err.count("\n")) == (2, b"", 1), setting.name
            assert f".context/config.toml: a project cannot set {setting.name}" in done.err
            assert "~/.config/ctx/config.toml or CTX_" in done.err


def test_values_that_widen_nothing_are_taken(root: Path) -> None:
    for name, value in TAKEN.items():
        assert said(root, f"{name} = {value}").code == 0


def test_the_bound_of_the_budget_is_the_user_s(root: Path) -> None:
    refused = said(root, "budget = 5000", CTX_MAX_BUDGET="4999")
    assert refused.err == (
        "ctx: .context/config.toml: a project cannot set budget to anything but max_budget or less "
        "(max_budget is 4,999; ~/.config/ctx/config.toml or CTX_MAX_BUDGET sets it)\n"
    )
    assert said(root, "budget = 300000", CTX_MAX_BUDGET="300000").code == 0


def test_what_a_person_asks_for_has_no_bound(root: Path) -> None:
    write(root, {"CONSTITUTION.md": "- Never lose a payment\n"})
    assert call("agent", "--dir", str(root), "--budget", "500000").code == 0
    assert call("agent", "--dir", str(root), environ={"CTX_BUDGET": "500000"}).code == 0


@pytest.mark.parametrize("line", [".".join("a" * 40_000) + " = 1", "x = 1\n" * 50_000])
def test_what_would_take_long_to_read_is_refused(root: Path, line: str) -> None:
    """A parser of TOML takes time and memory with the square of the parts of a key."""
    done = said(root, line)
    assert (done.code, done.out) == (2, b"")
    assert ".context/config.toml:" in done.err
    assert "not TOML: over " in done.err
