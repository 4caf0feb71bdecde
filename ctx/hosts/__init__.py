"""The hosts, in which agents run: a folder each, or a file where it has nothing but files.

A folder holds as many of these as the host has: ``hooks.py`` with ``HOOKS``, ``loads.py`` with the
sources that are its own and with what it loads by itself, ``transcript.py`` with ``FORMAT``,
``plugin.py`` with ``PLUGIN``. This package is on the path of every hook: it imports nothing but
what it needs to name a host.
"""

from importlib import import_module

TYPE_CHECKING = False  # this module is on the path of every hook: typing is not imported
if TYPE_CHECKING:
    from ctx.hosts.host import Hooks

PARTS = {
    "claude": "hooks loads transcript plugin", "cursor": "hooks loads transcript plugin",
    "codex": "hooks loads transcript plugin", "gemini": "hooks loads transcript plugin",
    "copilot": "hooks loads transcript plugin", "opencode": "transcript", "aider": "transcript",
    "cline": "loads transcript",
    **dict.fromkeys(("spec_kit", "agents_md", "kiro", "windsurf"), ""),
    **dict.fromkeys(("qwen", "pi", "droid", "antigravity"), "form"),
    **dict.fromkeys(("specstory", "continue_dev", "role_lines"), "form"),
    **dict.fromkeys(("openspec", "adr", "memory_bank", "skills", "docs"), ""),
}  # fmt: skip
"""The modules of each host's folder, in the order of lists; none for a file with sources alone,
``form`` for one with the ``FORMAT`` of its transcripts alone."""
NAMES = tuple(name for name, parts in PARTS.items() if "hooks" in parts)  # hosts with hooks
EXAMPLE = ("claude", "UserPromptSubmit")  # a host and one of its events, for examples of commands

GIT = "git"  # what has a hook and is no host: it reminds a person, and puts nothing before a model
GIT_EVENT = "post-commit"  # its hook; git takes no notice of how it ends


def hooks_of(name: str) -> "Hooks | None":
    """Return the hooks of the host that people call ``name``, or None where none is called so."""
    if name in NAMES:
        found: Hooks = import_module(f"ctx.hosts.{name}.hooks").HOOKS
        return found
    return next((hooks for hooks in all_hooks() if name in hooks.aliases), None)


def all_hooks() -> "list[Hooks]":
    """Return the hooks of all hosts, in the order of ``NAMES``."""
    return [import_module(f"ctx.hosts.{name}.hooks").HOOKS for name in NAMES]


def aliases() -> dict[str, str]:
    """Return what else people call hosts, and their names."""
    return {alias: hooks.name for hooks in all_hooks() for alias in hooks.aliases}


def sessions() -> list[str]:
    """Return the variables in which commands that agents run find the session."""
    return [hooks.session_variable for hooks in all_hooks() if hooks.session_variable]
