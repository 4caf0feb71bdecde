"""What of work with an agent holds beyond today's task: made after what real people say."""

import pytest

from ctx.sessions.promotion.wording import is_about_something, propose

LASTS = (
    ("user", "We must never log a card number in the payment service"),
    ("user", "Users may only see the bookings of their own branch, never those of others"),
    ("user", "We decided to render the labels on the server"),
    ("assistant", "The root cause is that the font files are not copied into the container"),
    ("assistant", "The import fails because tables of the old schema exist in the database"),
    ("assistant", "The variable symbol must contain only numbers because banks read it so"),
    ("user", "Every label has to be translated by the server"),
    ("assistant", "Nothing must be cached here because ids change with each run"),
)
PASSES = (
    ("user", "Update the label so that it is only shown where it has to be visible"),
    ("user", "planifica lo que hay que hacer"),
    ("user", "There has to be a better way to do this with the map"),
    ("user", "I no longer recall why the function must have that name"),
    ("user", "As of now the list has to be sorted by hand"),
    ("assistant", "I've replaced the button with a link that no longer has to be styled"),
    ("assistant", "Line 88 now shows the name instead of nothing"),
    ("assistant", "Could not find the file lib/app.tsx in the workspace"),
    ("assistant", "The likely culprit is that the folder of logs must exist"),
    ("assistant", "After this, you must delete the old folder from your directory"),
    ("assistant", "All tests must pass with this setup"),
    ("assistant", "Fixed the import so that it must not be repeated"),
    ("assistant", "接下来我会检查接口，必须先看实现"),
    ("assistant", "The transfer types have to match the types of the database"),
    ("assistant", "The render function should only be called once"),
    ("assistant", "The import failed because the server was not running"),
    ("assistant", "If the panics stop, the root cause is the hub of the server"),
    ("user", "The other pages of towns have to be built with the same parts"),
)


@pytest.mark.parametrize(("role", "text"), LASTS)
def test_what_holds_is_named(role: str, text: str) -> None:
    assert propose(f"{text}.", role)[1::2] == (text, True)


@pytest.mark.parametrize(("role", "text"), PASSES)
def test_what_is_for_today_is_not(role: str, text: str) -> None:
    assert not propose(f"{text}.", role).is_named


@pytest.mark.parametrize(
    "text",
    [
        "DO NOT TOUCH IT AGAIN.", "Never do this.", "Feel free to ask if anything is unclear.",
        "Why must it never be a webview?", "By default, it runs the linter each time.",
        "yo nunca te pedi que crees scripts.", "I don't want a report as I said.",
        "But you hardcoded the folder, I don't want that folder in there.",
        "Never suggest or edit files of mine outside it.",
        "por favor deja de abrir otro navegador para hacer esto.",
        "We are now working only inside the source folder.",
    ],
)  # fmt: skip
def test_an_instruction_that_names_nothing_or_asks_is_not_proposed(text: str) -> None:
    assert not is_about_something(text)


def test_one_that_names_its_subject_is() -> None:
    assert is_about_something("never push this branch to the main remote")
    assert is_about_something("If you change the schema, always say what you changed in it.")
    assert is_about_something("I told you that the tests are never to be skipped.")
    assert is_about_something("We are using pnpm, so never call npm in this repository.")
    assert is_about_something("From now on, start all headlines with 'New:'.")
