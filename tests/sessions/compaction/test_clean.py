"""What is not talk is noted by kind and size, and talk of every script is left alone."""

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.sessions.compaction.clean import clean

BLOB = base64.b64encode(b"".join(hashlib.sha256(bytes([n])).digest() for n in range(40))).decode()
WRAPPED = "\n".join(BLOB[at : at + 76] for at in range(0, len(BLOB), 76))
SHA1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
CALL = 'window.app.one=function(e,t){return e.map(function(n){return"strict"+n.call(this,t)})};'
MINIFIED = CALL * 9

PROSE = (
    "我们在星期三的会议上决定把缓存令牌的时间从三十分钟改为五分钟，因为登录太慢了。" * 40,
    "この設計では、トークンの寿命を五分にしました。理由はログインが遅かったからです。" * 40,
    "เราตัดสินใจลดเวลาแคชโทเคนเหลือห้านาทีเพราะเข้าสู่ระบบช้าเกินไป" * 40,
    "우리는 토큰 캐시 시간을 오 분으로 줄이기로 결정했습니다. " * 40,
    "Donaudampfschifffahrtsgesellschaftskapitän trifft Rindfleischetikettierungsaufgaben. " * 20,
    "Ang pinakamahalagang pagsasamahan ay nakapagpapabagabag. " * 30,
    "नमस्ते दुनिया, हमने निर्णय लिया। " * 40,
    "Plain English prose goes on and on, without any line break at all. " * 60,
    "see /usr/local/lib/python3.12/site-packages/some_package_name/sub_package/the_module_itself",
    "/Users/JohnSmith/Library/ApplicationSupport/Projects/MyServerApp2/SourceCode/MainWindow/View",
    "THE_LONGEST_NAME_OF_A_SETTING_THAT_ANYBODY_HAS_EVER_SEEN_IN_A_FILE_OF_SETTINGS_OR_SO",
    "a-very-long-address-of-an-article-that-somebody-wrote-about-nothing-in-particular-in-2024",
    "QA-Team/Plan-A1/Build-B2/Step-C3/Rel-D4/Team-E5/Plan-F6/Build-G7/Step-H8/Rel-I9/Team-J10",
    "-" * 300,
    "=" * 300 + "\n" + "_" * 300,
    "the figures were " + "10 20 30 40 50 60 70 80 90 15 " * 5,
    f"fixed in {SHA1}, see abc1234",
    "data: what we know, data:image/png;base64,short and data:text/plain,hi",
    "N" + "o" * 39,
)


def test_talk_stays_as_it_is() -> None:
    for text in PROSE:
        assert clean(text) == text


def test_what_is_not_talk_is_noted() -> None:
    for text, expected in (
        (f"see {BLOB} there", "see [base64, 1,708 characters] there"),
        (f"key:\n{WRAPPED}\nThanks, Bob", "key:\n[base64, 1,730 characters]\nThanks, Bob"),
        (f"key:\r\n{WRAPPED}\r\nBye", "key:\r\n[base64, 1,730 characters]\r\nBye"),
        (f"{BLOB[:64]}\nThanks", "[base64, 64 characters]\nThanks"),
        (f"x={SHA256};", "x=[hex, 64 characters];"),
        (f"0x{'AB' * 30}", "[hex, 62 characters]"),
        ("a" * 41, "[hex, 41 characters]"),
        ("7" * 50, "[digits, 50 characters]"),
        ("de:ad:be:ef:" * 6 + "00", "[hex, 74 characters]"),
        ("4865 6c6c 6f20 " * 9 + "end", "[hex, 135 characters]end"),
        (
            f"![logo](data:image/png;base64,{BLOB}) is new",
            "![logo]([data image/png, 1,730 characters]) is new",
        ),
        (
            "data:image/svg+xml;charset=utf-8,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%3E。看",
            "[data image/svg+xml, 83 characters]。看",
        ),
        (f"Here it is: {MINIFIED}\nDone.", "Here it is: [minified, 783 characters]\nDone."),
    ):
        assert clean(text) == expected, text


def test_minified_code_with_chinese_texts_is_minified_but_chinese_is_not() -> None:
    text = MINIFIED.replace("strict", "严格") + "x" * 600
    assert clean(text).startswith("[minified, ")
    assert clean("严格" * 600 + '{"a":1}') == "严格" * 600 + '{"a":1}'


def test_what_a_tool_says_again_is_noted() -> None:
    seen: set[str] = set()
    output = "3 passed in 0.12s, and a few words about what was tested here"
    assert clean(output, seen) == output
    assert clean(output + "!", seen) == output + "!"
    assert clean(output, seen) == "[repeated tool output, 61 characters]"


def test_what_a_tool_says_again_in_few_words_stays() -> None:
    seen: set[str] = set()
    assert [clean("ok", seen), clean("ok", seen)] == ["ok", "ok"]


def test_what_people_say_again_stays() -> None:
    text = "I said it before and I will say it again: tokens live for five minutes"
    assert [clean(text), clean(text)] == [text, text]


LONG = 1_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data:" * (LONG // 5), "[minified, 1,000,000 characters]"),
        ("data:image/png; " * 60_000, None),
        ("a" * LONG, "[hex, 1,000,000 characters]"),
        ("a" * LONG + "g", "[minified, 1,000,001 characters]"),
        ("ab " * 300_000, "[hex, 900,000 characters]"),
        (("ab " * 19 + "x ") * 20_000, None),
        (("a" * 59 + " ") * 16_000, "[hex, 59 characters] " * 16_000),
        (("G" * 59 + "\n") * 16_000, None),
        ("=" * LONG, "[minified, 1,000,000 characters]"),
        ((BLOB[:76] + "\n") * 13_000, "[base64, 1,000,999 characters]\n"),
        (("我" * 3 + "{") * 200_000, None),
        ("\n" * LONG, None),
        ("/" * LONG, "[minified, 1,000,000 characters]"),
    ],
    ids=range(13),
)
def test_a_million_characters_come_to_an_end(text: str, expected: str | None) -> None:
    # Compared as a bool: nobody wants to read the difference.
    assert (clean(text) == (text if expected is None else expected)) is True


@given(
    st.text() | st.lists(st.sampled_from([*PROSE, BLOB, SHA256, MINIFIED, "data:"])).map(" ".join)
)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert len(once) <= len(text)


@given(
    st.lists(
        st.sampled_from(["the", "cache", "is", "slow,", "so", "fix", "3", "times."]), min_size=1
    )
)
def test_sentences_of_words_stay(words: list[str]) -> None:
    text = " ".join(words)
    assert clean(text) == text
