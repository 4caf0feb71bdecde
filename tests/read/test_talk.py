"""What of what people say in talk is meant to hold from then on."""

from ctx.read.authored.deontic.talk import gives_a_rule

RULES = (
    "Use pnpm, not npm.", "Never deploy on Friday.", "Always run the tests before you commit.",
    "Don\u2019t touch the generated files.", "From now on, answer in German.",
    "You must not delete anything.", "If you touch the schema, run the migration.",
    "Prefer small commits.", "please don't use emojis", "Make sure that all dates are ISO.",
    "Never push to main without a review.", "All commits must be signed.",
    "Do not commit secrets.", "You must run the linter before each commit.",
    "Every public function must have a docstring.",
    "Remember to update the changelog whenever you add a feature.", "Avoid global state.",
    "Ok, let's go. But never force push!", "The agent must ask before it deletes files.",
    "Please always answer in English.", "Default: two spaces.",
    "Please never commit to main directly, ok?!", "No emojis in commit messages.",
    "We don't use tabs here.", "stop adding comments everywhere",
    "Remember: the API key lives in vault, not in the repo.", "Don't forget to bump the version.",
    "IMPORTANT: all money is Decimal, not float", "from now on answer in German",
    "Niemals auf main pushen!", "Bitte keine Emojis in Commits.", "永远不要直接推送到主分支。",
    "Ne jamais pousser sur main.", "Nunca subas a main.", "Никогда не пуши в main.",
)  # fmt: skip
TALK = (
    "", "Keep it up!", "Fix the bug in the parser.", "Add a test for it.", "Never give up!",
    "You are a great friend.", "Don't worry!", "Nope, never been to something like that.",
    "Have a look at the logs.", "Take care!", "You can use my account.", "Run the tests.",
    "Must I always run the tests?", "They must have felt so appreciated.",
    "It must feel great to be recognized.", "Dairy-free is a must for me.",
    "Thanks, don't forget to call me.", "Never mind, I found it.",
    "I never understood why this works.", "The docs say you must not use eval. Is that so?",
    "> Never delete anything.\nWhat does it mean?", "Do not do that now, first fix the test.",
    "No problem at all.", "Ich war immer gern dort.",
    "Here is the code:\n```python\n# Never call this twice. Always close it.\n```",
)  # fmt: skip


def test_what_holds_from_then_on_is_a_rule() -> None:
    texts = [*RULES, *(f"I looked at it yesterday. {text}" for text in RULES)]
    assert [text for text in texts if not gives_a_rule(text)] == []


def test_what_is_said_for_the_moment_is_none() -> None:
    assert [text for text in TALK if gives_a_rule(text)] == []


def test_a_long_text_of_almost_rules_is_read_in_time_that_grows_with_it() -> None:
    # Ends at all: patterns that tried every split would not, at this length.
    assert not gives_a_rule("must have " * 3_000 + "you " * 3_000 + "if when before, " * 3_000)
