"""Kinds of secrets, and the places in which people leave them: all made up, none opens anything.

Every second kind is held out: rules are made with the others, and judged with these.
"""

import base64
import json
import re
from pathlib import Path
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Any, NamedTuple

from tests.text.planted import ALNUM, HEX, Drawn, jwt, key_block

_ALPHABETS = {
    "A": ALNUM, "a": ascii_letters, "b": f"{ALNUM}_-", "B": f"{ALNUM}+/", "x": HEX,
    "U": ascii_uppercase + digits, "l": ascii_lowercase + digits, "d": digits,
    "z": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "t": f"{ALNUM}_~.-", "w": ascii_lowercase,
    "p": f"{ALNUM}!#%^*+-_",
}  # fmt: skip
_DRAWN = re.compile(r"\{([AaBbxUldztwp])(\d+)\}")


_UUID = "{x8}-{x4}-{x4}-{x4}-{x12}"
_FORMS: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[2] / "fixtures" / "secret_kinds.json").read_text("utf-8")
)
"""Tokens of a known form by the name that they are given in an environment; values that are
secrets by their names alone; lines with the secret between ``«`` and ``»``; what is no secret."""


class Kind(NamedTuple):
    """A kind of secret, and one of it."""

    label: str
    name: str
    """What it is assigned to; empty where it is written in a line of its own form."""
    text: str
    """The secret, or the line with it."""
    secret: str
    """What nobody else may see: of a key its third line."""
    random: int = 0
    """Letters and figures at its end that are drawn at once; 0 for another alphabet."""

    @property
    def is_form(self) -> bool:
        """Whether it is known by its form alone, not by a name or what stands around it."""
        return self.label.rpartition(" ")[0] in _FORMS["forms"]

    @property
    def held_out(self) -> bool:
        return self.label in _HELD_OUT


def _filled(form: str, draw: Drawn) -> str:
    return _DRAWN.sub(lambda part: draw(int(part[2]), _ALPHABETS[part[1]]), form)


def kinds(seed: str) -> list[Kind]:
    """Return a secret of every kind, other ones for each ``seed``."""
    draw = Drawn(f"kinds {seed}")
    made = []
    for name, forms in _FORMS["forms"].items():
        for at, form in enumerate(forms.split()):
            token = _filled(form, draw)
            random = re.search(r"\{[AabBt](\d+)\}\Z", form)
            drawn = int(random[1]) if random else 0
            made.append(Kind(f"{name} {at}", f"{name}_{at}", token, token, drawn))
    for name, form in _FORMS["named"].items():
        value = _filled(form, draw)
        made.append(Kind(name, name, value, value))
    made += [_written(label, line, draw) for label, line in _FORMS["written"].items()]
    return made


def _written(label: str, line: str, draw: Drawn) -> Kind:
    basic = base64.b64encode(f"ann:{draw(16)}".encode()).decode()
    own = {"<JWT>": jwt(f"{draw.seed} {label}"), "<BASIC>": basic}
    for stands, made in own.items():
        if stands in line:
            # Of a web token each part counts: the claims are looked for.
            secret = made.split(".")[1] if stands == "<JWT>" else made
            return Kind(label, "", line.replace(stands, made), secret)
    if line in ("<PEM>", "<PEM2>"):
        block = key_block("PRIVATE" if line == "<PEM>" else "ENCRYPTED PRIVATE", draw(8))
        return Kind(label, "", block, block.split("\n")[2])
    head, _, rest = _filled(line, draw).partition("«")
    secret, _, tail = rest.partition("»")
    return Kind(label, "", f"{head}{secret}{tail}", secret)


PLACES = (
    "title", "prose", "list", "table", "fence", "env", "json", "yaml", "quoted turn",
    "tool result", "frontmatter", "file name",
)  # fmt: skip


