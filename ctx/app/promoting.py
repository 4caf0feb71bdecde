"""Promotion as a whole: the turns that are proposed, and what becomes of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ctx.app import noting, promotion
from ctx.app.editing import limits_of
from ctx.app.library import space_of
from ctx.app.links import links_of
from ctx.app.options import PacketOptions
from ctx.app.promotion import Candidate
from ctx.app.session_import import Drawing
from ctx.app.workspace import Workspace
from ctx.errors import CtxError, EmbedderError
from ctx.model import EmbeddingError
from ctx.read.sessions import FOLDER
from ctx.sessions.promotion.near_duplicates import NearDuplicate
from ctx.world import World


class Repeated(NamedTuple):
    """A candidate that repeats an entry, or another candidate."""

    candidate: Candidate
    same: NearDuplicate


class Outcome:
    """What became of the candidates."""

    def __init__(self) -> None:
        self.open: list[Candidate] = []  # proposed, and neither added nor refused
        self.added: list[tuple[Candidate, str]] = []  # each with the id of its entry
        self.refused: list[Repeated] = []  # repeat an entry, old or added just now
        self.again: list[Repeated] = []  # repeat another one of a listing, ``same``
        self.skipped = 0
        self.failed: CtxError | None = None  # why no more was added

    @property
    def proposed(self) -> int:
        """How many were proposed, whatever became of them."""
        return len(self.open) + len(self.again) + len(self.added) + self.skipped


class Proposals:
    """The turns of sessions that deserve to become entries, best first."""

    def __init__(  # noqa: PLR0913 - what is looked at, and who looks on
        self, given: PacketOptions, world: World, sessions: promotion.Sessions, limit: int, *,
        skipped: bool, refuse: Callable[[str], object], drawing: Drawing, root: str,
    ) -> None:  # fmt: skip
        """Find ``limit`` turns at most, those that were ``skipped`` before if they are wanted.

        ``refuse`` gets a line on each file that cannot be read. Raises EmbedderError.
        """
        workspace = Workspace(given, world, root=root)
        settings = workspace.settings
        self._root, self._state = root, sessions.state
        # The local time: entries are dated by the days that people live by.
        self._now = datetime.fromtimestamp(world.now_ns // 10**9).astimezone()
        self._limits = limits_of(settings)._replace(allow_secrets=settings.allow_secrets)
        links = links_of(os.path.dirname(root), world, allow=settings.allow_links)
        known = promotion.memory(root, self._limits)._replace(links=links)
        if not skipped:
            known = known._replace(cited=known.cited | promotion.skipped(sessions.state))
        self._known = known
        for warning in known.warnings:
            refuse(warning)
        rules, quoted = workspace.read(
            lambda context: promotion.conventions(context, sessions, known.cited)
        )
        rules = [*promotion.noted(sessions, known.cited), *rules]
        settled = known._replace(cited=known.cited | quoted)
        most = max(limit - len(rules), 0)
        size = sum(_size(sessions.state, name) for name in sessions.names)
        try:
            space = space_of(settings, world.environ)
            with drawing("sessions", size) as show:
                found = promotion.candidates(
                    sessions, settled, space, most, done=show, refused=refuse
                )
            self.found = promotion.reversing(rules[:limit] + found, known)
            self._near = promotion.duplicates(known, self.found, space)
        except EmbeddingError as error:
            raise EmbedderError(str(error)) from error

    def take(self, *, add: bool) -> Outcome:
        """Add all that repeat nothing, or, without ``add``, only list them."""
        outcome = Outcome()
        listed = {candidate.source for candidate in self.found}
        for place, candidate in enumerate(self.found):
            if same := self._near.of(place):
                above = not add and same.id in listed
                (outcome.again if above else outcome.refused).append(Repeated(candidate, same))
            else:
                outcome.open.append(candidate)
                self._near.accept(place, candidate.source)
        if add and outcome.open:
            self._add_all(outcome)
        return outcome

    def each(self, outcome: Outcome) -> Iterator[tuple[int, Repeated | Candidate]]:
        """Yield candidates by their places, with what they repeat; ``outcome`` gets the latter."""
        for place, candidate in enumerate(self.found):
            same = self._near.of(place)
            if same:
                outcome.refused.append(Repeated(candidate, same))
            yield place, Repeated(candidate, same) if same else candidate

    def accept(self, place: int, candidate: Candidate, outcome: Outcome) -> str:
        """Add the candidate at ``place`` as it was edited; return the id of its entry."""
        (name,) = self._add([candidate], outcome)
        self._near.accept(place, name)
        return name

    def skip(self, place: int, outcome: Outcome) -> None:
        """Propose the candidate at ``place`` no more."""
        promotion.skip(self._state, self.found[place].source)
        self._settle(self.found[place : place + 1])
        outcome.skipped += 1

    def _add_all(self, outcome: Outcome) -> None:
        """Add what is open: all of a kind at once, and one by one where that is refused."""
        # Nobody has read a note of an agent's that no turn of the user holds.
        every = [each for each in outcome.open if not (each.note and each.role != "user")]
        kinds = dict.fromkeys(candidate.kind for candidate in every)
        runs = [[each for each in every if each.kind == kind] for kind in kinds]
        for run in runs:
            try:
                self._add(run, outcome)
            except CtxError:
                try:
                    for candidate in run:
                        self._add([candidate], outcome)
                except CtxError as error:
                    outcome.failed = error
                    break
        names = {candidate.source: name for candidate, name in outcome.added}
        order = [candidate.source for candidate in outcome.open]
        outcome.added.sort(key=lambda added: order.index(added[0].source))
        outcome.open = [each for each in outcome.open if each.source not in names]
        outcome.refused = [
            Repeated(each, same._replace(id=names.get(same.id, same.id)))
            for each, same in outcome.refused
        ]

    def _add(self, candidates: Sequence[Candidate], outcome: Outcome) -> list[str]:
        names = promotion.accept(self._root, candidates, self._known, self._limits, self._now)
        outcome.added += zip(candidates, names, strict=True)
        self._settle(candidates)
        return names

    def _settle(self, candidates: Sequence[Candidate]) -> None:
        """Forget the notes that the user has decided on."""
        notes = {each.note for each in candidates}
        noting.drop(self._state, lambda one: one.id in notes)


def _size(state: str, name: str) -> int:
    try:
        return os.stat(os.path.join(state, FOLDER, name)).st_size
    except OSError:
        return 0  # it is named when it is read
