"""What is a secret, what is none, and that the prefilter never hides one from a detector."""

import json
import re
import subprocess
import sys
from html import unescape
from itertools import pairwise
from string import ascii_letters

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ctx.text.secrets import REDACTED, Secret, find, mask, without
from ctx.text.secrets import detectors as asked
from ctx.text.secrets.prefilter import places
from tests.sampling import ALL
from tests.text.planted import ALNUM, key_block, noise, one_of_each, planted
from tests.text.secret_kinds import (
    CONTEXTS,
    PLACES,
    harmless,
    in_context,
    remains,
    with_word,
    written,
)
from tests.text.secret_kinds import kinds as kinds_of_secrets

ASCII = st.characters(codec="ascii", exclude_characters="\n")
PLANTED = planted("tests")


def kinds(text: str) -> list[str]:
    return [secret.kind for secret in find(text)]


def as_read(text: str) -> str:
    return unescape(text.replace("\\", ""))


# --- what is found ------------------------------------------------------------------------


@pytest.mark.parametrize("detector", sorted({one.detector for one in PLANTED}))
def test_a_secret_of_every_kind_is_found_and_redacted(detector: str) -> None:
    for one in (one for one in PLANTED if one.detector == detector):
        text = f"Before.\n{one.line}\nAfter.\n"
        held = mask(text)
        assert one.secret in text
        assert one.secret not in held
        assert REDACTED in held
        assert held.startswith("Before.\n")
        assert held.endswith("\nAfter.\n")
        assert held.count("\n") == text.count("\n")
        assert [secret.line for secret in find(text)] == [2]
        assert asked.judged(one.line, everywhere(one.line)) == asked.judged(
            one.line, places(one.line)
        )


@pytest.mark.parametrize("place", PLACES)
def test_secrets_are_found_wherever_people_leave_them(place: str) -> None:
    every = kinds_of_secrets("places")
    missed = [kind.label for kind in every if kind.secret in mask(written(kind, place))]
    assert len(missed) <= len(every) * 0.02, missed


@pytest.mark.parametrize("context", CONTEXTS)
def test_tokens_are_found_in_every_text_around_them(context: str) -> None:
    r"""Also behind ``\n`` in JSON, and with the escapes of Markdown and HTML in them."""
    every = [kind for kind in kinds_of_secrets(f"in {context}") if kind.is_form]
    missed = [
        kind.label
        for kind in every
        if remains(kind.secret, as_read(mask(in_context(kind.secret, context))))
    ]
    assert len(every) > 200
    assert len(missed) <= len(every) * 0.02, missed


def test_a_word_of_placeholders_in_a_token_frees_it_no_more() -> None:
    tokens = [
        token
        for number in range(9)
        for kind in kinds_of_secrets(f"words {number}")
        if (token := with_word(kind, number))
    ]
    missed = [token for token in tokens if remains(token, mask(f"Use {token} now."))]
    assert len(tokens) > 1_000
    assert len(missed) <= len(tokens) * 0.02, missed


def test_a_token_is_redacted_with_its_escapes_and_nothing_else() -> None:
    token = f"ghp_{noise(36, ALNUM, 'escaped')}"
    for sign in (r"\_", r"\\_", "&#95;"):
        escaped = token.replace("_", sign)
        text = rf"a\_b &amp; {escaped}\. Then&nbsp;c\-d"
        assert mask(text) == text.replace(escaped, REDACTED)


def test_letters_of_both_cases_are_a_password_and_names_in_code_are_none() -> None:
    every = [noise(12, ascii_letters, f"letters {number}") for number in range(200)]
    missed = [word for word in every if word in mask(f"db:\n  password: {word}\n")]
    assert len(missed) <= len(every) * 0.02, missed
    names = ("SecureString", "hashedPassword", "BCryptPasswordEncoder", "userSuppliedValue")
    assert [name for name in names if find(f"  password: {name}\n")] == []


def test_only_the_secret_is_replaced() -> None:
    for one in one_of_each("words"):
        assert mask(one.line).startswith(one.line.partition(one.secret)[0][:4])


