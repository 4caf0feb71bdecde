"""What an instruction is about, and how it wants it: by this a later one replaces an earlier."""

from ctx.text.regex import regex
from ctx.text.words import index_words, is_common

_MOST = 12
_VALUE = regex(
    r"'[^'\n]{1,40}'(?!\w)|\"[^\"\n]{1,40}\"|“[^”\n]{1,40}”|`[^`\n]{1,60}`|(?<!\w)@\w+"
    r"|\b[a-z]+[A-Z]\w*|\b(?:[A-Z][a-z0-9]+){2,}|\b[A-Z][A-Z0-9]+\b|\b\w*_\w*|\d[\w.%-]*"
)  # a word that is written as no other: a quotation, a name, a piece of code, a number
_SAME = {  # stems that mean the same, and those that say nothing of the subject
    stem: same
    for same, _, stems in (line.partition(":") for line in """\
start: begin prefix preced
end: finish suffix
includ: contain incorpor add put
answer: repli respond
: write make sure ensur alway never rememb code pleas immer niemal nie jamai siempr nunca
: toujour sempr mai prefer onward forward future futur everi insist rule stop avoid switch
: instead everywher whole anymor
""".splitlines())
    for stem in stems.split()
}  # fmt: skip


def topic_of(written: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the stems of what an instruction is about, and its values, each sorted."""
    values = {found[0].strip("'\"“”`").lower() for found in _VALUE.finditer(written)}
    rest = _VALUE.sub(" ", written)
    stems = [_SAME.get(stem, stem) for stem in index_words(rest)]
    named = dict.fromkeys(stem for stem in stems if stem and not is_common(stem))
    return tuple(sorted(list(named)[:_MOST])), tuple(sorted(values))
