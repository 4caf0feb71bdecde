"""Records of decisions, in the folders in which projects keep them."""

from ctx.model import Origin

ORIGINS = (
    Origin(
        "adr",
        tuple(f"{folder}/*.md" for folder in (
            "docs/adr", "docs/decisions", "doc/adr", "adr", "docs/adrs",
            "docs/architecture/decisions", "doc/architecture/decisions",
        )),
        "decisions with their status, date and successors", parser="adr",
        skips=lambda path: path in ("readme.md", "index.md") or "template" in path,
        knows=True, leveled=True, imported=True,
    ),
)  # fmt: skip
