"""Documents for people, which searches read on demand."""

from ctx.model import Origin

ORIGINS = (
    Origin(
        "docs", ("README.md", "docs/**/*.md"), "background for searches", parser="sections",
        knows=True, searched=True, usual=False,
    ),
)  # fmt: skip
