"""Search entries and turns."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ctx.app.entries import kind_of
from ctx.app.options import SearchOptions
from ctx.app.walk import find, results_of
from ctx.app.workspace import Workspace
from ctx.config import day, quoted, share, whole_number
from ctx.errors import UsageError
from ctx.model import KINDS, STATUSES, Found, Library, ParseCache, SearchRequest, SearchResults
from ctx.rank import BY_QUERY, FINDERS, asks
from ctx.text.tokens import counter

if TYPE_CHECKING:
    from ctx.app.shared import Asking

DEFAULT_LIMIT = 10


def find_entries(options: SearchOptions, *workspaces: Workspace) -> SearchResults:
    """Return what the directories hold about ``options.query``, by the settings of the first."""
    if not (options.query or "").strip():
        raise UsageError("QUERY: is empty", "such as: ctx search 'retry policy'")
    first, *others = [_request(options, workspace) for workspace in workspaces]
    # What holds in every project is found once.
    searches = [
        first,
        *(one._replace(request=one.request._replace(everywhere=("", ""))) for one in others),
    ]
    counting = counter(workspaces[0].settings.tokenizer)
    asking = _asking(options, first, workspaces[0])

    def search(done: tuple[Found, ...]) -> SearchResults:
        """Search what is left, with the caches of what is done open: results are read from them."""
        if len(done) == len(searches):
            if asking is None:
                return results_of(searches[0], done, counting)
            from ctx.app.shared import joined

            others, why = asking.found()
            results = results_of(searches[0], [joined(done, others)], counting)
            return results._replace(warnings=(*results.warnings, *filter(None, (why,))))
        asked = searches[len(done)]

        def work(cache: ParseCache, library: Library) -> SearchResults:
            return search((*done, _in(asked, find(asked, cache, library), several=several)))

        return workspaces[len(done)].walk(work, asked.request)

    several = len(searches) > 1
    return search(())


def _asking(options: SearchOptions, asked: SearchRequest, workspace: Workspace) -> "Asking | None":
    if not (options.shared or options.repo):
        return None
    from ctx.app.shared import Asking  # and with it psycopg

    names = [name.strip() for given in options.repo or () for name in given.split(",")]
    return Asking(asked, workspace.settings, workspace.world, [*filter(None, names)])


def _in(asked: SearchRequest, found: Found, *, several: bool) -> Found:
    root = asked.request.root
    if not several:
        return found
    scored = [each._replace(directory=root) for each in found.scored]
    warnings = tuple(f"{root}: {warning}" for warning in found.warnings)
    return found._replace(scored=scored, warnings=warnings)


def _request(options: SearchOptions, workspace: Workspace) -> SearchRequest:
    whole = options.budget is not None
    limit = None if whole else DEFAULT_LIMIT
    if options.limit is not None:
        limit = whole_number("--limit", options.limit, least=1)
    request = workspace.whole()
    if not asks(request.ranker).words:
        if workspace.options.ranker == request.ranker:
            raise UsageError(
                f"--ranker: {request.ranker} orders a whole directory and finds nothing",
                f"one of {', '.join(FINDERS)}",
            )
        # By the settings, which are about packets.
        request = request._replace(ranker=BY_QUERY)
    least = None
    if options.min_relevance is not None:
        least = share("--min-relevance", options.min_relevance)
    kinds = frozenset(kind_of(name, "--kind") for name in _split(options.kind or ())) or KINDS
    since = options.since or ""
    if options.since is not None:
        since = day("--since", since, str(request.as_of)).isoformat()
    statuses = _statuses(options.status or (), everything=bool(options.all))
    archive = bool(options.archive or options.all or "archived" in statuses)
    named = bool(options.named)
    return SearchRequest(request, limit, whole, kinds, since, archive, statuses, named, least)


def _split(given: Iterable[str]) -> list[str]:
    return [name.strip().lower() for names in given for name in names.split(",")]


def _statuses(given: Sequence[str], *, everything: bool) -> frozenset[str]:
    names = _split(given)
    for name in names:
        if name not in STATUSES:
            raise UsageError(
                f"--status: unknown status {quoted(name)}", f"one of {', '.join(STATUSES)}"
            )
    if everything and names:
        raise UsageError("--all: shows every status; --status names some", "give one of the two")
    return frozenset(["all"] if everything else names)
