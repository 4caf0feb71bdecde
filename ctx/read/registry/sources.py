"""The table of all sources, and how each tool's frontmatter limits its rules to some files."""

from collections.abc import Mapping

from ctx.model import Frontmatter, Mode, Scope
from ctx.read.registry.origin import Loads, Origin, described, matching, scope_by, strings


def steering_scope(front: Frontmatter, _path: str) -> Scope | None:
    """Return the scope that ``inclusion`` and ``fileMatchPattern`` give a steering file of Kiro."""
    mode = front.inclusion or str(front.extra.get("mode") or "").strip().lower()
    modes: dict[str, Mode] = {"filematch": "match", "manual": "manual", "auto": "described"}
    return _by_mode("kiro", front, mode, "fileMatchPattern", modes)


def _windsurf(front: Frontmatter, _path: str) -> Scope | None:
    mode = str(front.extra.get("trigger") or "").strip().lower()
    modes: dict[str, Mode] = {"glob": "match", "manual": "manual", "model_decision": "described"}
    return _by_mode("windsurf", front, mode, "globs", modes)


def _by_mode(
    dialect: str, front: Frontmatter, name: str, key: str, modes: Mapping[str, Mode]
) -> Scope:
    """Return the scope of a mode's name, with the patterns of ``key``; without any it is always."""
    mode = modes.get(name, "always")
    if mode == "match":
        return matching(dialect, front, strings(front.extra.get(key)))
    return Scope(dialect, mode, description=described(front))


def _copilot(front: Frontmatter, path: str) -> Scope | None:
    """Without ``applyTo`` a file of instructions is attached by hand."""
    if path.endswith("copilot-instructions.md"):
        return None
    if patterns := strings(front.extra.get("applyTo")):
        return matching("copilot", front, patterns)
    return Scope("copilot", "manual", description=described(front))


def _cursor(front: Frontmatter, path: str) -> Scope | None:
    """``alwaysApply`` goes before ``globs``, these go before ``description``."""
    if path.endswith(".cursorrules"):
        return None
    always = str(front.extra.get("alwaysApply")).strip().lower() == "true"
    patterns = () if always else strings(front.extra.get("globs"))
    about = described(front)
    if always or patterns:
        return matching("cursor", front, patterns)
    return Scope("cursor", "described" if about else "manual", description=about)


def _is_archived(path: str) -> bool:
    return path.startswith("archive/")


def _signs(name: str) -> tuple[str, ...]:
    """Return that settings of Claude Code hold ``name``, as ``Loads.unless`` has it."""
    settings = (
        ".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json",
    )  # fmt: skip
    return tuple(f"{path}: {name}" for path in settings)


_EXCLUDES = _signs("claudeMdExcludes")
_MEMORY = "code.claude.com/docs/en/memory, 2026-09"
_COPILOT_CLI = "docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot, 2026"

AGENTS = Origin(
    "agents", ("AGENTS.md",), "rules of a folder and what is below it", leveled=True, imports=True,
    loads=(
        Loads(
            "claude", since="2.1.277", condition="where no CLAUDE.md is in the folder or above",
            page="code.claude.com/docs/en/changelog#2-1-277, 2026-09",
            unless=(
                "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", *_EXCLUDES,
                *_signs("instructionFiles"), *_signs("CLAUDE_CODE_USE_"),
            ),
        ),
        Loads(
            "codex", condition="from the project's root to the working directory",
            most_bytes=32 * 1024, page="developers.openai.com/codex/guides/agents-md.md, 2026",
            unless=("AGENTS.override.md", "~/.codex/config.toml: project_doc"),
        ),
        Loads(
            "copilot", condition="in the root; in VS Code a setting switches it off",
            page=_COPILOT_CLI, unless=(".vscode/settings.json: useAgentsMdFile",),
        ),
        Loads("cursor", scoped="read", page="forum.cursor.com/t/160773 (staff), 2026"),
    ),
)  # fmt: skip
CLAUDE = Origin(
    "claude", ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
    "rules and background, with imports", leveled=True, imports=True,
    loads=(
        Loads(
            "claude", condition="below the working directory when it reads a file there",
            page=f"{_MEMORY}; code.claude.com/docs/en/sub-agents, 2026-07", scoped="read",
            subagents=True, imports=True, unless=_EXCLUDES,
        ),
    ),
)  # fmt: skip

