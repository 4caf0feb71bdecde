"""Words of any script, and the numbers they are compared by."""

import os
import subprocess
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ctx.text.words import index_words, searched_words, term_ids, words


def test_words() -> None:
    texts = {
        "Parsers parsing the parsed": ["parser", "pars", "the", "pars"],
        "cache caches cached caching": ["cach", "cach", "cach", "cach"],
        "a be sea": ["sea"], "HTTP2 utf8": ["http2", "utf8"], "Größe": ["gross"],
        "snake_case and kebab-case": ["snake", "case", "and", "kebab", "case"],
        "GRÖSSE": ["gross"], "Gro\u0308ße": ["gross"], "naïve café": ["naiv", "cafe"],
        "決済": ["決済"], "日本語": ["日本", "本語"], "決": [], "日本 語学": ["日本", "語学"],
        "결제 카드": ["결제", "카드"], "ｆｕｌｌ ｗｉｄｔｈ": ["full", "width"],
        "ไทย": ["ไท", "ทย"], "Привет мир": ["привет", "мир"], "हिन्दी": ["हिन्दी"],
        "mixed日本text": ["mix", "text", "日本"],
    }  # fmt: skip
    assert {text: words(text) for text in texts} == texts


def test_what_is_not_a_word() -> None:
    for text in (
        "#in-progress #blocked #priority:high #added:2026-01-02-030405 #session:abc-123",
        "#branch:fix/parser #commit:1a2b3c4d", "- [x] - [ ] * [-] [X] [~]", "#später",
        "2026-01-02 2026-01-02-030405 [2026-01-02] 2026-01-02T030405Z 2026-01-02T03:04:05Z",
        "1a2b3c4 deadbee1 0123456789abcdef0123456789abcdef01234567",
        "a is of -- ... !? ` * _ #",
    ):  # fmt: skip
        assert words(text) == []


def test_words_beside_noise_stay() -> None:
    text = "- [x] Fix the parser #in-progress #added:2026-01-02 in 1a2b3c4 defaced facade 1234567"
    assert words(text) == ["fix", "the", "parser", "defac", "facad", "1234567"]


def test_a_script_does_not_change_what_stands_beside_it() -> None:
    text = "The parser keeps caches #added:2026-01-02 1a2b3c4"
    assert words(f"{text} é") == words(text)


@given(st.text())
def test_case_and_composition_change_nothing(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


@given(st.text())
def test_term_ids_stand_for_the_distinct_words(text: str) -> None:
    found = term_ids(text)
    assert len(found) == len(set(found)) == len(set(words(text)))
    assert all(0 < one < 2**64 for one in found)


@given(st.text(), st.text())
def test_term_ids_do_not_depend_on_what_was_asked_before(text: str, other: str) -> None:
    first = set(term_ids(text))
    assert set(term_ids(f"{other} {text}")) >= first
    assert set(term_ids(text)) == set(term_ids(f"{text} {text}")) == first


def test_term_ids_are_the_same_in_every_process() -> None:
    code = "from ctx.text.words import term_ids; print(sorted(term_ids('Größe 決済 parser')))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("0", "1")
    }
    assert told == {f"{sorted(term_ids('Größe 決済 parser'))}\n".encode()}


def test_identifiers_are_searched_whole_and_by_their_parts() -> None:
    texts = {
        "getUserName": ["getusernam", "get", "user", "name"],
        "PostgreSQL": ["postgresql", "postgr", "sql"],
        "HTTPServer 2": ["httpserver", "http", "server", "2"],
        "iPhone OAuth": ["iphon", "phone", "oauth", "auth"],
        "retry_policy a.b-c v1.2": ["retri", "polici", "a", "b", "c", "v1", "2"],
        "URLs and Words": ["url", "and", "word"],
    }
    assert {text: [stem for stem, _ in searched_words(text)] for text in texts} == texts
    for text in ("0aA²", "²0aA", "fooBar℀", "aBcd\u0301", "0aA_²"):
        assert {*index_words(text)} <= {stem for stem, _ in searched_words(text)}
    assert len(searched_words("getUserName getUserName を「getUserName」")) == 7
    assert len(searched_words("getUserName", bool)) == 1
    assert searched_words("Größen 決済") == [("grossen", "grossen"), ("決済", "")]
