"""Numbers that nobody means: each is refused in one line, or counts as a large one."""

import pytest

from ctx.config import SETTINGS, resolve, whole_number
from ctx.config.table import Setting
from ctx.errors import CtxError, UsageError

LARGE = 10**12
ODD = ("1_0", "٣٤", "²", "+5", "-1", "1e400", "0x10", "nan", "", " ", "1 0")


@pytest.mark.parametrize("digits", [13, 400, 5_000])
def test_a_number_of_many_digits_counts_as_a_large_one(digits: int) -> None:
    text = "9" * digits
    assert whole_number("--limit", text) == LARGE
    assert resolve([], {}, {"budget": text}).settings.budget == LARGE
    assert resolve([], {"CTX_BUDGET": text}, {}).settings.budget == LARGE
    assert resolve([], {}, {"cooldown": f"{text}h"}).settings.cooldown == 10**9
    assert whole_number("--limit", "0" * digits + "7") == 7


def test_one_in_a_file_does_so_too() -> None:
    text = f"budget = {'9' * 400}\ncooldown = {'9' * 400}\n"
    settings = resolve([("config.toml", text)], {}, {}).settings
    assert (settings.budget, settings.cooldown) == (LARGE, 10**9)


@pytest.mark.parametrize("text", ODD)
def test_odd_digits_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a whole number of 1 or more"):
        whole_number("--limit", text, least=1)
    with pytest.raises(UsageError, match="--budget"):
        resolve([], {}, {"budget": text})


def _line(files: list[tuple[str, str]], environ: dict[str, str]) -> str:
    """Return the line of a refusal; empty where there is none."""
    try:
        resolve(files, environ, {})
    except CtxError as error:
        return error.line
    return ""


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.name)
def test_every_setting_takes_any_text_or_says_why_not(setting: Setting) -> None:
    for text in (*ODD, "9" * 400, "9" * 5_000, "1e308", "-1e308", "\udcff", "x" * 10_000):
        assert "\n" not in _line([], {setting.variable: text})
    for text in ("9" * 400, "-" + "9" * 400, "1e400", "nan", "inf", "-inf", "true", "[]"):
        assert "\n" not in _line([("config.toml", f"{setting.name} = {text}\n")], {})
