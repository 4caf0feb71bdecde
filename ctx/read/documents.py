"""Files of a context directory that hold no entries: what each is for, and the glossary."""

from collections.abc import Iterator, Sequence

from ctx.model import Document
from ctx.read import files
from ctx.text.names import shown, shown_line
from ctx.text.regex import regex

_ABOUT = {
    "architecture.md": "how the system is built",
    "glossary.md": "what words mean here",
    "agent_playbook.md": "how agents are to work here",
}
_MOST_DOCUMENTS = 24
_LARGEST_DOCUMENT = 64 * 1024  # bytes; a larger one is looked into by search, not read
_LARGEST_GLOSSARY = 1024 * 1024  # it is read for each search
_BEGINNING = 4096  # bytes of a document that are read to find out what it is about
_HIDDEN = regex(r"(?ms)<!--.*?(?:-->|\Z)|^```.*?(?:^```|\Z)|\A---\n.*?(?:^---$|\Z)")
_HEADING = regex(r"(?m)^(##?)[ \t]+(\S.*)$")
_CONTENT = regex(r"(?m)^[ \t]*[^\s#=-]")
_LONGEST_ABOUT = 60
BYTES_A_TOKEN = 3.74


def documents_of(
    root: str, names: Sequence[str], limits: files.Limits, seen: dict[str, tuple[int, ...]]
) -> Iterator[Document]:
    """Yield the files ``names`` of ``root`` that hold something; note in ``seen`` each one read."""
    for name in names[:_MOST_DOCUMENTS]:
        seen[name] = files.look(root, name)
        try:
            size = files.inspect(root, name, limits).st_size
            if not 0 < size <= _LARGEST_DOCUMENT:
                continue
            with files.opened(files.place(root, name)) as file:
                data = file.read(_BEGINNING)
                if b"\r\n" in data:
                    size -= (data + file.read()).count(b"\r\n")
        except (files.RefusedError, OSError):
            continue
        text = _HIDDEN.sub("", files.decode(name, data)[0].replace("\r\n", "\n"))
        if size > _BEGINNING or _CONTENT.search(text):
            tokens = in_hundreds(size / BYTES_A_TOKEN)
            yield Document(shown(name), _about(name, text), tokens)


def in_hundreds(tokens: float) -> int:
    """Return about how many ``tokens`` a file has."""
    return int(max(100, round(tokens, -2)))


def _about(name: str, text: str) -> str:
    """Return what a document is for: its title, or its first sections where that is its name."""
    if known := _ABOUT.get(name.lower()):
        return known
    headings = [(len(mark), heading.strip("# \t")) for mark, heading in _HEADING.findall(text)]
    own = _letters(name.removesuffix(".md"))
    titles = [heading for level, heading in headings if level == 1 and _letters(heading) != own]
    about = ""
    for part in titles[:1] or [heading for level, heading in headings if level > 1]:
        longer = f"{about}, {part}" if about else part
        if len(longer) > _LONGEST_ABOUT:
            break
        about = longer
    return shown_line(about)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def glossary(
    root: str, limits: files.Limits
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the names that the glossary uses for one thing each, and why it cannot be read."""
    for name in files.names(root):
        if name.upper() == "GLOSSARY.MD":
            from ctx.text.aliases import glossary as names_in  # loads the stemmer
            from ctx.text.visible import visible

            try:
                if files.inspect(root, name, limits).st_size > _LARGEST_GLOSSARY:
                    return (), (f"{name}: over {_LARGEST_GLOSSARY:,} bytes; left out of searches",)
                data = files.load(root, name, limits).data
            except files.RefusedError as refused:
                return (), (str(refused),)
            return names_in(visible(files.decode(name, data)[0])), ()
    return (), ()
