"""A context directory and what belongs to it: settings, caches, the project around it.

A face of the program makes one ``Workspace`` a call, and hands it to what the program does.
"""

from __future__ import annotations

import os
from contextlib import closing, nullcontext
from datetime import date
from functools import cached_property

from ctx.app.build import QUERY_CHARS, in_focus
from ctx.app.find import NAME, everywhere, find, here, upwards
from ctx.app.settings import load, store_mark
from ctx.app.walk import asks_for_words, directory
from ctx.config import alternatives
from ctx.errors import FileError, UsageError
from ctx.hosts.sources import HOSTS, NEAR
from ctx.model import BY_AGE, CacheLossError, Host, Request, Tuning
from ctx.rank import BY_QUERY
from ctx.repository import Surroundings, User, git_dir
from ctx.store import Store, look, open_store
from ctx.store.no_cache import WordsInMemory
from ctx.typed import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextlib import AbstractContextManager

    from ctx.app.options import PacketOptions
    from ctx.app.settings import Loaded
    from ctx.config import Settings
    from ctx.edit.links import Links
    from ctx.model import Context, Library, ParseCache
    from ctx.world import World

_MB = 1024 * 1024
_Answer = TypeVar("_Answer")


class Project(NamedTuple):
    """A context directory's surroundings."""

    root: str  # the repository's root, or the folder that holds the context directory without one
    levels: tuple[str, ...]  # its folders of documents, relative to the context directory: ``..``…
    absent: Mapping[str, tuple[int, ...]]  # what was looked at up to the repository's root


MOST_LEVELS = 200  # folders in which documents are looked for: those of a mass rename are no focus


def project_of(root: str, home: str) -> Project:
    """Return the repository of ``root``; without one, or above the home, the folder beside."""
    folders = list(upwards(os.path.dirname(root), home))
    marks = [os.path.join(folder, ".git") for folder in folders]
    if git_dir(folders[-1]):
        marks.pop()
    else:
        folders = folders[:1]
    levels = tuple("/".join([".."] * (steps + 1)) for steps in range(len(folders)))
    return Project(folders[-1], levels, {mark: look(mark) for mark in marks})


