"""Where an entry came from: the session, the commit and the files that it is written with."""

import os
import re
from collections.abc import Iterator, Sequence

from ctx.app.focus import asked, relative_to
from ctx.app.workspace import Workspace
from ctx.config import quoted
from ctx.errors import UsageError
from ctx.model import session_file
from ctx.repository import git_dir

Cited = tuple[str, str]  # ``session``, ``commit`` or ``file``, and its name

_UUID = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4})(?:-[0-9a-f]{4}){2}-[0-9a-f]{12}", re.IGNORECASE)
"""Its first two groups are unique, and name the session."""
_PLACE = re.compile(r"(.+?)(?::(\d{1,9}))?")
_SESSIONS = re.compile(
    r"(?<![\w`])#session:([^\s`]+)|(?:: |, )session ([\w.@-]+)|\bsessions/([^\s#]+)\.jsonl#"
)


def cited(workspace: Workspace, given: Sequence[Cited]) -> Iterator[Cited]:
    """Yield what is ``given`` as it is written; UsageError for a commit or file that is not there.

    Of a session a name without white space, of a UUID its beginning; of a file its path in the
    project, and its line.
    """
    for kind, name in given:
        if kind == "session":
            uuid = _UUID.fullmatch(name)
            plain = name if re.fullmatch(r"[\w.@-]{1,100}", name) else session_file(name)[:-6]
            yield kind, uuid[1].lower() if uuid else plain
        elif kind == "commit":
            if not (found := commit_of(workspace, name)):
                raise UsageError(f"--commit: git knows no commit {quoted(name)}", "such as HEAD")
            yield kind, found[:12]
        else:
            path, line = file_of(workspace, name)
            if not path:
                raise UsageError(f"--file: {quoted(name)} is no file of the project")
            yield kind, f"{path}:{line}" if line else path


def in_label(name: str) -> str:
    """Return a name as a label holds it: without white space."""
    return re.sub(r"[%\s`]", lambda found: f"%{ord(found[0]):02X}", name)


def sessions_in(body: str) -> list[str]:
    """Return the sessions that an entry cites, as written: how their names begin."""
    return ["".join(found) for found in _SESSIONS.findall(body)]


def commit_of(workspace: Workspace, name: str) -> str:
    """Return the hash of ``name``; without a repository its digits, empty where git knows none."""
    project = workspace.project.root
    if not git_dir(project):
        return name if re.fullmatch(r"[0-9a-f]{7,40}", name) else ""
    question = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    found = asked(project, workspace.world, question) if "\0" not in name else ""
    return "" if isinstance(found, str) else os.fsdecode(found[0]).strip()


def file_of(workspace: Workspace, given: str) -> tuple[str, int]:
    """Return the path of a file in the project, and its line or 0; an empty path for no file."""
    place = _PLACE.fullmatch(given)
    for name, line in ((given, 0), (place[1], int(place[2] or 0))) if place else ():
        path = os.path.normpath(os.path.join(workspace.world.cwd, os.path.expanduser(name)))
        if "\0" not in path and os.path.isfile(path):
            found = relative_to(workspace.project.root, [path])
            return (found[0], line) if found and found[0][:3] != "../" else ("", 0)
    return "", 0
