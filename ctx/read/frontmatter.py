"""YAML frontmatter: metadata of a whole file."""

from collections.abc import Iterator, Sequence
from math import isnan

from ctx.model import NO_FRONTMATTER, Frontmatter, Json, JsonObject
from ctx.text.outline import FRONT, closing_of_front, opens_front
from ctx.text.regex import regex
from ctx.typed import Any, NamedTuple

_NEXT = regex(r"\n(?=[A-Za-z_][\w-]*:(?:\s|\Z))")
_NESTED = regex(r"\s+(?:-\s|[\w-]+:\s)")
_SIMPLE = regex(  # one line for a key, of which there are no two ways to read it
    r"(?a)(?!(?i:yes|no|on|off|true|false|null):)([A-Za-z_][\w-]*):(?: +(true|false|"
    r"(?!(?i:yes|no|on|off|true|false|null) *$)[A-Za-z](?:[\w./*,;()'-]| (?!#)|:(?! |$))*))? *"
)
MAX_CHARS = 64 * 1024
MAX_DEPTH = 20
MAX_VALUES = 5_000  # keys and values in all, with aliases each time: more than a person writes
_MAX_BITS = 64
_KNOWN = frozenset({"status", "trust", "scope", "tags", "aliases", "related", "hop_targets"})


class Split(NamedTuple):
    """A file's text without its frontmatter, lines kept in place."""

    front: Frontmatter
    text: str  # the frontmatter's lines are blank, so that line numbers stay as they are
    warning: str  # ``LINE: what`` for YAML that cannot be read; empty otherwise


class _UnreadableError(Exception):
    """Frontmatter cannot be read: a line, counted from 1 in the file, and the reason."""


def split(text: str) -> Split:
    """Split ``text`` into its frontmatter and the rest; all of it is rest without frontmatter."""
    if not text.startswith(FRONT):
        return Split(NO_FRONTMATTER, text, "")
    lines = text.split("\n")
    if not opens_front(lines):
        return Split(NO_FRONTMATTER, text, "")  # perhaps a divider, and prose below it
    end = closing_of_front(lines)
    if not end:
        return Split(NO_FRONTMATTER, text, "1: frontmatter is not closed by ---")
    rest = "\n" * (end + 1) + "\n".join(lines[end + 1 :])
    head = lines[1:end]
    try:
        return Split(_front(_load(head)), rest, "")
    except _UnreadableError as error:
        try:  # `globs: *.ts, *.tsx` is what editors write, and no YAML
            return Split(_front(_loosely(head)), rest, "")
        except _UnreadableError:
            line, what = error.args
            why = f"{line}: frontmatter is not valid YAML: {what}"
            return Split(NO_FRONTMATTER, rest, why)


_PLAIN = regex(  # not what is meant as YAML: a tag, an anchor, a mapping, a number or a date
    r"(\s*-[ \t]+|[A-Za-z_][\w-]*:[ \t]+)((?:[^\s'\"|>\[{!&\d]|\{[^:]*\}[^\s,]|![^\s!*]*[*/]"
    r"|\"[^\"]*\"[ \t]*,|'[^']*'[ \t]*,|\[[^\[\]]*\][ \t]+\S).*|\[[^\[\]:]*\])"
)


def _loosely(head: Sequence[str]) -> JsonObject:
    """Return the mapping of which each key that is no YAML has a text or a list without quotes."""
    found: JsonObject = {}
    for key in _NEXT.split("\n".join(head)):
        block = [line for line in key.split("\n") if line.strip()]
        try:
            found |= _load(block)
        except _UnreadableError:
            found |= _load(_as_texts(block))
    return found


def _as_texts(block: Sequence[str]) -> list[str]:
    """Return the lines of a key with its values in quotes, where they are texts without."""
    block = [line.partition(" #")[0].rstrip() for line in block if line.lstrip()[0] != "#"]
    if all(line[0] in " ]" and not _NESTED.match(line) for line in block[1:]):
        block = [" ".join(map(str.strip, block))]
    return list(map(_as_text, block))


