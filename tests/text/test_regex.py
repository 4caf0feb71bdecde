"""Regular expressions that are compiled at their first use."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import ctx
from ctx.text import regex as module
from ctx.text.regex import regex

PACKAGE = Path(ctx.__file__).parent
USERS = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if "import regex" in path.read_text(encoding="utf-8")
]


def within(value: object) -> Iterator[re.Pattern[str]]:
    """Yield the expressions in ``value``, in containers as well."""
    if isinstance(value, vars(module)["regex"]):
        yield value
    elif isinstance(value, dict):
        yield from within((*value, *value.values()))
    elif isinstance(value, (tuple, list, set, frozenset)):
        for each in value:
            yield from within(each)


@pytest.mark.parametrize("name", USERS)
def test_every_expression_compiles(name: str) -> None:
    found = list(within(vars(import_module(name))))
    assert found
    for each in found:
        assert each.groups >= 0, each.pattern


def test_it_is_compiled_at_the_first_use_and_not_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []

    def compiling(text: str) -> re.Pattern[str]:
        compiled.append(text)
        return compiles(text)

    compiles = re.compile
    monkeypatch.setattr(re, "compile", compiling)
    word = regex(r"(?i)(w)ord")
    assert (word.pattern, compiled) == (r"(?i)(w)ord", [])
    assert word.sub("x", "a WORD") == "a x"
    assert word.sub("x", "a word") == "a x"
    assert compiled == [r"(?i)(w)ord"]
    assert (word.groups, word.fullmatch("words")) == (1, None)


def test_a_mistake_shows_at_the_first_use() -> None:
    with pytest.raises(re.error):
        regex("(").search("")


def test_bytes() -> None:
    assert regex(rb"\d+").findall(b"1 22") == [b"1", b"22"]
