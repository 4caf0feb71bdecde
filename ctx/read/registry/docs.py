"""README and the pages of documentation, for those who ask for them."""

from ctx.read.registry.origin import Origin

DOCS = Origin(
    "docs", ("README.md", "docs/**/*.md"), "background for searches", parser="sections",
    knows=True, searched=True, usual=False,
)  # fmt: skip