def test_a_key_block_is_redacted_with_all_its_lines() -> None:
    block = key_block("RSA PRIVATE", "a")
    text = f"# Keys\n\n{block}\n\nText.\n"
    assert mask(text) == "# Keys\n\n" + REDACTED + "\n" * block.count("\n") + "\n\nText.\n"
    assert find(text) == [Secret(3, 8, 8 + len(block), "Private Key")]


def test_a_key_block_in_a_quote_stays_in_its_quote() -> None:
    quoted = "\n".join(f"> {line}" for line in key_block("EC PRIVATE", "a").split("\n"))
    assert mask(f"{quoted}\n> After.") == f"> {REDACTED}\n> \n> \n> \n> \n> \n> After."


def test_a_key_block_that_nobody_closed_ends_where_its_lines_end() -> None:
    block = key_block("RSA PRIVATE", "a").rpartition("\n")[0]
    assert mask(f"{block}\n\n## Next\n\ntext") == REDACTED + "\n" * 6 + "## Next\n\ntext"


def test_the_end_of_a_key_whose_beginning_is_elsewhere_is_redacted() -> None:
    body = ("MIIEpAIBAAKCAQEA7bq8zVvR2xkq1Yp0dYw9Zs4nT6uJcX3hLmGfQ8eRbKtWoPiA\n" * 3)[8:]
    end = "-----END RSA PRIVATE KEY-----"
    assert mask(f"Found:\n{body}{end}\nDone.") == f"Found:\n{REDACTED}\n\n\n\nDone."
    assert mask(f"Its last line is\n{end}") == f"Its last line is\n{end}"


def test_a_key_block_in_json_is_one_line() -> None:
    block = key_block("PRIVATE", "a").replace("\n", "\\n")
    assert mask(f'{{"private_key": "{block}\\n"}}') == f'{{"private_key": "{REDACTED}\\n"}}'


def test_a_putty_key_is_redacted() -> None:
    lines = [
        "PuTTY-User-Key-File-3: ssh-ed25519", "Encryption: none", "Public-Lines: 1",
        noise(64, ALNUM, "public"), "Private-Lines: 1", noise(64, ALNUM, "private"),
        f"Private-MAC: {noise(64, '0123456789abcdef', 'mac')}",
    ]  # fmt: skip
    assert mask("\n".join([*lines, "Text."])) == REDACTED + "\n" * 7 + "Text."


def test_talk_of_keys_is_no_key() -> None:
    text = "A file that begins with -----BEGIN RSA PRIVATE KEY----- is a key.\nMore text.\n"
    assert find(text) == []


def test_two_secrets_of_a_line_are_both_redacted() -> None:
    one, two = noise(12, ALNUM, "one"), noise(12, ALNUM, "two")
    line = f'login(password="{one}", api_key="{two}")'
    assert mask(line) == f'login(password="{REDACTED}", api_key="{REDACTED}")'


def test_a_secret_that_is_quoted_twice_is_found() -> None:
    word = noise(12, ALNUM, "json")
    line = f'{{"code": "connect(password=\\"{word}\\")"}}'
    assert json.loads(mask(line)) == {"code": f'connect(password="{REDACTED}")'}
    assert find('{"code": "password = \\"mysecretpassword\\""}') == []


def test_a_token_ends_where_it_is_known_to_end() -> None:
    token = f"ghp_{noise(36, ALNUM, 'end')}"
    assert mask(f"see {token}/path.") == f"see {REDACTED}/path."


@pytest.mark.parametrize("beginning", ["glpat-", "sk_live_", "ghp_", "hvs.", "LTAI", "AVNS_"])
def test_a_token_whose_rest_is_camel_case_by_chance_is_found(beginning: str) -> None:
    for rest in ("ernoWjiXnbkFxldYxfNp", "zcqzRzyCaTRpIieFzng1", "QZyzmiBejquUxztMRp62"):
        text = f"use {beginning}{rest * (2 if beginning == 'ghp_' else 1)} now"
        assert mask(text) == f"use {REDACTED} now"
    assert find(f"see {beginning}personal-access-token-rotation.md") == []


