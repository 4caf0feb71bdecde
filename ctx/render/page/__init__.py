"""A page of HTML that is complete by itself: markup, style, script and data in a single file.

Its policy allows only its own style and script, by hash, so no text of an entry becomes either.
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files

from ctx.model import JsonObject

_MARK = re.compile(r"\{\{(\w+)\}\}")
_DRAW = """
drawPacket(JSON.parse(document.getElementById("data").textContent));
"""
_INERT = str.maketrans({"<": r"\u003c", "\u2028": r"\u2028", "\u2029": r"\u2029"})
"""Characters that could end a script or a line of it, as escapes of JSON: the value is the same."""


def page(title: str, data: JsonObject) -> str:
    """Return a page called ``title`` that shows ``data``, whose form ``page.js`` knows."""
    style, script = part("page.css"), part("page.js") + _DRAW
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    values = {
        "policy": policy,
        "title": escape(title),
        "style": style,
        "script": script,
        "body": part("body.html"),
        "data": inert(data),
    }
    return filled(part("page.html"), values)


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return ``text`` with its marks ``{{name}}`` replaced, those within a value left alone."""
    return _MARK.sub(lambda mark: values[mark[1]], text)


def inert(data: object) -> str:
    """Return ``data`` as JSON that is safe in a script of a page, whatever its texts hold."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_INERT)


def part(name: str, package: str = "ctx.render.page") -> str:
    """Return a file that pages are made of."""
    return files(package).joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the source expression that allows an inline element of exactly this ``text``."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
