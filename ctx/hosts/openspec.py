"""OpenSpec: requirements, and changes that are open or archived."""

from ctx.model import Origin


def _is_archived(path: str) -> bool:
    return path.startswith("archive/")


ORIGINS = (
    Origin(
        "openspec-tasks", ("openspec/changes/**/tasks.md",), "tasks of open changes", "OpenSpec",
        parser="tasks", skips=_is_archived, knows=True,
    ),
    Origin(
        "openspec-archive", ("openspec/changes/archive/**/proposal.md",),
        "decisions: the changes that were made", "OpenSpec", parser="change", knows=True,
    ),
    Origin(
        "openspec", ("openspec/project.md", "openspec/specs/**/spec.md"),
        "background: the project and its requirements", "OpenSpec", parser="requirements",
        knows=True, sign="openspec",
    ),
    Origin(
        "openspec-changes", ("openspec/changes/**/proposal.md", "openspec/changes/**/design.md"),
        "background: open changes", "OpenSpec", parser="proposal", skips=_is_archived, knows=True,
    ),
)  # fmt: skip