def levels_of(root: str, project: Project, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the folders of documents, relative to ``root``: the project's, and above ``paths``."""
    inner = {
        path[:end]
        for path in paths
        for end, char in enumerate(path)
        if char == "/" and path[:2] != ".."
    }
    near = sorted(inner, key=lambda folder: (-folder.count("/"), folder))[:MOST_LEVELS]
    names = (os.path.relpath(os.path.join(project.root, folder), root) for folder in near)
    slashed = (name.replace(os.sep, "/") for name in names)
    return (*(name for name in slashed if name not in project.levels), *project.levels)


def documents_of(request: Request) -> list[str]:
    """Return the names of the documents that any folder of the project may hold."""
    return sorted({*NEAR, *(name for group in request.authored for name in group)})


def _host(given: str | None, cwd: str) -> Host:
    name, _, version = (given or "").strip().lower().partition("@")
    if name and name not in HOSTS:
        raise UsageError(f"--host: {given!r} is no host", f"one of {', '.join(HOSTS)}")
    return Host(name, version, cwd)


def focused(options: PacketOptions, world: World, warn: Callable[[str], None]) -> Workspace:
    """Return the workspace of a call, with its files in focus; raises NoDirectoryError."""
    root = find(options.dir or "", world, options.focus or ())
    return Workspace(in_focus(options, root, world, warn), world, root=root)


class Workspace:
    """A context directory, the options of a call, and the world as it was when the call began."""

    def __init__(
        self,
        options: PacketOptions,
        world: World,
        *,
        root: str = "",
        settings: Settings | None = None,
        reads_project: bool = True,
    ) -> None:
        """Find the directory, unless it is given as ``root``; NoDirectoryError where there is none.

        ``settings`` hold instead of those that are loaded; without ``reads_project`` the settings
        file of the project is left out.
        """
        self.options = options
        self.world = world
        self.root = root or find(options.dir or "", world)
        self._settings = settings
        self._reads_project = reads_project

    @cached_property
    def loaded(self) -> Loaded:
        """The settings with the origin of each; SettingsError and UsageError for wrong ones."""
        return load(self.root if self._reads_project else "", self.world, self.options)

    @property
    def settings(self) -> Settings:
        """The settings of this call."""
        return self._settings or self.loaded.settings

    @cached_property
    def store(self) -> Store:
        """What is kept for this directory; its folders are made if need be."""
        return self.world.store(self.root, make=True)

    @cached_property
    def project(self) -> Project:
        """The project around the directory."""
        return project_of(self.root, self.world.home)

    def having(
        self,
        settings: Settings | None = None,
        *,
        options: PacketOptions | None = None,
        reads_project: bool = True,
    ) -> Workspace:
        """Return the same with other settings or options; the project's lookups are kept."""
        other = Workspace(
            options or self.options, self.world, root=self.root, settings=settings,
            reads_project=reads_project and self._reads_project,
        )  # fmt: skip
        same = ("store", "loaded") if options is None and reads_project else ("store",)
        other.__dict__.update({name: self.__dict__[name] for name in same if name in self.__dict__})
        return other

    @property
    def links(self) -> Links:
        """Which links are followed where something is written."""
        from ctx.app.links import links_of  # not for who reads

        return links_of(os.path.dirname(self.root), self.world, allow=self.settings.allow_links)

    @cached_property
    def surroundings(self) -> Surroundings:
        """Which files around the directory are left out, for being another's."""
        world = self.world

        def trusts(folder: str) -> bool:
            store = world.store(os.path.join(folder, NAME))
            around.looked += store.trust_seen()
            return store.is_trusted()

        user = User(world.environ, world.home)
        around = Surroundings(self.project.root, self.root, user, trusts)
        return around

    def request(self) -> Request:
        """Return what the options and the settings ask for; UsageError for a wrong day."""
        options, settings = self.options, self.settings
        day = options.as_of or self.world.today
        try:
            as_of = date.fromisoformat(day)
        except ValueError:
            raise UsageError(f"--as-of: {day!r} is not a date", "such as 2026-11-21") from None
        query = (options.query or "")[:QUERY_CHARS]
        focus: tuple[str, ...] = ()
        if options.focus:
            from ctx.app.focus import relative_to

            focus = relative_to(self.project.root, options.focus)
        cwd = self.world.cwd and os.path.relpath(self.world.cwd, self.project.root)
        cwd = "" if cwd == os.curdir else cwd.replace(os.sep, "/")
        ranker = settings.ranker
        if ranker == "auto":  # by age where there is nothing to go by
            ranker = BY_QUERY if query or focus or settings.embedder != "none" else BY_AGE
        return Request(
            root=self.root,
            state=open_store(self.root, self.world.environ, self.world.home).shared,
            as_of=as_of,
            project=self.project.root,
            levels=levels_of(self.root, self.project, (*focus, f"{cwd}/")),
            roots=tuple(f"{level}/{NAME}" for level in self.project.levels[1:]),
            authored=alternatives(settings.authored),
            sources=settings.sources,
            everywhere=everywhere(self.root, self.world),
            shown_root=here(self.root, "", self.world.cwd),
            session=settings.session,
            budget=settings.budget,
            format=settings.format,
            query=query,
            tokenizer=settings.tokenizer,
            hard_share=settings.hard_share,
            tasks_share=settings.tasks_share,
            conventions_share=settings.conventions_share,
            tail_share=settings.tail_share,
            tail_turns=settings.tail_turns,
            tuning=Tuning(
                (settings.similarity_weight, settings.recency_weight, settings.scope_weight),
                {
                    "session": max(0.0, settings.session_decay),
                    "project": max(0.0, settings.project_decay),
                    "global": max(0.0, settings.global_decay),
                },
                settings.first_pass,
                settings.second_pass,
            ),
            ranker=ranker,
            planner=settings.planner,
            fill="none" if settings.fill == "none" else "recent",
            rules=settings.rules,
            allow_overshoot=bool(options.allow_overshoot),
            focus=focus,
            host=_host(options.host, cwd),
            news_only=bool(options.delta),
            resume=bool(options.resume),
            figures=bool(options.log_json or options.figures),
            metrics=bool(options.log_json),
            max_file_bytes=settings.max_file_mb * _MB,
            refuses=self.surroundings.why,
            allow_links=settings.allow_links,
            allow_secrets=settings.allow_secrets,
            explain=bool(options.explain),
        )

    def whole(self) -> Request:
        """Return the request for all that there is: with the documents of all folders, by git."""
        from ctx.app.focus import listed

        request = self.request()
        paths = listed(request.project, documents_of(request), self.world)
        near = [level for level in request.levels if level not in self.project.levels]
        levels = dict.fromkeys((*near, *levels_of(self.root, self.project, paths)))
        return request._replace(levels=(*levels,))

    def walk(self, work: Callable[[ParseCache, Library], _Answer], request: Request) -> _Answer:
        """Return what ``work`` makes with the caches, or without them where they fail."""
        store, mark = self.store, store_mark(self.settings)
        try:
            while True:
                try:
                    with (
                        store.parse_cache(mark, self.world.now_ns) as cache,
                        self._library(store, request) as library,
                    ):
                        answer = work(cache, library)
                        cache.forget_others(request.root)
                        return answer
                except CacheLossError:
                    if not store.cache:
                        raise
                    # The damaged row is gone; what was remembered is read from the files.
                    store = Store(state=store.state)
        except OSError as error:
            raise FileError(f"{request.root}: cannot be read: {error.strerror}") from error

    def _library(self, store: Store, request: Request) -> AbstractContextManager[Library]:
        if not asks_for_words(request):
            return nullcontext(WordsInMemory())  # which is not asked
        from ctx.app.library import Library as Words

        return closing(Words(store, self.settings, self.world.environ, request.as_of))

    def read(
        self, look: Callable[[Context], _Answer], *, archive: bool = False, own: bool = False
    ) -> _Answer:
        """Return what ``look`` makes of the whole directory, without making a packet.

        Its ``own`` entries alone are those that may be edited: without the user's for all projects.
        Bodies of entries can be read while ``look`` runs, and not later. It may be called again
        where the cache turns out to be damaged. Raises FileError where the directory cannot be
        listed.
        """
        request = (self.request() if own else self.whole())._replace(ranker=BY_AGE, query="")
        if own:
            request = request._replace(everywhere=("", ""), roots=())
        return self.walk(
            lambda cache, _: look(directory(request, cache, archive=archive, whole=True)), request
        )
