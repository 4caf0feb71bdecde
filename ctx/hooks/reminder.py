"""The reminder of a decision that nobody wrote down, which git has run after a commit."""

from __future__ import annotations

import os
import shlex
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ctx.app.find import find
from ctx.app.focus import asked
from ctx.app.options import HookOptions
from ctx.errors import OK, CtxError
from ctx.hooks import call as log
from ctx.hooks.call import Call
from ctx.hosts import GIT, GIT_EVENT
from ctx.streams import answers, complain
from ctx.text.english import FUNCTION, words_of
from ctx.text.names import shown, shown_line
from ctx.text.regex import regex
from ctx.text.stamps import of_heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctx.world import World

SECONDS = 1.0  # within which git has to answer, each time
_UNDER_WAY = ("rebase-merge", "rebase-apply", "sequencer")  # there while commits are made again
_TITLE = 70  # characters of a subject that are repeated

MANY = 40  # files from which on a commit changes the shape of a project

_KIND = regex(r"\A\w+(?:\([^)]*\))?!?:\s+")  # how a subject names its kind: ``feat(api)!: ``
_DECIDES = regex(  # words of a subject by which it names a choice, whatever it is about
    r"""(?ix) \b (?: decid(?:e|es|ed|ing)\s+(?:to|on|against|for) | decision(?=\s*:)
    | standardi[sz](?:e|es|ed|ing)\s+on ) \b | \A (?:we\s+)? deprecat(?:e|es|ed|ing) \b"""
)
_CHOOSES = regex(
    r"""(?ix) \b (?:
    switch(?:es|ed|ing)?\s+(?:\S+\s+){0,6}?to\b
    | migrat(?:e|es|ed|ing|ion)\s+(?:\S+\s+){0,4}?(?:to|from|off|onto|away)\b
    | adopt(?:s|ed|ing|ion)?
    | replac(?:e|es|ed|ing)\s+(?:\S+\s+){1,6}?(?:with|by)\b
    | (?:use|uses|using)\s+(?:\S+\s+){1,6}?instead\s+of\b
    | mov(?:e|es|ed|ing)\s+(?:\S+\s+){0,4}?(?:from\s+(?:\S+\s+){1,4}?to|away\s+from)\b
    | drop(?:s|ped|ping)?\s+(?:\S+\s+){0,4}?support\b
    | rewrit(?:e|es|ten|ing)\s+(?:\S+\s+){1,6}?in\b
    | choos(?:e|es|ing) | chose | opt(?:s|ed)?\s+for\b
    ) (?!\w)"""
)
"""Words of a subject by which it names a choice, if it is one of technologies."""
_WORDS = regex(r"[^\W_][\w.+#/@-]*")
_QUIET = regex(  # how subjects of commits begin in which nothing is decided
    r"""(?ix) \A (?:
    (?:fixup|squash|amend)! | revert\b | merge\b | wip\b | bump(?:s|ed)?\b | release\b
    | v?\d+(?:\.\d+)+\b | (?:chore|build)\(deps(?:-dev)?\) | update\s+dependenc
    | (?:style|docs?|tests?|ci|format|lint)(?:\([^)]*\))?!?: | re?format | lint\b | typos?\b
    | (?:hot|bug)?-?fix(?:e[sd]|ing)?\b
    | (?:add|improve|speed\s+up|update)\s+(?:\S+\s+)?tests?\b
    | tests?\b | clean\s*-?up\b | tidy\b | silence\b
    )"""
)
_TEST = regex(  # paths of tests: what is changed in them is built on by nobody
    r"""(?ix) (?:^|/) (?: tests? | specs? | __tests__ | testdata | fixtures ) /
    | (?:^|/) (?: test_[^/]* | conftest\.py | [^/]*[._-](?:test|spec|tests)\.\w+ ) $"""
)
_DEPENDS = regex(
    r"""(?x) (?:^|/) (?: pyproject\.toml | setup\.(?:py|cfg) | requirements[\w.-]*\.txt | Pipfile
    | package\.json | Cargo\.toml | go\.mod | pom\.xml | build\.gradle(?:\.kts)? | Gemfile
    | composer\.json | mix\.exs | pubspec\.yaml | Package\.swift | [^/]+\.(?:cs|fs|vb)proj
    | CMakeLists\.txt | conanfile\.(?:py|txt) | vcpkg\.json | deno\.jsonc?
    | environment\.ya?ml ) $"""
)
_SCHEMA = regex(
    r"""(?ix) (?: (?:^|/) (?: migrations? | alembic/versions | db/migrate ) / [^/]+$
    | (?:^|/) (?: schema\.(?:sql|prisma|graphql|rb|json|ya?ml) | openapi[^/]* | swagger[^/]* ) $
    | \. (?: proto | avsc | graphqls? | thrift | fbs ) $ )"""
)
_RUNS = regex(
    r"""(?ix) (?: (?:^|/) (?: Dockerfile[^/]* | (?:docker-)?compose[^/]*\.ya?ml | Procfile
    | Chart\.yaml | serverless\.ya?ml | Vagrantfile | flake\.nix ) $
    | \. (?: tf | bicep ) $ | (?:^|/) (?: k8s | kubernetes | helm | terraform | infra ) / )"""
)
_SHAPE = regex(r"(?i)(?:^|/)(?:architecture|adr|rfcs?|design)(?:/|[^/]*\.(?:md|rst|adoc)$)")


