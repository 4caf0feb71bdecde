"""OpenSpec: specifications, changes that are being made, and changes that were made."""

from ctx.read.registry.origin import Origin


def _is_archived(path: str) -> bool:
    return path.startswith("archive/")


OPENSPEC = Origin(
    "openspec", ("openspec/project.md", "openspec/specs/**/spec.md"),
    "background: the project and its requirements", parser="requirements", knows=True,
)  # fmt: skip
OPENSPEC_CHANGES = Origin(
    "openspec-changes", ("openspec/changes/**/proposal.md", "openspec/changes/**/design.md"),
    "background: open changes", parser="proposal", skips=_is_archived, knows=True,
)  # fmt: skip
OPENSPEC_TASKS = Origin(
    "openspec-tasks", ("openspec/changes/**/tasks.md",), "tasks of open changes",
    parser="tasks", skips=_is_archived, knows=True,
)  # fmt: skip
OPENSPEC_ARCHIVE = Origin(
    "openspec-archive", ("openspec/changes/archive/**/proposal.md",),
    "decisions: the changes that were made", parser="change", knows=True,
)  # fmt: skip
