"""The glossary of a context directory: names that mean the same."""

from ctx.read import files

NAME = "GLOSSARY.md"


def glossary(root: str, limits: files.Limits) -> tuple[tuple[str, ...], ...]:
    """Return the names that the glossary uses for one thing each; none where it cannot be read."""
    for name in files.names(root):
        if name.upper() == NAME.upper():
            from ctx.read.markdown.blocks import normalise
            from ctx.text.aliases import glossary as names_in  # loads the stemmer
            from ctx.text.visible import visible

            try:
                files.inspect(root, name, limits)
                data = files.load(root, name, limits).data
            except files.RefusedError:
                return ()  # no entries are read from it: there is nothing to warn about
            return names_in(visible(normalise(files.decode(name, data)[0])))
    return ()
