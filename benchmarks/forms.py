"""The forms in which people put a question to an agent, with other text around it.

``forms.txt`` has the frames of each form: text of our own with a place for the question, and in
pasted output for files of the project. They were written before the search that they measure was
changed. ``dev`` forms may be looked at while something is built; of those that are ``held`` the
programs show totals alone, unless they are told otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

PLACE = Path(__file__).with_name("forms.txt")
AS_ASKED = "as asked"
SENTENCE = "sentence"
"""A form without other text: a few words become a sentence."""
OTHER_FILES = ("src/start.pl", "src/finish.pl")
"""For questions about other subjects: files that no project has."""
FILES = {
    "activememory": ("cmd/ctx/main.go", "internal/run/run.go"),
    "adr": ("app/controllers/application_controller.rb", "config.ru"),
    "adr-beis": ("app/controllers/application_controller.rb", "config.ru"),
    "compass": ("src/main.ts", "src/app.ts"),
    "ctx": ("ctx/cli/main.py", "ctx/__main__.py"),
    "madr": ("bin/main.js", "lib/main.js"),
    "themed": ("cmd/ctx/main.go", "internal/run/run.go"),
    "webshop": ("src/shop/main.py", "src/shop/app.py"),
}
"""Files of each directory's project, through which any of its calls goes."""
_ASKS = re.compile(
    r"(how|what|which|who|whom|whose|when|where|why|is|are|do|does|did|can|could|may|must|should"
    r"|was|were|has|have|will|wie|welche[rs]?|wann|wer|wo|warum|comment|quel(le)?s?|quand|qui"
    r"|pourquoi|cómo|cuándo|qué|quién|por|cuántos|como|quando|qual)\b",
    re.IGNORECASE,
)
_CONNECTED = (
    "It is about this: {}.", "What do we know about {}?", "Is there anything on {}?",
    "The keyword that I was given is: {}.", "I mean {}.", "Tell me about {}, please.",
    "The subject is {}.",
)  # fmt: skip
"""How a few words become a sentence."""


class Form(NamedTuple):
    """A kind of text around a question."""

    held: bool
    """Whether only totals are shown."""
    frames: tuple[str, ...]


@cache
def forms() -> dict[str, Form]:
    """Return the forms of ``forms.txt`` by name."""
    found = {}
    for text in re.split(r"^== ", PLACE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, body = text.partition("\n")
        name, half = head.split()
        found[name] = Form(half == "held", tuple(body.strip("\n").split("\n%%\n")))
    return found


def sentence(question: str) -> str:
    """Return ``question`` as a sentence; what ends like one is left as it is."""
    if question.endswith((".", "?", "!")):
        return question
    if _ASKS.match(question) or (not question.isascii() and " " not in question):
        return f"{question}?"
    return _CONNECTED[_drawn(question, len(_CONNECTED))].format(question)


def framed(form: str, question: str, files: Sequence[str] = OTHER_FILES) -> str:
    """Return ``question`` in the form of that name: the same frame for the same question.

    ``files`` are two files of the project, for pasted output. ``as asked`` changes nothing.
    """
    if form in (AS_ASKED, SENTENCE):
        return question if form == AS_ASKED else sentence(question)
    frames = forms()[form].frames
    frame = frames[_drawn(f"{form}\n{question}", len(frames))]
    for number, file in enumerate(files):
        frame = frame.replace(f"{{p{number}}}", file)
    return frame.replace("{q}", sentence(question))


def _drawn(text: str, of: int) -> int:
    return int(sha256(text.encode()).hexdigest(), 16) % of