def reminder(subject: str, changes: Sequence[tuple[str, str]]) -> str:
    """Return why a commit looks like a decision, or nothing.

    ``changes`` are letters as git gives them (A, M, D, R…) and paths with forward slashes.
    """
    subject = subject.strip()
    if _QUIET.match(subject) or (changes and all(_TEST.search(path) for _, path in changes)):
        return ""
    word = _choice(subject)
    if word:
        return f"it says {word!r}"
    for kind, pattern, letters in (
        ("the schema", _SCHEMA, "AMDR"),
        ("what it depends on", _DEPENDS, "ADR"),
        ("how it runs", _RUNS, "ADR"),
        ("the architecture", _SHAPE, "A"),
    ):
        for letter, path in changes:
            if letter[:1] in letters and pattern.search(path):
                return f"it changes {kind}: {path}"
    return f"it changes {len(changes):,} files" if len(changes) >= MANY else ""


def _choice(subject: str) -> str:
    bare = _KIND.sub("", subject)
    found = _DECIDES.search(subject) or _DECIDES.search(bare)
    if not found:
        found = _CHOOSES.search(bare)
        if not found or not any(map(_is_name, _WORDS.findall(bare[found.start() :]))):
            return ""
    return next(word for word in found[0].lower().split() if word != "we")


def _is_name(word: str) -> bool:
    word = word.rstrip(".,:;").lower()
    plain = words_of(*FUNCTION, "rarer", "numbers", "choosing", "code")  # no technologies
    return word not in plain and not word.endswith("ing")


_COMMENT = regex(r"(?s)<!--.*?(?:-->|\Z)")
_ENTRY = regex(r"(?m)^##+[ \t]++[^\r\n]*\S")


def headings(text: str) -> set[str]:
    """Return the headings of the entries in a file of decisions; none of its comments."""
    return {found.rstrip() for found in _ENTRY.findall(_COMMENT.sub("", text))}


def seconds_of(heading: str) -> float | None:
    """Return the time in a ``heading``, local, in seconds since 1970; None for a mere day."""
    written = of_heading(heading.lstrip("# \t")).timestamp
    try:
        return time.mktime(time.strptime(f"{written:0<17}", "%Y-%m-%d-%H%M%S"))
    except (ValueError, OverflowError):
        return None


def run(event: str, named: str, world: World) -> int:
    """Write one line to standard error if the last commit looks like a decision; return 0."""
    call = Call(GIT, event, HookOptions())
    root = ""
    try:
        root = find(named, world)
        line, why = (
            _reminder(root, world) if event == GIT_EVENT else ("", f"git asks at {GIT_EVENT}")
        )
        call.ends("answered" if line else "silent")
        if line:
            complain(line)
    except CtxError as error:
        call.ends("fault", type(error).__name__)
        why = error.message
    except (OSError, ValueError) as error:
        call.ends("fault", type(error).__name__)
        why = call.reason
    if why and answers():
        complain(f"nothing to remind of: {shown_line(why)}")
    if root:
        log.note(call, root, world)
    return OK