def written(kind: Kind, place: str) -> str:
    """Return what stands in ``place`` with the secret of ``kind`` in it."""
    by_name = kind.label in _FORMS["named"]
    told = f"{kind.name} = {kind.text}" if by_name else kind.text
    listed = f"{kind.name}: {kind.text}" if by_name else told
    said = f"{kind.name} is {kind.text}, they said." if by_name else f"We took {told} then."
    cell = f"| {kind.name} | {kind.text} |" if kind.name else f"| a | {told} |"
    if "\n" in told and not told.startswith("-----"):  # a block, which stands by itself
        said, cell = f"We took this then:\n\n{told}\n", told
    line = f"{kind.name}={kind.text}" if kind.name else kind.text
    entry = f"{kind.name}: {kind.text}" if kind.name else f"command: {kind.text}"
    return {
        "title": told, "prose": said, "list": listed, "quoted turn": listed, "table": cell,
        "fence": line, "env": line if kind.name else f'COMMAND="{kind.text}"',
        "json": _json({kind.name or "command": kind.text, "n": 1}), "yaml": entry,
        "frontmatter": entry, "tool result": _json({"stdout": line}), "file name": line,
    }[place]  # fmt: skip


CONTEXTS = {
    "prose": "We rotated the old one and now use {} for the deploy.",
    "end of a sentence": "From now on it is {}.",
    "backticks": "Set it to `{}` before you start.",
    "brackets": "The new one ({}) works.",
    "bold": "It is **{}** now.",
    "fence": "```\n{}\n```",
    "yaml": "service:\n  value: {}\n  port: 1",
    "toml": 'value = "{}"',
    "env": "VALUE={}",
    "json": '{{"value": "{}", "n": 1}}',
    "lines in json": '{{"text": "ran it\\n{}\\ndone\\t{}"}}',
    "table": "| a | {} | b |",
    "url": "https://api.internal/v1/x?v={}&page=2",
    "export": "export VALUE={}",
    "header": "curl -H 'X-Value: {}' https://api.internal",
    "diff": "-  value = x\n+  value = {}",
    "diff, alone": "+{}",
    "log": "2026-05-30T11:44:29Z INFO client started value={} in 3 ms",
    "cjk": "请用{}连接服务器。",
    "cells": "a,{},b",
    "html": "<td>{}</td>",
    "escaped": "The new one is {} now.",
    "escaped in json": '{{"text": "It is {} now."}}',
    "entities": "The new one is {} now.",
}
"""Texts around a token of a known form, which is found by its form alone."""
_ESCAPED = re.compile(r"[_*~.+=-]")
_WORDS = ("my-", "fake", "FAKE", "xxxx", "your", "example", "Example", "sample", "test")


def in_context(token: str, context: str) -> str:
    """Return ``token`` in one of ``CONTEXTS``, escaped as that says."""
    if context.startswith("escaped"):
        sign = r"\\\\" if context.endswith("json") else r"\\"
        token = _ESCAPED.sub(lambda found: sign.replace(r"\\", "\\") + found[0], token)
    elif context == "entities":
        token = _ESCAPED.sub(lambda found: f"&#{ord(found[0])};", token)
    return CONTEXTS[context].format(token, token)


def with_word(kind: Kind, number: int) -> str | None:
    """Return the token of ``kind`` with a word of placeholders in its last, random part.

    None where its alphabet has no letters for words, or where it would be too short.
    """
    word = _WORDS[number % len(_WORDS)]
    if kind.random < len(word) + _LEAST_RANDOM or (
        word[-1] == "-" and not {*"-_"} & {*kind.text[-kind.random :]}
    ):
        return None
    at = len(kind.text) - kind.random // 2 - len(word) // 2
    return kind.text[:at] + word + kind.text[at + len(word) :]


_LEAST_RANDOM = 12


def remains(secret: str, masked: str) -> bool:
    """Whether ten characters of ``secret`` in a row, or all of it, are still in ``masked``."""
    if len(secret) <= _ENOUGH:
        return secret in masked
    windows = (secret[at : at + _ENOUGH] for at in range(len(secret) - _ENOUGH + 1))
    return any(window in masked for window in windows)


_ENOUGH = 10


def _json(said: dict[str, object]) -> str:
    return json.dumps(said, ensure_ascii=False)


def harmless(seed: str) -> list[str]:
    """Return lines that look like secrets and are none, with other hashes for each ``seed``."""
    draw = Drawn(f"harmless {seed}")
    lines = (line for group in _FORMS["harmless"].values() for line in group)
    return [_filled(line, draw).replace("UUID", _filled(_UUID, draw)) for line in lines]


_EVERY = [kind.label for kind in kinds("labels")]
_HELD_OUT = frozenset(_EVERY[1::2])
