"""The constitution of spec-kit: required rules in prose and lists, by article."""

from ctx.read.registry.origin import Origin

SPECKIT = Origin(
    "spec-kit", (".specify/memory/constitution.md",), "required rules by article",
    parser="articles",
)  # fmt: skip
