"""Git: whether a commit looks like a decision that nobody wrote down.

A reminder that comes too often is not read. So a commit has to *say* that something was decided,
or to change what others build on: what it depends on, its schema, how it is built and run. Raised
versions, formatting, reverts and merges do neither.
"""

import re

TYPE_CHECKING = False  # a light room: typing is not imported
if TYPE_CHECKING:
    from collections.abc import Sequence

MANY = 40
"""Files from which on a commit changes the shape of a project."""

_KIND = re.compile(r"\A\w+(?:\([^)]*\))?!?:\s+")
"""How a subject begins that names its kind: ``feat(api)!: ``."""
_DECIDES = re.compile(
    r"""(?ix) \b (?: decid(?:e|es|ed|ing)\s+(?:to|on|against|for) | decision(?=\s*:)
    | standardi[sz](?:e|es|ed|ing)\s+on ) \b | \A (?:we\s+)? deprecat(?:e|es|ed|ing) \b"""
)
"""Words of a subject that tell of a choice, whatever it is about."""
_CHOOSES = re.compile(
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
"""Words of a subject that tell of a choice where it is one of technologies."""
_PLAIN_WORDS = (
    "a an all and any are as at back be before behind better both but by do each every for"
    " from how in instead into is it its just less line lines more new next no not of off old"
    " on one only or other our out over own right same so some than that the their them then"
    " these they this those to too two up via we when where which while who why with without"
    " your away switch switches switched switching migrate migrates migrated migrating"
    " migration adopt adopts adopted adopting adoption replace replaces replaced replacing"
    " use uses used move moves moved drop drops dropped support rewrite rewrites rewritten"
    " choose chooses chose opt opts opted tab tabs space spaces whitespace quote quotes"
    " single double string strings number numbers magic constant constants variable variables"
    " value values name names word words text texts label labels title titles message"
    " messages comment comments link links url urls path paths file files folder folders"
    " image images icon icons logo button buttons page pages screen menu header footer"
    " sidebar section colour colours color colors red green blue black white grey gray dark"
    " light mode theme font list lists dict dicts map maps set sets array arrays tuple tuples"
    " loop loops comprehension comprehensions lambda function functions method methods class"
    " classes module modules helper helpers util utils type types hint hints enum enums flag"
    " flags option options argument arguments parameter parameters default defaults field"
    " fields column columns row rows table tables key keys index indexes id ids date dates"
    " time timeout sleep sleeps lock locks wait waits assert asserts assertion assertions"
    " test tests fixture fixtures mock mocks print prints log logs logger call calls check"
    " checks error errors exception exceptions warning warnings import imports export exports"
    " code copy placeholder placeholders todo todos example examples emoji heading headings"
    " top bottom left first last end start real fake local relative absolute full short long"
    " shorter longer correct proper actual main"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Words that name no technology."""
_WORDS = re.compile(r"[^\W_][\w.+#/@-]*")
_QUIET = re.compile(
    r"""(?ix) \A (?:
    (?:fixup|squash|amend)! | revert\b | merge\b | wip\b | bump(?:s|ed)?\b | release\b
    | v?\d+(?:\.\d+)+\b | (?:chore|build)\(deps(?:-dev)?\) | update\s+dependenc
    | (?:style|docs?|tests?|ci|format|lint)(?:\([^)]*\))?!?: | re?format | lint\b | typos?\b
    | (?:hot|bug)?-?fix(?:e[sd]|ing)?\b
    | (?:add|improve|speed\s+up|update)\s+(?:\S+\s+)?tests?\b
    | tests?\b | clean\s*-?up\b | tidy\b | silence\b
    )"""
)
"""How subjects of commits begin in which nothing is decided."""
_TEST = re.compile(
    r"""(?ix) (?:^|/) (?: tests? | specs? | __tests__ | testdata | fixtures ) /
    | (?:^|/) (?: test_[^/]* | conftest\.py | [^/]*[._-](?:test|spec|tests)\.\w+ ) $"""
)
"""Paths of tests: what is changed in them is built on by nobody."""
_DEPENDS = re.compile(
    r"""(?x) (?:^|/) (?: pyproject\.toml | setup\.(?:py|cfg) | requirements[\w.-]*\.txt | Pipfile
    | package\.json | Cargo\.toml | go\.mod | pom\.xml | build\.gradle(?:\.kts)? | Gemfile
    | composer\.json | mix\.exs | pubspec\.yaml | Package\.swift | [^/]+\.(?:cs|fs|vb)proj
    | CMakeLists\.txt | conanfile\.(?:py|txt) | vcpkg\.json | deno\.jsonc?
    | environment\.ya?ml ) $"""
)
_SCHEMA = re.compile(
    r"""(?ix) (?: (?:^|/) (?: migrations? | alembic/versions | db/migrate ) / [^/]+$
    | (?:^|/) (?: schema\.(?:sql|prisma|graphql|rb|json|ya?ml) | openapi[^/]* | swagger[^/]* ) $
    | \. (?: proto | avsc | graphqls? | thrift | fbs ) $ )"""
)
_RUNS = re.compile(
    r"""(?ix) (?: (?:^|/) (?: Dockerfile[^/]* | (?:docker-)?compose[^/]*\.ya?ml | Procfile
    | Chart\.yaml | serverless\.ya?ml | Vagrantfile | flake\.nix ) $
    | \. (?: tf | bicep ) $ | (?:^|/) (?: k8s | kubernetes | helm | terraform | infra ) / )"""
)
_SHAPE = re.compile(r"(?i)(?:^|/)(?:architecture|adr|rfcs?|design)(?:/|[^/]*\.(?:md|rst|adoc)$)")


def reminder(subject: str, changes: "Sequence[tuple[str, str]]") -> str:
    """Return why a commit looks like a decision, or nothing where it does not.

    ``changes`` are letters as git gives them (A, M, D, R…) and paths with forward slashes.
    """
    subject = subject.strip()
    if _QUIET.match(subject) or (changes and all(_TEST.search(path) for _, path in changes)):
        return ""
    word = _says(subject)
    if word:
        return f"it says {word!r}"
    for kind, pattern, letters in (
        ("the schema", _SCHEMA, "AMDR"),
        ("what it depends on", _DEPENDS, "ADR"),
        ("how it runs", _RUNS, "ADR"),
        ("the architecture", _SHAPE, "A"),
    ):
        path = _first(changes, pattern, letters)
        if path:
            return f"it changes {kind}: {path}"
    return f"it changes {len(changes):,} files" if len(changes) >= MANY else ""


def _says(subject: str) -> str:
    """Return the word of ``subject`` that tells of a choice, or nothing."""
    bare = _KIND.sub("", subject)
    found = _DECIDES.search(subject) or _DECIDES.search(bare)
    if not found:
        found = _CHOOSES.search(bare)
        if not found or not any(map(_is_name, _WORDS.findall(bare[found.start() :]))):
            return ""
    return next(word for word in found[0].lower().split() if word != "we")


def _is_name(word: str) -> bool:
    """Whether ``word`` may name a technology."""
    word = word.rstrip(".,:;").lower()
    return word not in _PLAIN and not word.endswith("ing")


_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ENTRY = re.compile(r"(?m)^##+[ \t]++[^\r\n]*\S")
_DATED = re.compile(r"##+[ \t]+\[(\d{4}-\d\d-\d\d)[-T ](\d\d):?(\d\d):?(\d\d)")


def headings(text: str) -> set[str]:
    """Return the headings of the entries in a file of decisions; none of its comments."""
    return {found.rstrip() for found in _ENTRY.findall(_COMMENT.sub("", text))}


def moment(heading: str) -> str:
    """Return when the entry under ``heading`` was written, as ``2026-01-31 14:30:00``.

    That is the local time of who wrote it. Empty where it tells no more than the day.
    """
    found = _DATED.match(heading)
    return f"{found[1]} {found[2]}:{found[3]}:{found[4]}" if found else ""


def _first(changes: "Sequence[tuple[str, str]]", pattern: "re.Pattern[str]", letters: str) -> str:
    for letter, path in changes:
        if letter[:1] in letters and pattern.search(path):
            return path
    return ""