# The order is the precedence: where two contradict each other, the first one holds.
REGISTRY: tuple[Origin, ...] = (
    Origin(
        "spec-kit", (".specify/memory/constitution.md",), "required rules by article",
        parser="articles",
    ),
    AGENTS,
    CLAUDE,
    Origin(
        "gemini", ("GEMINI.md",), "rules of a folder and what is below it", leveled=True,
        imports=True,
        loads=(
            Loads(
                "gemini", condition="below the workspace when a tool touches a file there",
                page="geminicli.com/docs/cli/gemini-md, 2026", scoped="touch", imports=True,
                unless=(".gemini/settings.json: ileName", "~/.gemini/settings.json: ileName"),
            ),
        ),
    ),
    Origin(
        "claude-rules", (".claude/rules/**/*.md",), "rules for the files of `paths`",
        scope=scope_by("claude", "paths"),
        loads=(
            Loads(
                "claude", page=_MEMORY, scoped="read", unless=_EXCLUDES,
                condition="with `paths` when it reads such a file, not when it writes one",
            ),
        ),
    ),
    Origin(
        "cursor", (".cursor/rules/**/*.mdc", ".cursorrules"),
        "rules for the files of `globs`; titles of what has only a description", scope=_cursor,
        loads=(
            Loads(
                "cursor", condition="with `globs` when such a file is in its context",
                page="cursor.com/docs/context/rules, 2026", scoped="read",
                places=(".cursor/rules/",),
            ),
        ),
    ),
    Origin(
        "copilot",
        (".github/copilot-instructions.md", ".github/instructions/**/*.instructions.md"),
        "rules, and rules for the files of `applyTo`", scope=_copilot,
        loads=(
            Loads(
                "copilot", condition="in VS Code a setting switches it off", page=_COPILOT_CLI,
                places=(".github/copilot-instructions.md",),
                unless=(".vscode/settings.json: useInstructionFiles",),
            ),
        ),
    ),
    Origin(
        "kiro", (".kiro/steering/*.md",),
        "rules, rules for the files of `fileMatchPattern`, and titles", scope=steering_scope,
    ),
    Origin("windsurf", (".windsurf/rules/**/*.md", ".windsurfrules"), "rules", scope=_windsurf),
    Origin("cline", (".clinerules", ".clinerules/*.md"), "rules", scope=scope_by("cline", "paths")),
    Origin(
        "openspec-tasks", ("openspec/changes/**/tasks.md",), "tasks of open changes",
        parser="tasks", skips=_is_archived, knows=True,
    ),
    Origin(
        "adr",
        tuple(f"{folder}/*.md" for folder in (
            "docs/adr", "docs/decisions", "doc/adr", "adr", "docs/adrs",
            "docs/architecture/decisions", "doc/architecture/decisions",
        )),
        "decisions with their status, date and successors", parser="adr",
        skips=lambda path: path in ("readme.md", "index.md") or "template" in path,
        knows=True, leveled=True,
    ),
    Origin(
        "openspec-archive", ("openspec/changes/archive/**/proposal.md",),
        "decisions: the changes that were made", parser="change", knows=True,
    ),
    Origin(
        "memory-bank",
        ("memory-bank/activeContext.md", "memory-bank/progress.md", "memory-bank/**/*.md"),
        "background, the work in hand first", parser="sections", knows=True,
    ),
    Origin(
        "openspec", ("openspec/project.md", "openspec/specs/**/spec.md"),
        "background: the project and its requirements", parser="requirements", knows=True,
    ),
    Origin(
        "openspec-changes", ("openspec/changes/**/proposal.md", "openspec/changes/**/design.md"),
        "background: open changes", parser="proposal", skips=_is_archived, knows=True,
    ),
    Origin(
        "skills",
        tuple(f"{folder}/**/SKILL.md" for folder in (
            ".claude/skills", ".agents/skills", ".github/skills", ".codex/skills", ".skills",
        )),
        "titles to look up, never the body", parser="skill", knows=True,
        loads=(
            Loads(
                "claude", condition="their descriptions", places=(".claude/skills/",),
                page="code.claude.com/docs/en/skills, 2026",
            ),
            Loads(
                "codex", condition="their descriptions", places=(".agents/skills/",),
                page="developers.openai.com/codex/skills, 2026",
            ),
        ),
    ),
    Origin(
        "docs", ("README.md", "docs/**/*.md"), "background for searches", parser="sections",
        knows=True, searched=True, usual=False,
    ),
)  # fmt: skip