def test_a_long_token_is_redacted_to_its_end() -> None:
    token = f"glpat-{noise(5000, ALNUM, 'long')}"
    text = f"{'x ' * 2000}{token} end"
    assert mask(text) == f"{'x ' * 2000}{REDACTED} end"


def test_a_secret_is_found_wherever_it_stands_in_a_long_line() -> None:
    word, token = noise(12, ALNUM, "far"), f"hf_{noise(34, ALNUM, 'far')}"
    for distance in (0, 100, 999, 1000, 1001, 1299, 1300, 2499, 2500, 9000):
        before = f"{'word ' * (distance // 5)}{'.' * (distance % 5)}"
        text = f'{before} password = "{word}", {token} {"x " * 2000}'
        assert word not in mask(text), distance
        assert token not in mask(text), distance


def test_a_secret_is_named_by_the_most_particular_detector() -> None:
    token = f"ghp_{noise(36, ALNUM, 'named')}"
    assert kinds(f'password = "{token}"') == ["GitHub Token"]


# --- what is none -------------------------------------------------------------------------


def test_what_looks_alike_is_no_secret() -> None:
    before = "[secret held back]"  # in texts that an older release stored
    lines = [*harmless("tests")]
    for text in (REDACTED, before):
        lines += [text, f'password = "{text}"', f"token={text}", f"postgres://u:{text}@host/db"]
    assert [(line, line[one.start : one.end]) for line in lines for one in find(line)] == []


def test_the_comment_of_the_library_lets_a_line_through() -> None:
    line = f'password = "{noise(12, ALNUM, "allowed")}"'
    for comment in ("# {}", "<!-- {} -->", "// {}"):
        allowed = f"{line} {comment.format('pragma: allowlist secret')}\n"
        assert find(allowed) == []
        assert kinds(f"{allowed}{line}\n") == ["Secret Keyword"]


def test_the_comment_for_the_next_line_lets_that_through() -> None:
    line = f'password = "{noise(12, ALNUM, "next")}"'
    assert find(f"# pragma: allowlist nextline secret\n{line}") == []
    assert [one.line for one in find(f"# pragma: allowlist nextline secret\n\n{line}")] == [3]


# --- the prefilter ------------------------------------------------------------------------


def everywhere(text: str) -> list[int]:
    """Return the offset of every line: what a detector is asked about without a prefilter."""
    return [0, *(end.end() for end in re.finditer("\n", text))]


PATTERNS = [
    (str(made.secret_type), re.compile(one.pattern, one.flags))
    for made in asked.TOKENS
    for one in made.denylist
]


@settings(max_examples=200 if ALL else 80, suppress_health_check=list(HealthCheck))
@given(chosen=st.sampled_from(PATTERNS), data=st.data())
def test_the_prefilter_lets_nothing_pass_that_a_detector_finds(
    chosen: tuple[str, re.Pattern[str]], data: st.DataObject
) -> None:
    name, pattern = chosen
    token = data.draw(st.from_regex(pattern, fullmatch=True, alphabet=ASCII))
    text = f"# Title\n\nIt was {token} then.\nkey"
    assert asked.judged(text, everywhere(text)) == asked.judged(text, places(text)), name


OFF = {  # the detectors of the library that are not used, and why
    "HexHighEntropyString": "commit ids and digests are as random as keys",
    "IPPublicDetector": "an address is no secret",
    "KeywordDetector": "assigned.py knows more names, and values without quotes",
    "BasicAuthDetector": "assigned.py knows addresses without a user or a password, too",
    "JwtTokenDetector": "it ends before the signature; the forms above have the whole token",
}


