"""A page of HTML that is complete by itself: markup, style, script and data in a single file.

Its policy allows only its own style and script, named by their hashes, so that no text of an
entry could become either, and nothing is loaded.
"""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from ctx.model import JsonObject

_MARK = re.compile(r"\{\{(\w+)\}\}")
_INERT = str.maketrans({"<": r"\u003c", "\u2028": r"\u2028", "\u2029": r"\u2029"})
"""Characters that could end a script or a line of it, as escapes of JSON: the value is the same."""


def page(title: str, data: JsonObject) -> str:
    """Return a page called ``title`` that shows ``data``, whose form ``page.js`` knows."""
    style, script = _part("page.css"), _part("page.js")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    values = {
        "policy": policy,
        "title": escape(title),
        "style": style,
        "script": script,
        "data": inert(data),
    }
    # In one pass: marks within a value are not replaced.
    return _MARK.sub(lambda mark: values[mark[1]], _part("page.html"))


def inert(data: object) -> str:
    """Return ``data`` as JSON that is safe in a script of a page, whatever its texts hold."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_INERT)


def _part(name: str) -> str:
    return files("ctx.render.page").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the source expression that allows an inline element of exactly this ``text``."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