def _as_text(line: str) -> str:
    match = _PLAIN.fullmatch(line)
    if not match or match[2].lower() in ("true", "false", "null"):
        return line
    text = match[2]
    if text[0] == "[" and text.find("]") == len(text) - 1:
        text = text[1:-1]
    quoted = text.replace("'", "''")
    return f"{match[1].rstrip()} '{quoted}'"


def _load(head: list[str]) -> JsonObject:
    """Return the mapping that the lines between the fences hold, as plain values."""
    source = "\n".join(head)
    if len(source) > MAX_CHARS:
        raise _UnreadableError(1, f"{len(source):,} characters are too many")
    if all(simple := [*map(_SIMPLE.fullmatch, head)]):
        texts = ((one[1], (one[2] or "").rstrip() or None) for one in simple if one)
        return {key: text == "true" if text in ("true", "false") else text for key, text in texts}
    import frontmatter  # PyYAML costs a bare start of Python: only for what takes a parser
    import yaml

    try:
        _check_size(yaml.parse(source, yaml.SafeLoader))
        metadata = frontmatter.parse(f"{FRONT}\n{source}\n{FRONT}\n")[0]
        return {str(key): _plain(value) for key, value in metadata.items()}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark else 1  # counted from 0, after the opening fence
        what = getattr(error, "problem", None) or "not a mapping of keys to values"
        raise _UnreadableError(line, what) from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise _UnreadableError(1, " ".join(str(error).split())[:200]) from error
    except (AttributeError, LookupError, TypeError) as error:  # of PyYAML, for ``!!bool x``
        raise _UnreadableError(1, "a value that its tag does not allow") from error


def _check_size(events: Iterator[Any]) -> None:
    """Refuse YAML that would exhaust its loader; an alias counts as what it repeats."""
    opened: list[tuple[str | None, int]] = []
    sizes: dict[str | None, int] = {}
    values = 0
    for event in events:
        name = type(event).__name__
        anchor = getattr(event, "anchor", None)
        wrong = ""
        if name.endswith("EndEvent"):
            anchor, before = opened.pop()
            sizes[anchor] = values - before
        elif name == "AliasEvent":
            values += sizes.get(anchor, 1)
            if any(anchor == outer for outer, _ in opened):
                wrong = "a value that holds itself"
        else:
            values += 1
            sizes[anchor] = 1
            if name.endswith("StartEvent"):
                opened.append((anchor, values - 1))
        if len(opened) > MAX_DEPTH:
            wrong = f"nested more than {MAX_DEPTH} deep"
        elif values > MAX_VALUES:
            wrong = f"more than {MAX_VALUES:,} values"
        if wrong:
            raise _UnreadableError(event.start_mark.line + 2, wrong)


def _plain(value: object) -> Json:
    """Return a value that JSON can hold: dates and the like become text."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"{value:#x}"  # decimal digits of so large a number cost a second
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float) and not isnan(value) and abs(value) != float("inf"):
        return value
    return str(value)


def _front(metadata: JsonObject) -> Frontmatter:
    scope = str(metadata.get("scope", "")).strip().lower()
    trust = metadata.get("trust")
    if isinstance(trust, bool) or not isinstance(trust, int | float):
        trust = None
    return Frontmatter(
        status=str(metadata.get("status", "") or "").strip().lower(),
        trust=None if trust is None else min(1.0, max(0.0, float(trust))),
        scope=scope if scope in ("session", "project", "global") else "project",
        tags=strings(metadata.get("tags")),
        aliases=strings(metadata.get("aliases")),
        related=strings(metadata.get("related")) + strings(metadata.get("hop_targets")),
        extra={key: value for key, value in metadata.items() if key not in _KNOWN},
    )


def strings(value: Json) -> tuple[str, ...]:
    """Return the items of a list, or of a text that is separated by commas."""
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(str(item) for item in value if item is not None)
    return tuple(part.strip() for part in str(value).split(",") if part.strip())