def test_every_detector_of_the_library_is_asked_or_left_out_for_a_reason() -> None:
    """A release with another detector has to be looked at."""
    own = {"FormDetector", "KeyBlockDetector"}
    classes: list[type] = [*get_mapping_from_secret_type_to_class().values()]
    library = {one.__name__ for one in classes}
    known = {type(one).__name__ for one in asked.TOKENS} - own
    known |= {"PrivateKeyDetector", type(asked.ENTROPY).__name__}
    assert library == known | set(OFF)
    assert all(OFF.values())
    assert not known & set(OFF)


def test_text_without_secrets_does_not_load_the_library() -> None:
    code = (
        "import sys; from ctx.text.secrets import mask; "
        "mask('The password is not stored. token: a string. See https://x.y/z?a=b.'); "
        "assert 'detect_secrets' not in sys.modules; "
        "mask('password = \"hunter2\"'); assert 'detect_secrets' not in sys.modules; "
        "mask('ghp_7aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA'); "
        "assert 'detect_secrets.plugins.stripe' in sys.modules; "
        "assert not sys.modules.keys() & {'requests', 'urllib3', 'inspect', 'multiprocessing'}; "
        "import detect_secrets.plugins.stripe as stripe, requests; "
        "assert stripe.requests.get is requests.get; "
        "from detect_secrets import SecretsCollection; from detect_secrets.util import inject; "
        "assert inject.get_injectable_variables(lambda a: a) == ('a',)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_hostile_text_costs_a_square() -> None:
    """It takes tenths of a second; its square would take hours, and the suite would hang."""
    for text in (
        "token=" * 9_000, "://a:" * 9_000, "eyJ" * 30_000, "eyJaaaaaaaa." * 9_000, "sk-" * 30_000,
        'password="' * 9_000, f"token{chr(92) * 60_000}", f"token{' ' * 60_000}",
        "PRIVATE KEY " * 3_000, f"{'curl ' * 9_000} -u ", "aB3dE5fG7hJ9kL1mN3pQ " * 4_000,
        '"aaaaa' * 9_000 + '"== ', "| token |\n|---|\n" * 9_000,
        f"{'token|' * 9_000}\n-|\n{'a|' * 9_000}", f"{'token|' * 32}\n-|\n{'a|' * 9_000}",
        "cookie=" * 20_000, f"cookie: {'a=b; ' * 20_000}", "cookie:a=" * 20_000,
        ":5432:a:" * 9_000, "echo " * 9_000 + "a | sudo -S " * 9_000, "password:\n " * 9_000,
        "密码" * 30_000, "$6$" * 20_000, f"$6${'a$' * 20_000}", f"password: {'!a ' * 20_000}",
        f"password:\n  {'a' * 60_000}",
    ):  # fmt: skip
        assert mask(text)


# --- laws ---------------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["password", "=", ":", '"', "'", "`", "\n", " ", "secret", "api_key", "x", "://", "@", "==",
     ";", "abc12345", "S3cr3tS3cr3t", "token", "\\", "key", "-----BEGIN RSA PRIVATE KEY-----", "> ",
     "-----END RSA PRIVATE KEY-----", "a" * 45,
     "\\_", "\\\\-", "&#95;", "&quot;", "\\n", noise(44, ALNUM, "law"), "é", "\r", "pragma: "]
)  # fmt: skip


@settings(max_examples=150)
@example(["password", " ", "=", '"', "abc12345", '"', "==", "secret"])
@given(st.lists(PIECES | st.sampled_from([one.line for one in one_of_each("law")]), max_size=14))
def test_secrets_lie_apart_lines_stay_and_nothing_is_found_again(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = find(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert [one.line for one in found] == [text.count("\n", 0, one.start) + 1 for one in found]
    held = mask(text)
    assert held == without(text, found)
    assert held.count("\n") == text.count("\n")
    assert (held == text) == (not found)
    held = mask(" ".join(pieces))
    assert mask(mask(held)) == mask(held)
    assert all(REDACTED not in held[one.start : one.end] for one in find(held))


@given(st.text())
def test_any_text_can_be_masked(text: str) -> None:
    assert mask(text).count("\n") == text.count("\n")
