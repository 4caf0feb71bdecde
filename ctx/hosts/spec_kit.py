"""Spec Kit: the constitution of a project."""

from ctx.model import Origin

_PLACES, _GIVES = (".specify/memory/constitution.md",), "required rules by article"
ORIGINS = [Origin("spec-kit", _PLACES, _GIVES, "Spec Kit", parser="articles")]
