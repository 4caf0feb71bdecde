"""``ctx import``: files of other tools as entries of one's own, every line accounted for.

A decision record becomes a file of ``decisions/``, rules of an editor one of ``steering/``, others
one of ``specs/``. Its frontmatter names the source, which readers leave out from then on.
"""

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctx.app.editing import bytes_of, rows
from ctx.app.find import here, within, writable
from ctx.app.workspace import Workspace
from ctx.edit.change import Target, change
from ctx.edit.entries import New, block
from ctx.edit.lines import Lines
from ctx.errors import UsageError
from ctx.hosts.sources import REGISTRY
from ctx.model import Context, JsonObject, Scope, Source
from ctx.read import files, frontmatter
from ctx.read.card import name_of, slug
from ctx.read.directory import IMPORTED
from ctx.read.markdown.blocks import normalise
from ctx.text import encodable
from ctx.text.english import words_of
from ctx.text.exported import digest_of
from ctx.text.outline import extent
from ctx.text.scopes import steering_scope
from ctx.text.secrets import find

USUAL = frozenset(origin.name for origin in REGISTRY if origin.imported)
"""Sources that are imported without being named."""
_KNOWS = frozenset(origin.name for origin in REGISTRY if origin.knows)
_HEAD = f"{IMPORTED}: x"
_DIGEST = "imported-digest: "
_SCOPED = words_of("scoping keys")
"""Keys of frontmatter that limit rules to files; they are written as ctx has them."""
_IN_HEADING = frozenset({"date", "status", "supersedes", "title"})
"""Keys of a decision record that its entry has in another form."""
_STATED = re.compile(r"(?:date\b|accepted\W*$|status\W*(?:accepted\W*)?$)", re.IGNORECASE)
_KEY = re.compile(r"([A-Za-z_][\w-]*)\s*:")
_DEFINITIONS = re.compile(r"^\[[^\]\n]{1,200}\]:.*$", re.MULTILINE)  # of links: entries hide them
_MARKS = " \t#>*_+-=|:`~"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


class Imported(NamedTuple):
    """What became of one file."""

    source: str  # relative to the project's folder, with forward slashes
    target: str  # relative to the context directory; empty where there is none
    state: str  # ``new``, ``updated``, ``current``: as before, or ``left``
    moved: int = 0  # lines that the target holds, blank ones aside
    left: Mapping[str, Sequence[int]] = {}  # by reason, lines of the source not in the target
    why: str = ""  # why the whole file was left; empty otherwise

    def as_json(self) -> JsonObject:
        """Return it as JSON has it."""
        left = [{"lines": [*lines], "why": why} for why, lines in self.left.items()]
        return {**self._asdict(), "left": [*left]}


_Copy = tuple[list[str], int, Mapping[str, Sequence[int]]]  # its lines; ``moved`` and ``left``


class _LeftError(Exception):
    """Why a file is left."""


def imported(workspace: Workspace, paths: Sequence[str], *, dry_run: bool) -> list[Imported]:
    """Copy sources into the context directory; return what became of each.

    ``paths`` are files or folders, relative to the working directory; without any the ``USUAL``
    sources are meant. With ``dry_run`` nothing is written. Raises UsageError for a path without a
    source, NoDirectoryError where there is no context directory to write into, FileError where a
    file cannot be read or written; what was copied until then stays.
    """
    root = workspace.root if dry_run else writable(workspace.root)
    sources, titles = workspace.read(_found, own=True)
    named = [os.path.abspath(os.path.join(workspace.world.cwd, path)) for path in paths]
    for path, shown in zip(named, paths, strict=True):
        if not any(within(files.place(root, source.path), path) for source in sources):
            raise UsageError(
                f"{shown!r}: holds nothing to import", "`ctx status` lists the files that ctx reads"
            )
    done = []
    for source in sources:
        if named and not any(within(files.place(root, source.path), path) for path in named):
            continue
        shown = here(root, source.path, os.path.dirname(root)).replace(os.sep, "/")
        why = ""
        if not named and source.origin not in USUAL:
            why = "is read where it is; name it to import it"
        elif not os.path.lexists(files.place(root, source.path)):
            why = "its name holds control characters or a secret"
        if why:
            done.append(Imported(shown, "", "left", why=why))
            continue
        target = Target(root, _target(source, shown), "", workspace.links)
        try:
            data = bytes_of(Target(root, source.path, ""), workspace.settings)
            _refuse_secrets(shown, data, allow=workspace.settings.allow_secrets)
            copy = _copy(source, shown, data, titles)
            state = _write(target, copy[0], source.path, dry_run=dry_run)
            done.append(Imported(shown, target.name, state, *copy[1:]))
        except _LeftError as error:
            done.append(Imported(shown, "", "left", why=str(error)))
    if not dry_run and any(one.state in ("new", "updated") for one in done):
        workspace.store.trust()
    return done


