"""Why a line, a file or a commit is as it is: the entries and turns that cite it."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from ctx.app.focus import asked
from ctx.app.provenance import commit_of, file_of, in_label, sessions_in
from ctx.app.walk import results_of
from ctx.app.workspace import Workspace
from ctx.config import quoted
from ctx.errors import UsageError
from ctx.model import FOREIGN, Context, Entry, Found, Scored, SearchRequest, SearchResults
from ctx.read.columns import Columns
from ctx.repository import git_dir
from ctx.text.names import masked, shown_line
from ctx.text.tokens import counter

_HOWS = (  # what makes an entry a result, the most telling first
    "cites the line", "cites the commit", "cites the file", "of a session that cites the commit",
    "cites its name",
)  # fmt: skip
_LINE, _COMMIT, _FILE, _SESSION, _NAME = range(len(_HOWS))
_SPOKEN = ("turn", "summary")
_FOLDERS = re.compile(r"(?<![\w@~.+%/\\-])[\w@~.+%/\\-]{1,300}$")
_AT_LINE = re.compile(r"(?::|#L)(\d{1,9})(?:[-–]L?(\d{1,9}))?")
_HASH = re.compile(r"(?<![\w-])[0-9a-f]{7,40}(?![\w-])")


def _pattern(texts: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(map(re.escape, texts))})(?![\w-]|\.\w)")


class _Wanted(NamedTuple):
    names: tuple[str, ...] = ()  # paths that the file has had, the present one first
    line: int = 0
    commit: str = ""  # the hash of the line's commit, or of the one that is asked about
    about: tuple[str, ...] = ()  # lines on what git knows, or why it does not


def traced(workspace: Workspace, what: str, limit: int) -> SearchResults:
    """Return what cites ``what``: ``FILE``, ``FILE:LINE`` or a commit, as git names it.

    Of a line also what cites the commit that ``git blame`` gives, of a file also what cites a
    former name; entries first, then turns, then calls of tools. ``warnings`` are lines on what git
    knows. Raises UsageError where there is no such file, line or commit.
    """
    wanted = _wanted(workspace, what.strip())
    request = workspace.request()._replace(query=masked(what), ranker="trace")
    counting = counter(workspace.settings.tokenizer)

    def look(context: Context) -> SearchResults:
        return results_of(SearchRequest(request, limit), [Found(_found(context, wanted))], counting)

    about = tuple(map(shown_line, wanted.about))
    return workspace.read(look, archive=True)._replace(warnings=about)


def _wanted(workspace: Workspace, what: str) -> _Wanted:
    path, line = file_of(workspace, what)
    if path:
        return _of_file(workspace, path, line)
    if what[:1] not in ("", "-") and (found := commit_of(workspace, what)):
        return _of_commit(workspace, _Wanted(), found)
    path = os.path.normpath(what.partition(":")[0]).replace(os.sep, "/")
    is_path = "." in path[1:-1] or "/" in path[1:]
    if is_path and not os.path.lexists(os.path.join(workspace.world.cwd, path)):  # a file that was
        return _Wanted((path,), about=(f"{path} is not there: what cites it is found by its name",))
    if git_dir(workspace.project.root) and not commit_of(workspace, "HEAD"):
        raise UsageError(f"{quoted(what)} is no file here, and there are no commits yet")
    raise UsageError(f"{quoted(what)} is neither a file here nor a known commit", "such as HEAD")


def _of_file(workspace: Workspace, path: str, line: int) -> _Wanted:
    project, world = workspace.project.root, workspace.world
    with open(os.path.join(project, path), "rb") as file:
        lines = sum(1 for _ in file) if line else 0
    if line > lines:
        raise UsageError(f"{path}:{line}: the file has {lines:,} lines")
    if not git_dir(project):
        return _Wanted((path,), line)
    log = ("log", "--follow", "--no-show-signature", "--format=", "--name-status", "-M")
    blame = ("blame", "-w", "--porcelain", "-L", f"{line},{line}", "--", path)
    questions = [(*log, "--diff-filter=R", "--", path), blame]
    answers = asked(project, world, *questions[: 2 if line else 1])
    if isinstance(answers, str):
        return _Wanted((path,), line, about=(f"git: {answers}",))
    former = [os.fsdecode(row).split("\t")[1] for row in answers[0].splitlines() if b"\t" in row]
    about = (f"was {', '.join(former)}",) if former else ()
    wanted = _Wanted((path, *former), line, about=about)
    commit = os.fsdecode(answers[1]).partition(" ")[0] if line else ""
    if line and not commit.strip("0"):
        return wanted._replace(about=(*about, f"line {line} is not committed"))
    return _of_commit(workspace, wanted, commit) if commit else wanted


def _of_commit(workspace: Workspace, wanted: _Wanted, commit: str) -> _Wanted:
    show = ("show", "--no-show-signature", "--no-patch", "--format=commit %h (%cs): %s", commit)
    found = asked(workspace.project.root, workspace.world, show)
    text = f"git: {found}" if isinstance(found, str) else found[0].decode("utf-8", "replace")
    return wanted._replace(commit=commit, about=(text.strip(), *wanted.about))


def _found(context: Context, wanted: _Wanted) -> list[Scored]:
    bases = [name.rpartition("/")[2] for name in wanted.names]
    texts = [*dict.fromkeys((*bases, *map(in_label, bases)))]
    name = _pattern(texts) if texts else None
    needles = [text.encode() for text in (*texts, wanted.commit[:7]) if text]
    parts = [part for part in context.parts if not part.source.startswith(FOREIGN)]
    found: dict[str, tuple[int, Entry]] = {}
    stems = set()
    for part in sorted(parts, key=lambda part: part.kind not in _SPOKEN):  # talk first
        talk = part.bodies if part.kind in _SPOKEN and isinstance(part, Columns) else None
        if talk is not None and not any(text in talk for text in needles):
            continue
        for place in range(len(part)):
            entry = part.entry(place)
            text = entry.body if part.kind in _SPOKEN else f"{entry.title}\n{entry.body}"
            hows = [*_files(text, name, wanted), *_commits(text, wanted.commit)]
            if _COMMIT in hows:
                stems.add(entry.source.rpartition("/")[2])
            if part.kind not in _SPOKEN and stems:
                of = (stem.startswith(name) for name in sessions_in(text) for stem in stems)
                hows += [_SESSION] if any(of) else []
            if hows:
                found[entry.id] = min(hows), entry
    newest = sorted(found.values(), key=lambda each: each[1].timestamp, reverse=True)
    best = sorted(newest, key=lambda each: (_rank(each[1]), each[0]))
    return [Scored(entry, 0.0, (), how=_HOWS[how]) for how, entry in best]


def _rank(entry: Entry) -> tuple[int, bool]:
    """Return how little an entry tells: turns less than entries, calls of tools least."""
    is_of_tool = entry.speaker == "tool" or "[tool_use" in entry.title
    return (1 + is_of_tool if entry.kind in _SPOKEN else 0), entry.status == "superseded"


def _commits(text: str, commit: str) -> Iterator[int]:
    if commit and commit[:7] in text:
        for match in _HASH.finditer(text):
            if commit.startswith(match[0]) or match[0].startswith(commit):
                yield _COMMIT


def _files(text: str, name: re.Pattern[str] | None, wanted: _Wanted) -> Iterator[int]:
    for match in name.finditer(text) if name else ():
        before = _FOLDERS.search(text, max(0, match.start() - 300), match.start())
        folders = before[0].replace("\\", "/") if before else ""
        path = unquote(f"{folders}{match[0]}").removeprefix("./")
        if folders and not folders.endswith("/"):
            continue  # another name, which ends alike
        at = _AT_LINE.match(text, match.end())
        is_line = at and int(at[1]) <= wanted.line <= int(at[2] or at[1])
        if any(f"/{path}".endswith(f"/{own}") for own in wanted.names) or (
            "/" in path and any(own.endswith(f"/{path}") for own in wanted.names)
        ):
            yield _LINE if is_line else _FILE
        elif "/" not in path:
            yield _NAME
