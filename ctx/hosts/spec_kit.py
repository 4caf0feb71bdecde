"""Spec Kit: the constitution of a project."""

from ctx.model import Origin

ORIGINS = (
    Origin(
        "spec-kit", (".specify/memory/constitution.md",), "required rules by article", "Spec Kit",
        parser="articles",
    ),
)  # fmt: skip
