"""The sources beside the context directory: which files are read, and when their rules apply."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ctx import read
from ctx.hosts.signs import SIGNS
from ctx.hosts.sources import REGISTRY, chosen
from ctx.model import Context, Scope
from ctx.read import files
from ctx.text.scopes import matched, strings
from scripts import generate
from tests.read.samples import LIMITS, Nothing, write


def context(
    project: Path, *levels: str, focus: tuple[str, ...] = (), whole: bool = False, sources: str = ""
) -> Context:
    """Return what is read beside a context directory that is not there."""
    asked = read.Wanted(
        chosen(sources or "all", (("AGENTS.md",), ("CLAUDE.md",))).origins,
        documents=True, levels=(*levels, ".."), focus=focus, whole=whole,
    )  # fmt: skip
    limits = LIMITS._replace(project=str(project))
    return read.read(str(project / ".context"), Nothing(), limits, asked)


def paths(context: Context) -> list[str]:
    return [source.path.removeprefix("../") for source in context.sources]


def titles(context: Context) -> list[str]:
    return [entry.title for entry in context.entries]


PLACES = {
    place.partition("/*")[0]: (place, origin)
    for origin in REGISTRY
    for place in origin.places[::-1]
}
OF_RULES = [PLACES[sign][0] for sign in SIGNS if sign in PLACES and not PLACES[sign][1].knows]


def test_the_signs_of_a_project_are_the_places_of_the_registry() -> None:
    assert list(SIGNS) == generate.signs()
    usual = [place for place, (_, origin) in PLACES.items() if origin.usual]
    for place in usual:
        assert any(f"{place}/".startswith(f"{sign}/") for sign in SIGNS), place
    for sign in SIGNS:
        assert any(f"{place}/".startswith(f"{sign}/") for place in usual), sign


def test_every_source_has_its_row_in_the_documents_in_order() -> None:
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert rows == [origin.name for origin in REGISTRY]


def test_every_source_is_read_in_order_of_precedence(tmp_path: Path) -> None:
    for number, place in enumerate(OF_RULES):
        path = place.replace("**", "a").replace("*", "x")
        write(
            tmp_path, {path: f"---\nalwaysApply: true\napplyTo: '**'\n---\n- Never do {number}\n"}
        )
    found = context(tmp_path)
    assert titles(found) == [f"Never do {number}" for number in range(len(OF_RULES))]
    assert not found.warnings
    off = ",".join(f"-{origin.name}" for origin in REGISTRY)
    assert not context(tmp_path, sources=off).sources
    write(tmp_path, {"team/RULES.md": "- Never do it\n"})
    assert titles(context(tmp_path, sources=f"{off}, team/RULES.md")) == ["Never do it"]


RULES = {
    ".claude/rules/a.md": "---\npaths:\n  - src/**\n---\n- Never a\n",
    ".claude/rules/b.md": "- Never b\n",
    ".cursor/rules/c.mdc": "---\nglobs: **/*.py, *.ts\nalwaysApply: false\n---\n- Never c\n",
    ".cursor/rules/d.mdc": "---\ndescription: About d: more\n---\n- Never d\n",
    ".github/instructions/e.instructions.md": "---\napplyTo: '**'\n---\n- Never e\n",
    ".kiro/steering/f.md": (
        "---\ninclusion: fileMatch\nfileMatchPattern: ['docs/*.md']\n---\n- Never f\n"
    ),
}


@pytest.mark.parametrize(
    ("focus", "expected"),
    [((), "be"), (("src/a/b.go",), "abe"), (("x/y.py", "docs/z.md"), "bcef"), (("a.ts",), "bce")],
)
def test_rules_for_certain_files_are_read_when_one_is_in_focus(
    tmp_path: Path, focus: tuple[str, ...], expected: str
) -> None:
    write(tmp_path, RULES)
    found = context(tmp_path, focus=focus)
    assert titles(found) == [f"Never {name}" for name in expected]
    assert [(each.path, each.about) for each in found.documents] == [
        ("../.cursor/rules/d.mdc", "About d: more")
    ]
    assert not found.warnings
    assert titles(context(tmp_path, whole=True)) == [f"Never {name}" for name in "abcdef"]


def test_a_scope_is_known_with_its_source_and_entries(tmp_path: Path) -> None:
    write(tmp_path, {**RULES, "pkg/AGENTS.md": "- Never x\n"})
    found = context(tmp_path, "../pkg", whole=True)
    scopes = {source.path.removeprefix("../"): source.scope for source in found.sources}
    assert scopes[".cursor/rules/c.mdc"] == Scope("cursor", "match", ("**/*.py", "*.ts"))
    assert scopes[".kiro/steering/f.md"] == Scope("kiro", "match", ("docs/*.md",))
    nested = scopes["pkg/AGENTS.md"]
    assert nested == Scope("folder", "match", ("**",), "pkg")
    assert [entry.front.applies for entry in found.entries] == list(scopes.values())
    assert matched(nested, "pkg/a/b.ts") == "**"
    assert not matched(nested, "pkgs/a.ts")


def test_patterns_in_their_forms() -> None:
    assert strings(["a", "b,c"]) == ("a", "b", "c")
    assert strings('"**/*.{ts,tsx}", src/**') == ("**/*.{ts,tsx}", "src/**")
    assert strings(None) == strings("") == ()


@pytest.mark.parametrize(
    ("written", "patterns"),
    [
        ("*.ts,app/[id]", ("*.ts", "app/[id]")),
        ("[**/*.ts, *.js]", ("**/*.ts", "*.js")),
        ('"**/*.{ts,tsx}", src/**', ("**/*.{ts,tsx}", "src/**")),
        ("src/**\nargument-hint: [one] [--two <a>]", ("src/**",)),
    ],
)
def test_patterns_that_are_no_yaml(tmp_path: Path, written: str, patterns: tuple[str]) -> None:
    write(tmp_path, {".cursor/rules/a.mdc": f"---\nglobs: {written}\n---\n- Never a\n"})
    (source,) = context(tmp_path, whole=True).sources
    assert source.scope == Scope("cursor", "match", patterns)


# --- documents ----------------------------------------------------------------------------


def test_the_nearest_document_comes_first(tmp_path: Path) -> None:
    write(tmp_path, {"AGENTS.md": "- Never 3\n", "a/CLAUDE.md": "- Never 2\n"})
    write(tmp_path, {"a/b/AGENTS.md": "- Never 1\n", "c/AGENTS.md": "- Never 0\n"})
    assert titles(context(tmp_path, "../a/b", "../a")) == ["Never 1", "Never 2", "Never 3"]


def test_rules_in_a_folder_of_a_package_have_patterns_of_that_package(tmp_path: Path) -> None:
    of = "---\npaths: {}\n---\n- Never {}\n".format
    rules = {"a": of("'*.py'", "a"), "b": of("/x/b.py", "b"), "c": of("pkg/x/b.py", "c")}
    write(tmp_path, {f"pkg/.claude/rules/{name}.md": text for name, text in rules.items()})
    write(
        tmp_path, {"pkg/.claude/rules/d.md": "- Never d\n", "other/.claude/rules/e.md": "- Do.\n"}
    )
    found = context(tmp_path, "../pkg/x", "../pkg", focus=("pkg/x/b.py",))
    assert titles(found) == ["Never a", "Never b", "Never d"]
    assert titles(context(tmp_path, "../pkg", focus=("pkg/y.ts",))) == ["Never d"]
    everything = context(tmp_path, "../pkg", whole=True)
    scopes = {str(source.path)[-4:]: source.scope for source in everything.sources}
    assert scopes["a.md"] == Scope("claude", "match", ("*.py",), "pkg", ignores=True)
    assert scopes["d.md"] == Scope("folder", "match", ("**",), "pkg")


def test_records_of_a_package_are_read_from_inside_it(tmp_path: Path) -> None:
    record = "# {}\n\n## Status\n\nAccepted\n\n## Decision\n\nWe do.\n"
    write(tmp_path, {"docs/adr/0001-a.md": record.format("1. Root")})
    write(tmp_path, {"p/x/docs/adr/0001-b.md": record.format("1. Package")})
    assert titles(context(tmp_path, "../p/x", "../p")) == ["1. Package", "1. Root"]
    assert titles(context(tmp_path, "../p/y", "../p")) == ["1. Root"]


def test_a_text_that_several_sources_hold_is_included_once(tmp_path: Path) -> None:
    write(tmp_path, {"AGENTS.md": "- Never push **main**.\n", "CLAUDE.md": "* never push main\n"})
    found = context(tmp_path)
    assert [(entry.source, entry.title) for entry in found.entries] == [
        ("../AGENTS.md", "Never push **main**.")
    ]
    assert paths(found) == ["AGENTS.md", "CLAUDE.md"]


def test_a_text_of_rules_for_different_files_is_listed_with_each(tmp_path: Path) -> None:
    rules = {"a/AGENTS.md": "- Never push\n", "b/AGENTS.md": "- Never push\n- Never pull\n"}
    write(tmp_path, {**rules, "AGENTS.md": "- Never pull\n"})
    found = context(tmp_path, "../a", "../b", whole=True)
    assert [entry.id for entry in found.entries] == [
        "../a/AGENTS.md#never-push", "../b/AGENTS.md#never-push", "../b/AGENTS.md#never-pull",
        "../AGENTS.md#never-pull",
    ]  # fmt: skip
    assert len(context(tmp_path, "../a", "../b").entries) == 2


@pytest.mark.parametrize("text", ["@AGENTS.md\n", "AGENTS.md", "See @AGENTS.md, always.\n"])
def test_a_document_that_leads_to_another_adds_nothing(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"AGENTS.md": "- Never push\n", "CLAUDE.md": text})
    found = context(tmp_path)
    assert "Never push" in titles(found)
    assert len(found.entries) == 1 + ("See" in text)
    assert not found.warnings


def test_imports(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "CLAUDE.md": (
                "# Rules\n\n- @docs/a.md\n\nAsk @someone, use `@docs/code.md` and @types/node.\n\n"
                "```\n@docs/fence.md\n```\n<!-- @docs/comment.md -->\n"
                "@docs/gone.md @~/home.md @/etc/x.md @../out.md @package.json\n"
            ),
            "docs/a.md": "- Never a\n\n@deeper/b.md\n",
            "docs/deeper/b.md": "- Never b\n\n@../../CLAUDE.md\n",
            "package.json": "{}",
        },
    )
    found = context(tmp_path)
    assert paths(found) == ["CLAUDE.md", "docs/a.md", "docs/deeper/b.md"]
    assert titles(found)[-2:] == ["Never a", "Never b"]
    assert [line.split(": ", 1)[1] for line in found.warnings] == [
        "@../../CLAUDE.md: leads in a circle; left out",
        "@docs/gone.md: is not there; left out",
        "@~/home.md: leads into a home directory; left out",
        "@/etc/x.md: leads out of the project; left out",
        "@../out.md: leads out of the project; left out",
    ]
    assert found.warnings[1].startswith("../CLAUDE.md:11: ")
    assert [each.about for each in found.documents] == ["imported by ../CLAUDE.md"]


@pytest.mark.parametrize("name", ["docs/rules.md", "README.md", "memory-bank/a.md", "docs/r.txt"])
@pytest.mark.parametrize("front", ["", "---\ntitle: House style\n---\n"], ids=["bare", "front"])
def test_an_import_is_read_as_the_file_that_imports_it(
    tmp_path: Path, name: str, front: str
) -> None:
    text = (
        "# House\n\nNever log a password.\n\n- Prefer small functions\n\n## Tests\n\n- Use pytest\n"
        "- The suite takes 3 minutes\n\nIt runs on port 8080.\n"
    )
    write(
        tmp_path,
        {"one/CLAUDE.md": text, "two/CLAUDE.md": f"@{name}\n", f"two/{name}": front + text},
    )
    own, other = (context(tmp_path / folder).entries for folder in ("one", "two"))
    assert {entry.tier for entry in own} == {"hard", "soft", "variant"}
    assert [(each.title, each.section, each.modality, each.body) for each in other] == [
        (each.title, each.section, each.modality, each.body) for each in own
    ]


def test_imports_end_at_some_depth(tmp_path: Path) -> None:
    chain = {f"{number}.md": f"- Never {number}\n\n@{number + 1}.md\n" for number in range(9)}
    write(tmp_path, {**chain, "CLAUDE.md": "@0.md\n"})
    found = context(tmp_path)
    assert paths(found) == ["CLAUDE.md", "0.md", "1.md", "2.md", "3.md", "4.md"]
    assert found.warnings == ("../4.md:3: @5.md: is more than 5 imports deep; left out",)


def test_a_long_import_is_a_short_warning(tmp_path: Path) -> None:
    write(tmp_path, {"CLAUDE.md": f"- Never\n\n@{'d/' * 3000}x.md\n@{'y' * 300}.md\n"})
    found = context(tmp_path)
    assert [line.rpartition(": ")[2] for line in found.warnings] == ["is not there; left out"] * 2
    assert max(map(len, found.warnings)) < 200


def test_of_files_that_import_each_other_few_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way through them would be looked at, of which there are very many."""
    for name in range(600):
        imports = (f"@{(name * 7 + other) % 600}.md\n" for other in range(90))
        (tmp_path / f"{name}.md").write_text("".join(imports))
    (tmp_path / "CLAUDE.md").write_text("".join(f"@{name}.md\n" for name in range(90)))
    looked = Counter(files=0)
    look = files.look

    def count(folder: str, path: str) -> tuple[int, ...]:
        looked["files"] += 1
        return look(folder, path)

    monkeypatch.setattr(files, "look", count)
    found = context(tmp_path)
    assert len(found.sources) > 5
    assert any("too many imports" in line for line in found.warnings)
    assert looked["files"] < 3000


