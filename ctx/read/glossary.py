"""The glossary of a context directory: names that mean the same."""

from ctx.read import files

NAME = "GLOSSARY.md"
MAX_BYTES = 1024 * 1024  # it is read for each search: a larger one is left out


def glossary(
    root: str, limits: files.Limits
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the names that the glossary uses for one thing each, and why it cannot be read."""
    for name in files.names(root):
        if name.upper() == NAME.upper():
            from ctx.text.aliases import glossary as names_in  # loads the stemmer
            from ctx.text.visible import visible

            try:
                if files.inspect(root, name, limits).st_size > MAX_BYTES:
                    return (), (f"{name}: over {MAX_BYTES:,} bytes; left out of searches",)
                data = files.load(root, name, limits).data
            except files.RefusedError as refused:
                return (), (str(refused),)
            return names_in(visible(files.decode(name, data)[0])), ()
    return (), ()