def _found(context: Context) -> tuple[list[Source], dict[str, str]]:
    """Return the sources, and the titles of decision records by the names that others cite."""
    titles = {
        slug(name_of(source.path)): part.entry(0).title
        for source in context.sources
        for part in source.parts
        if part.kind == "decision" and len(part) == 1
    }
    sources = (*context.sources, *context.copied)
    return [source for source in sources if source.origin], titles


def _target(source: Source, shown: str) -> str:
    name = re.sub(r"^[./]+|(?:\.instructions)?\.\w+$", "", shown)
    if source.origin == "adr":
        return f"decisions/{name.rpartition('/')[2]}.md"
    if source.origin in _KNOWS:
        return f"specs/{name}.md"
    known = re.sub(r"^.*/(?:rules|steering|instructions)/|^github/", "", name).replace("/", "-")
    own = source.origin.removesuffix("-rules")
    return f"steering/{known if known.startswith(own) else f'{own}-{known}'}.md"


def _copy(source: Source, shown: str, data: bytes, titles: Mapping[str, str]) -> _Copy:
    text = normalise(files.decode(shown, data)[0])
    lines = text.removesuffix("\n").split("\n")
    if source.origin == "adr":
        return _decision(source, shown, data, titles, lines)
    scope = None if source.origin in _KNOWS else source.scope
    if scope and scope.base:
        inside = tuple(f"{scope.base}/{pattern}" for pattern in scope.patterns)
        scope = scope._replace(base="", patterns=inside)
    front = list(_scope_lines(scope)) if scope else []
    copy = [*front, *_kept(lines, _SCOPED), "---", *lines[extent(lines) :]]
    read = steering_scope(frontmatter.split("\n".join(["---", _HEAD, *copy])).front, "")
    if scope and read and (read.mode, read.patterns) != (scope.mode, scope.patterns):
        raise _LeftError("its patterns would be read in another way")
    broken = frontmatter.split(text).warning
    why = "no valid YAML" if broken else "when rules apply, written as ctx has it"
    return _accounted(lines, copy, why)


def _kept(lines: Sequence[str], without: Collection[str]) -> list[str]:
    """Return the lines of frontmatter but for fences and some keys; none if that is no YAML."""
    kept, out = list[str](), False
    for line in lines[1 : max(1, extent(lines) - 1)]:
        key = _KEY.match(line)
        out = key[1].lower() in without if key else out
        kept += [] if out else [line]
    return [] if frontmatter.split("\n".join(["---", _HEAD, *kept, "---"])).warning else kept


def _scope_lines(scope: Scope) -> Iterator[str]:
    if scope.mode == "match":
        yield "inclusion: fileMatch"
        yield f"fileMatchPattern: {json.dumps(scope.patterns, ensure_ascii=False)}"
    elif scope.mode != "always":
        yield f"inclusion: {'auto' if scope.mode == 'described' else 'manual'}"
    if scope.description:
        yield f"description: {json.dumps(scope.description, ensure_ascii=False)}"