def test_very_many_imports(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}.md": f"- Never {number}\n" for number in range(101)})
    write(tmp_path, {"CLAUDE.md": "".join(f"@{number}.md\n" for number in range(300)) * 2})
    found = context(tmp_path)
    assert len(found.sources) == 101
    assert found.warnings == ("../CLAUDE.md:101: too many imports; the rest left out",)


# --- odd and hostile forms ------------------------------------------------------------------


def test_odd_forms_answer_with_a_line_each(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".claude/rules/a.md": "---\npaths: [\n---\n- Never a\n",
            ".cursor/rules/b.mdc": f"---\nglobs: {'*{a,b}' * 2_000}\n---\n- Never b\n",
            ".cursor/rules/d.mdc": "---\nglobs: {{\n---\n- Never d\n",
            ".clinerules/c.md": "- Never c\n",
            "AGENTS.md/x": "",
        },
    )
    found = context(tmp_path, focus=("a",))
    assert titles(found) == ["Never a", "Never c"]
    assert [line.split(": ")[0] for line in found.warnings] == [
        "../AGENTS.md", "../.cursor/rules/b.mdc:1", "../.cursor/rules/d.mdc:2",
        "../.claude/rules/a.md:2",
    ]  # fmt: skip


def test_a_folder_of_very_many_rules(tmp_path: Path) -> None:
    write(tmp_path, {f".windsurf/rules/{number:04}.md": "- Never x\n" for number in range(510)})
    found = context(tmp_path)
    assert len(found.sources) == 500
    (line,) = found.warnings
    assert line.startswith("../.windsurf/rules/: 510 files; only the first 500 by name are read (")
    assert line.endswith(" (move those elsewhere that are needed no more)")


