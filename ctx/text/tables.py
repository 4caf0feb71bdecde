"""Tables in text files beside a module: a group below its name in brackets, cells apart by tabs."""

import os

Group = tuple[str, list[list[str]]]  # what stands behind its name, and its rows


def groups(module: str, name: str) -> dict[str, Group]:
    """Return by their names the groups of the file ``name`` beside ``module``, a path.

    What comes before the first one is for people.
    """
    path = os.path.join(os.path.dirname(os.path.abspath(module)), name)
    with open(path, encoding="utf-8") as file:
        _, *blocks = file.read().split("\n\n[")
    found: dict[str, Group] = {}
    for block in blocks:
        head, *rows = block.splitlines()
        called, _, note = head.partition("]")
        found[called] = note.strip(), [row.split("\t") for row in rows]
    return found
