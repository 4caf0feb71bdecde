"""What Codex CLI loads by itself: AGENTS.md down to where it works, and skills.

``AGENTS.override.md`` takes the place of the AGENTS.md beside it, also where it is empty. Without a
repository only the file of the working directory is loaded.
"""

from ctx.model import Loads

_SETTINGS = ("~/.codex/config.toml", ".codex/config.toml")
_NAMES = ("project_doc", "project_root_markers", '"untrusted"')

LOADS = (
    Loads(
        "agents", condition="from the project's root to the working directory",
        most_bytes=32 * 1024,
        page="developers.openai.com/codex/guides/agents-md.md, 2026; seen in 0.171.0, 2026-11",
        unless=tuple(f"{path}: {name}" for path in _SETTINGS for name in _NAMES),
        moments=("start", "subagent"), replaced_by="AGENTS.override.md", in_repository=True,
    ),
    Loads(
        "skills", condition="their descriptions", places=(".agents/skills/", ".codex/skills/"),
        page="developers.openai.com/codex/skills, 2026; seen in 0.171.0, 2026-11",
    ),
)  # fmt: skip