def test_a_tree_of_very_many_folders(tmp_path: Path) -> None:
    write(tmp_path, {f".claude/rules/{number:03}/a/x.md": "- Never x\n" for number in range(210)})
    found = context(tmp_path)
    assert len(found.sources) == 0
    (line,) = found.warnings
    assert line.startswith("../.claude/rules/: over 200 folders; what is deeper than ")
    assert "../.claude/rules/000/ is not read, nor in 209 more (move " in line


def test_a_folder_that_leads_out_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"out/a.md": "- Never a\n", "in/.clinerules/b.md": "- Never b\n"})
    (tmp_path / "in/.claude").mkdir()
    (tmp_path / "in/.claude/rules").symlink_to(tmp_path / "out")
    found = context(tmp_path / "in")
    assert titles(found) == ["Never b"]
    assert [line.split(";")[0] for line in found.warnings] == [
        "../.claude/rules/: is a link out of the project"
    ]


# --- articles -------------------------------------------------------------------------------

CONSTITUTION = """\
# Shop Constitution

The shop sells shoes.

## Core Principles

### I. Library-First

Every feature starts as a library, which stands alone.

**Rationale**: parts that stand alone can be tested.

- Names are nouns

### [PRINCIPLE_2_NAME]

[PRINCIPLE_2_DESCRIPTION]

## Governance

Amendments must be reviewed. Reviews take a day.

**Version**: 1.0.0 | **Ratified**: 2026-01-31
"""


@pytest.mark.parametrize("last", ["## Governance", "### II. Governance (NON-NEGOTIABLE)"])
def test_articles_are_rules_in_prose_and_lists(tmp_path: Path, last: str) -> None:
    text = CONSTITUTION.replace("## Governance", last)
    write(tmp_path, {".specify/memory/constitution.md": text})
    found = context(tmp_path)
    hard = [entry for entry in found.entries if entry.tier == "hard"]
    assert [(entry.group.rpartition(" › ")[2], entry.title) for entry in hard] == [
        ("I. Library-First", "Every feature starts as a library, which stands alone."),
        ("I. Library-First", "Names are nouns"),
        (last.strip("# "), "Amendments must be reviewed. Reviews take a day."),
    ]
    assert "PRINCIPLE_2" not in "".join(entry.body for entry in found.entries)