def _reminder(root: str, world: World) -> tuple[str, str]:
    folder = os.path.dirname(root)
    places = ask_git(folder, world, "rev-parse", "--absolute-git-dir", "--show-toplevel")
    if places is None:
        return "", "git names no repository here"
    own, _, top = places.decode("utf-8", "surrogateescape").rstrip("\n").partition("\n")
    if any(os.path.exists(os.path.join(own, name)) for name in _UNDER_WAY):
        return "", "a rebase or a cherry-pick is under way"
    log_entry = ask_git(
        folder, world, "log", "-1", "--no-renames", "--name-status", "-z",
        "--format=%P%x00%ct%x00%s%x00",
    )  # fmt: skip
    if log_entry is None:
        return "", "there is no commit, or git did not answer in time"
    parents, made, subject, *rest = log_entry.decode("utf-8", "surrogateescape").split("\0")
    names = [part.lstrip("\n") for part in rest if part.strip("\n")]
    parent, *others = parents.split() or [_NO_FILES]
    inside = os.path.relpath(os.path.realpath(root), os.path.realpath(top)).replace(os.sep, "/")
    changes = list(zip(names[::2], names[1::2], strict=False))
    why = "" if others else reminder(subject, changes)
    if not why:
        what = "is a merge" if others else "does not look like a decision"
        return "", f"the last commit ({shown_line(subject)[:_TITLE]}) {what}"
    if _is_written(root, inside, int(made), parent, world):
        return "", "a decision was written with it, or in the half hour before it"
    title = shown(" ".join(subject.split()))[:_TITLE].rstrip()
    add = f"ctx add decision {shlex.quote(title)}"
    return f"this commit looks like a decision ({shown_line(why)}); write down why: {add}", ""


_RECENT = 30 * 60  # seconds before a commit in which a decision was written for it


def _is_written(root: str, inside: str, made: int, before: str, world: World) -> bool:
    """Whether an entry was written for a commit: in it, beside it, or just before it."""
    entries = {one for text in _decisions(root) for one in headings(text)}
    since = made - _RECENT
    until = world.now_ns // 10**9 + _RECENT
    times = map(seconds_of, entries)
    if any(since <= time <= until for time in times if time is not None):
        return True
    # Against the commit before: what is in this one, and what the next one will bring.
    top = f":(top,icase,literal){inside}/" if inside != "." else ":(top,icase,literal)"
    diff = ask_git(
        os.path.dirname(root), world, "diff", "--no-ext-diff", "--no-textconv", "--no-color",
        "--unified=0", before, "--", f"{top}DECISIONS.md", f"{top}decisions/",
    )  # fmt: skip
    added = (diff or b"").decode("utf-8", "replace").splitlines()
    return any(line[1:].rstrip() in entries for line in added if line.startswith("+#"))


_NO_FILES = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the tree that holds nothing, to git
_MOST_BYTES = 4 * 1024 * 1024


def _decisions(root: str) -> Iterator[str]:
    for path in filter(os.path.isfile, _files(root)):  # nobody waits for a pipe
        with suppress(OSError), open(path, "rb") as file:
            yield file.read(_MOST_BYTES).decode("utf-8", "replace")


def _files(root: str) -> Iterator[str]:
    for name in os.listdir(root):
        path = os.path.join(root, name)
        if name.lower() == "decisions.md":
            yield path
        elif name.lower() == "decisions" and os.path.isdir(path):
            yield from (os.path.join(path, one) for one in sorted(os.listdir(path)))


def ask_git(folder: str, world: World, *arguments: str) -> bytes | None:
    """Return what git prints in ``folder``; None where it fails or takes too long."""
    environment = {**world.environ, "LC_ALL": "C"}
    for name in ("GIT_DIR", "GIT_WORK_TREE"):  # relative to where git starts its hooks
        if environment.get(name):
            environment[name] = os.path.join(world.cwd, environment[name])
    found = asked(folder, world, arguments, seconds=SECONDS, environ=environment)
    return None if isinstance(found, str) else found[0]
