"""Other names: of entries, and those that a glossary puts beside each other."""

import pytest

from ctx.model import Frontmatter
from ctx.text.aliases import MOST_NAMES, aliases, glossary
from tests.read.samples import entry


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("**Also called**: pg, Postgres", ("pg", "Postgres")),
        ("Text.\n\n**Also called:** pg\n\nMore.", ("pg",)),
        ("- Also called: `pg`, **the elephant**.", ("pg", "the elephant")),
        ("ALIASES: read/write lock", ("read/write lock",)),
        ("It is also called pg: by some", ()),
        ("Also called:\npg", ()),
        ("", ()),
    ],
)
def test_the_aliases_of_an_entry(body: str, names: tuple[str, ...]) -> None:
    one = entry("Use PostgreSQL", body)
    assert aliases(one) == names
    front = Frontmatter(aliases=("store",))
    assert aliases(one._replace(front=front)) == ("store", *names)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("- **pg**: PostgreSQL", [("pg", "PostgreSQL")]),
        ("* **pg:** PostgreSQL, Postgres, the database we use", [("pg", "PostgreSQL", "Postgres")]),
        ("- pg: PostgreSQL (the database)", [("pg", "PostgreSQL")]),
        ("- `k8s` — Kubernetes. It runs what we ship.", [("k8s", "Kubernetes")]),
        ("- **pg** / **psql**: what stores everything", [("pg", "psql")]),
        ("- **Pull request (PR)**: a change that somebody reads", [("Pull request", "PR")]),
        ("| Term | Meaning |\n|---|---|\n| MQ | message broker |",
         [("Term", "Meaning"), ("MQ", "message broker")]),
        ("## RMA\n\nReturn label. It is printed.", [("RMA", "Return label")]),
        ("## Store\n\n**Also called**: pg, Postgres", [("Store", "pg", "Postgres")]),
        ("## Words\n\n- **Cart**: what a customer collects", []),
        ("- **Line**: one product in a cart\n- **Event**: a message", []),
        ("- **it**: the thing", []),
        ("# Glossary\n\nNames of this shop.", []),
        ("", []),
    ],
)  # fmt: skip
def test_names_that_a_glossary_uses_for_one_thing(text: str, groups: list[tuple[str, ...]]) -> None:
    assert list(glossary(text)) == groups


def test_a_list_in_a_glossary_is_not_of_names_without_end() -> None:
    ((*names,),) = glossary("## " + "/".join(f"n{number}" for number in range(100)))
    assert names == [f"n{number}" for number in range(MOST_NAMES)]
