"""What a host loads by itself, which need not be sent, and what of a project it may be sent."""

import os
import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from ctx.model import Document, Host, Loads, Origin, Source
from ctx.repository import main_checkout
from ctx.typed import NamedTuple

_MOST_ABOVE = 8  # folders above a project in which signs are looked for
NO_SCOPE = ": frontmatter is not"  # of a file whose scope nobody knows
_MOST_BYTES = 1024 * 1024  # of a settings file that is looked into


class Reached(NamedTuple):
    """A file of a source, as it is reached."""

    inside: str  # its path, relative to the project's root
    origins: Collection[str]  # the names of all sources that read it, or import it, or link to it
    bases: Collection[str]  # the folders for which they do, from the root; empty for the root


Look = Callable[[str], None]  # notes the signature of a file at an absolute path


class Loading:
    """Finds which files of a project a host loads."""

    def __init__(self, host: Host, origins: Iterable[Origin], project: str, look: Look) -> None:
        """Find them for ``host`` in the folder ``project``; ``look`` notes what was looked at."""
        self._host = host
        self._project = project
        self._note = look
        self._signs: dict[tuple[str, str], bool] = {}  # signs of ``Loads.unless``, by path and text
        self._leads: dict[str, bool] = {}  # whether paths lead out of the project
        self._main = main_checkout(project) if host.name else project
        self._loads = {
            origin.name: (origin, own)
            for origin in origins
            if (own := [loads for loads in origin.loads if loads.host == host.name])
        }

    def documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents that the host does not list by itself."""
        for document in documents:
            every = (loads for _, own in self._loads.values() for loads in own)
            folders = (place for loads in every for place in loads.places)
            if not any(f"/{place}" in document.path for place in folders if place[-1] == "/"):
                yield document

    def may_be_sent(self, source: Source, reached: Mapping[str, Reached]) -> bool:
        """Whether a file may be sent: any of a trusted project, else what the host loads.

        None that the host replaces by another one.
        """
        folder = posixpath.dirname(reached[source.path].inside) if source.path in reached else ""
        for loads in self._loads.get(source.origin, (None, ()))[1]:
            name = loads.replaced_by
            if name and self._is_there(f"{folder}/{name}"):
                return False
        if self._host.trusted or source.path not in reached:
            return self._host.trusted
        file = reached[source.path]
        host = self._host._replace(agent="")  # what its main agent has, subagents may have
        of_host = (loads for name in file.origins for loads in self._that_load(name, source, file))
        return any(_is_of(loads, host) for loads in of_host)

    def _moment(self, name: str, source: Source, reached: Reached) -> str:
        """Return when the host loads a file of a source, as ``Context.moments``; empty: never."""
        host, scope = self._host, source.scope
        if host.absent and os.path.normpath(f"{self._project}/{reached.inside}") in host.absent:
            return ""
        moments = {
            moment
            for loads in self._that_load(name, source, reached)
            if _is_of(loads, host)
            and not any(self._has(sign, posixpath.dirname(reached.inside)) for sign in loads.unless)
            for moment in loads.moments
        }
        if scope is None or scope.mode == "always":
            return "start" if "start" in moments else ""
        if scope.dialect == "folder" and f"{host.cwd}/".startswith(f"{scope.base}/"):
            return "start" if "start" in moments else ""
        if scope.mode != "match":
            return ""
        return "touch" if "edit" in moments else "read" if "read" in moments else ""

    def _that_load(self, name: str, source: Source, reached: Reached) -> Iterator[Loads]:
        """Yield why the host loads a file that the source ``name`` reads, by its name and place."""
        origin, own = self._loads.get(name, (None, ()))
        path = reached.inside
        is_import = (
            origin
            and origin.imports
            and posixpath.basename(path) not in map(posixpath.basename, origin.places)
        )
        is_outer = is_import and not path.startswith(f"{self._host.cwd}/".lstrip("/"))
        for loads in own:
            if not (
                _is_doubtful(origin, source, path)
                or (is_outer and "outer imports" not in loads.resolves)
                or (self._leads_out(path) and "links" not in loads.resolves)
                or (source.origin == name and loads.places and not path.startswith(loads.places))
                or (
                    loads.in_repository
                    and posixpath.dirname(path) != self._host.cwd
                    and not self._is_there(".git")
                )
                or (is_import and "imports" not in loads.resolves)
                or any(
                    self._has(sign, posixpath.dirname(path))
                    for sign in loads.unless
                    if ": " not in sign
                )
            ):
                yield loads

    def _leads_out(self, path: str) -> bool:
        """Whether a file of the project is, or is below, a link that leads out of it."""
        if path not in self._leads:
            real = os.path.realpath(os.path.join(self._project, path))
            self._leads[path] = not real.startswith(os.path.realpath(self._project) + os.sep)
        return self._leads[path]

    def _has(self, sign: str, folder: str) -> bool:
        """Whether a sign of ``Loads.unless`` is in ``folder``, where the host works, or above that.

        Local settings count where those of the main checkout have it, too.
        """
        name, _, text = sign.partition(": ")
        path = os.path.join(self._project, os.path.expanduser(name))
        if text:
            main = os.path.join(self._main, name) if ".local." in name else path
            return self._look(path, text) or self._look(main, text)
        cwd = f"{self._host.cwd}/"
        above = {"", folder} | {cwd[:end] for end, char in enumerate(cwd) if char == "/"}
        if "/" not in name:  # which hosts find above the repository as well
            above |= {os.path.join(*[os.pardir] * up) for up in range(1, _MOST_ABOVE)}
        return any(self._look(os.path.join(self._project, each, name)) for each in above)

    def _is_there(self, name: str) -> bool:
        """Whether the project holds a file or folder of this name, also an empty one."""
        path = os.path.normpath(f"{self._project}/{name}")
        self._note(path)
        return os.path.exists(path)

    def _look(self, path: str, text: str = "") -> bool:
        """Whether a file is there, and holds ``text``."""
        if (path, text) not in self._signs:
            self._note(path)
            self._signs[path, text] = _holds(path, text)
        return self._signs[path, text]

    def moments(self, reached: Mapping[str, Reached], sources: Iterable[Source]) -> dict[str, str]:
        """Return when the host loads each of the ``sources`` that it loads, by path.

        At the start of a source that it cuts only those from the root down that fit; and nothing
        of which the session has received any.
        """
        found = {
            source.path: (source, reached[source.path])
            for source in sources
            if self._loads and source.path in reached
        }
        moments = {
            path: next(filter(None, (self._moment(name, *pair) for name in pair[1].origins)), "")
            for path, pair in found.items()
        }
        for origin, own in self._loads.values():
            for most in (loads.most_bytes for loads in own if loads.most_bytes):
                names = {path: found[path][1].origins for path in found if moments[path]}
                chain = [path for path, origins in names.items() if origin.name in origins]
                used = 0
                for path in sorted(chain, key=lambda path: found[path][1].inside.count("/")):
                    used += found[path][0].size
                    if used > most:
                        moments[path] = ""
        received = {id_.rpartition("#")[0] for id_ in self._host.received}
        return {
            path: moment
            for path, moment in moments.items()
            if moment and (moment != "start" or path not in received)
        }


def _is_doubtful(origin: Origin | None, source: Source, path: str) -> bool:
    """Whether its host may not read a file by its name or its frontmatter."""
    if origin is None or source.origin != origin.name:
        return False
    endings = tuple(place.rpartition("*")[2] for place in origin.places if "*" in place)
    is_named = posixpath.basename(path) in map(posixpath.basename, origin.places)
    patterns = source.scope.patterns if source.scope and source.scope.ignores else ()
    return (
        bool(endings and not is_named and not path.endswith(endings))
        or (origin.scope is not None and any(NO_SCOPE in line for line in source.warnings))
        or any(each.startswith("./") for each in patterns)  # in a ``.gitignore`` it matches nothing
    )


def _holds(path: str, text: str) -> bool:
    """Whether a file holds ``text``, or anything."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES)
            return text.encode() in data if text else bool(data)
    except OSError:
        return False


def _is_of(loads: Loads, host: Host) -> bool:
    """Whether this version of a host, and this subagent, loads as ``loads`` has it."""
    version = _numbers(host.version)
    return (
        version >= _numbers(loads.since)
        and (not loads.until or [] < version < _numbers(loads.until))
        and (not host.agent or ("subagent" in loads.moments and host.agent not in loads.bare))
        and (not (host.agent and loads.agents) or host.agent in loads.agents)
    )


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]