def _decision(
    source: Source, shown: str, data: bytes, titles: Mapping[str, str], lines: Sequence[str]
) -> _Copy:
    found = rows(source.path, "adr", data)
    if len(found) != 1:
        raise _LeftError("holds no decision")
    entry = found[0].entry
    names = dict.fromkeys(titles.get(name, name) for name in entry.supersedes.split("\n") if name)
    body = _raised(entry.body)
    for status in ("", "**Status**: Superseded\n\n"):
        new = New(entry.title, (), shown, "; ".join(names), f"{status}{body}")
        text = block(new, entry.timestamp).replace("## [] ", "## ", 1)
        read = [row.entry for row in rows(source.path, "decisions", text.encode())]
        if [(one.title, one.timestamp, one.status) for one in read] == [
            (entry.title, entry.timestamp, entry.status)
        ] and _DEFINITIONS.sub("", f"{status}{entry.body}").strip() in read[0].body:
            break
    else:
        raise _LeftError("would not be read as one decision with its date, status and words")
    copy = [*_kept(lines, _IN_HEADING), "---", *text.removesuffix("\n").split("\n")]
    return _accounted(lines, copy, "date and status, which the entry has by itself")


def _raised(body: str) -> str:
    """Return a body with its headings a level higher: readers of entries lower them by one."""
    lines, is_code = body.split("\n"), False
    for number, line in enumerate(lines):
        is_code ^= line.lstrip().startswith(("```", "~~~"))
        lines[number] = line[1:] if line.startswith("####") and not is_code else line
    return "\n".join(lines)


def _accounted(lines: Sequence[str], copy: list[str], why: str) -> _Copy:
    """Return ``copy`` with what it lacks of ``lines``; _LeftError where nothing explains it."""
    end, joined = extent(lines), "\n".join(lines)
    seen = _COMMENT.sub(lambda found: re.sub(".", " ", found[0]), joined).split("\n")
    words_of = [" ".join(line.strip(_MARKS).split()) for line in copy]
    whole, held = set(words_of), " ".join(words_of)
    moved, left = 0, dict[str, list[int]]()
    for number, line in enumerate(lines):
        words = " ".join(line.strip(_MARKS).split())
        if words and (words in whole or words in held):
            moved += 1
        elif words and not seen[number].strip():
            left.setdefault("a comment", []).append(number + 1)
        elif words and (number < end or _STATED.match(words)):
            left.setdefault(why, []).append(number + 1)
        elif words:
            raise _LeftError(f"line {number + 1} would be lost")
    return copy, moved, left


def _write(target: Target, copy: Sequence[str], source: str, *, dry_run: bool) -> str:
    """Write a copy unless somebody has changed the file; return what that makes of it."""
    lines = ["---", f"{IMPORTED}: {json.dumps(source, ensure_ascii=False)}", *copy]
    lines = [encodable(line) for line in lines]
    lines.insert(2, f"{_DIGEST}{digest_of(lines)}")
    states: list[str] = []

    def make(data: bytes | None) -> bytes | None:
        old = Lines(data or b"")
        wanted = old.spliced(0, len(old.texts), lines)
        states[:] = ["new" if data is None else "current" if data == wanted else "updated"]
        if states == ["updated"] and data is not None:
            _refuse_own(target.name, data, lines[1])
        return None if states == ["current"] else wanted

    change(target, make, dry_run=dry_run)
    return states[0]


def _refuse_secrets(shown: str, data: bytes, *, allow: bool) -> None:
    if not allow and (found := find(files.decode(shown, data)[0])):
        raise _LeftError(f"line {found[0].line} holds a secret: take it out, then import it")


def _refuse_own(name: str, data: bytes, first: str) -> None:
    lines = normalise(files.decode(name, data)[0]).removesuffix("\n").split("\n")
    if lines[1:2] != [first]:
        raise _LeftError(f"{name} is there already")
    if lines[2:3] != [f"{_DIGEST}{digest_of([*lines[:2], *lines[3:]])}"]:
        raise _LeftError(f"{name} was edited since it was imported")
