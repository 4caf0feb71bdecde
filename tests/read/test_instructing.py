"""Standing instructions of users: found in eleven languages, replaced, and never invented."""

import json
import sys
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctx.model import WEAK, Context, Entry
from ctx.read import Limits, Wanted, read
from ctx.read.columns import Columns
from ctx.read.instructing import model
from ctx.read.instructing.own import own
from ctx.read.instructing.reader import instructions
from ctx.read.instructing.reader import read as sentences
from ctx.read.instructing.register import LEAST, STRONG, register
from ctx.store.no_cache import NoCache

LIMITS = Limits(1 << 20, allow_links=False, project="", allow_secrets=False)


def talk(folder: Path, *turns: tuple[str, str], speaker: str = "") -> Context:
    """Return a directory with one session of ``turns``: role and text, a day each."""
    sessions = folder / "state" / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "id": f"t{number}", "session": "talk", "ts": f"2026-01-{number:02}", "role": role,
            "speaker": speaker, "text": text,
        }
        for number, (role, text) in enumerate(turns, 1)
    ]  # fmt: skip
    (sessions / "talk.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    root = folder / "context"
    root.mkdir(exist_ok=True)
    return read(str(root), NoCache(), LIMITS, Wanted(state=str(folder / "state")))


def users(*texts: str) -> list[tuple[str, str]]:
    return [("user", text) for text in texts]


def in_force(context: Context) -> list[str]:
    return [entry.title for entry in context.standing if entry.is_current]


STANDING = (
    "From now on, sign every letter with 'Best, Ana'.",
    "never touch the generated files",
    "don't ever change the base image",
    "ask me before you delete anything in the archive",
    "stop adding comments without asking me",
    "i don't want more readme files unless i ask for them",
    "ab jetzt immer erst die Tests laufen lassen, dann committen",
    "frag mich bevor du an den Migrationen was änderst",
    "a partir de ahora nada de comentarios en el código",
    "de agora em diante não use emojis",
    "désormais n'utilise plus de commentaires",
    "d'ora in poi niente commenti nel codice",
    "никогда не трогай папку config без спроса",
    "từ giờ đừng bao giờ sửa file trong thư mục config",
    "以后改数据库之前先问我",
    "今後は変更する前に必ず聞いてください",
    "앞으로 설정 파일은 절대 건드리지 마",
)
PASSING = (
    "Please call the customer tomorrow.",
    "Fix the parser.",
    "add a search field to the order table",
    "why does it always jump to the top?",
    "The page never loads when I click on export.",
    "for now leave the filter as it is",
    "check the seeds once more and make sure that all orders have a status",
    "wenn ich den Filter ändere, aktualisiert sich die Liste nicht",
    "quiero un botón que abra el mapa",
    "为什么列表里没有显示价格？",
    "一覧に検索欄を追加してください",
    "목록에 검색창 추가해줘",
)


@pytest.mark.parametrize("text", STANDING)
def test_what_is_to_hold_from_then_on_is_found(text: str) -> None:
    found = list(instructions(text))
    assert [text[one.start : one.end] for one in found] == [text]
    assert found[0].score >= LEAST


@pytest.mark.parametrize("text", PASSING)
def test_what_is_for_once_or_of_others_is_not(text: str) -> None:
    assert all(one.score < LEAST for one in instructions(text))


SENT = (
    "Always name the unit when I ask about sizes.",
    "never write sql by hand, use the query builder",
    "please don't create helper scripts in the repo",
    "you have to run the build before you commit",
    "stop asking me for permission for every command",
    "i never asked for documentation",
    "work exclusively in the firmware folder",
    "no quiero scripts que no te pido",
    "cada vez que termines corre los tests",
    "não crie arquivos de documentação",
    "ne touche jamais aux migrations",
    "non creare file di documentazione",
    "đừng bao giờ sửa file test",
    "不要创建多余的文档",
    "テストは絶対に書き換えないで",
    "테스트 파일은 절대 수정하지 마",
)
OF_TODAY = (
    "don't change anything else in this file",
    "do not write any code yet, first explain the plan",
    "do not show the price on the invoice page",
    "the button should never cover the map when i scroll",
    "i don't see any change in the log",
    "why do you never run the tests?",
    "create one more test file for the importer",
    "every time i run the build it fails",
    "no cambies nada más en este archivo",
    "no quiero ese botón en la pantalla",
    "ne touche pas au reste de ce fichier",
    "non mostrare il prezzo nella pagina",
    "先不要改代码",
    "このファイルの他の部分は変えないで",
    "이번에는 테스트 건드리지 마",
)


@pytest.mark.parametrize("text", SENT)
def test_a_clear_demand_on_how_an_agent_works_is_strong(text: str) -> None:
    assert max(one.score for one in instructions(text)) >= STRONG


@pytest.mark.parametrize("text", OF_TODAY)
def test_what_is_for_today_or_a_feature_is_not_strong(text: str) -> None:
    assert all(one.score < STRONG for one in instructions(text))


@pytest.mark.parametrize(
    "pasted",
    [
        "```\n{}\n```",
        "> {}",
        "<bash-stdout>{}</bash-stdout>",
        "2026-05-01 10:00:01 WARN {}",
        "+ {}",
        "Ana: {}\nBen: ok",
        "## Plan\n1. {}\n2. Then the tests.",
        "- one\n- {}\n- two\n- three",
        'The poster says "{}" in large letters.',
    ],
)
def test_what_is_pasted_or_quoted_never_instructs(pasted: str) -> None:
    text = pasted.format("From now on never touch the generated files.")
    assert all(one.score < LEAST for one in instructions(text))


def test_a_paste_beside_an_instruction_hides_only_itself() -> None:
    text = "Error: no such file\n    at load (a.js:1)\n\nfrom now on ask me before you delete files"
    assert own(text).split() == [
        "from",
        "now",
        "on",
        "ask",
        "me",
        "before",
        "you",
        "delete",
        "files",
    ]
    assert len(own(text)) == len(text)


def test_a_score_can_be_explained_and_is_the_sum_of_its_reasons() -> None:
    for text in (*STANDING, *PASSING):
        for one in sentences(text):
            for found in one.found:
                total = sum(part for part, _ in model.reasons(found))
                assert abs(total + model.weights().bias / model.SCALE - model.logit(found)) < 0.01


def test_what_is_said_in_each_language_is_told_apart() -> None:
    spoken = ["en"] * 6 + ["de", "de", "es", "pt", "fr", "it", "ru", "vi", "zh", "ja", "ko"]
    assert [next(sentences(text)).language for text in STANDING] == spoken


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "From now on, start all column names with 'a_'.",
            "From now on, start all column names with 'b_'.",
        ),
        ("From now on always use semicolons.", "From now on never use semicolons."),
    ],
)
def test_a_later_instruction_about_the_same_replaces_it(
    tmp_path: Path, before: str, after: str
) -> None:
    assert in_force(talk(tmp_path, *users(before, after))) == [after]


def test_one_about_something_else_does_not(tmp_path: Path) -> None:
    before, after = "From now on never deploy on Fridays.", "From now on never use emojis in mails."
    assert in_force(talk(tmp_path, *users(before, after))) == [before, after]


def test_one_that_is_said_again_is_stronger_and_listed_once(tmp_path: Path) -> None:
    text = "from now on no emojis in the replies please"
    (once,) = talk(tmp_path / "once", *users(text)).standing
    context = talk(tmp_path / "twice", *users(text, text))
    assert in_force(context) == [text]
    assert context.standing[-1].priority >= once.priority


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("From now on, always attach the invoice to reminders.", "Never mind the invoice."),
        ("From now on, begin table names with 'sh_'.", "No longer need to begin table names so."),
    ],
)
def test_one_can_be_taken_back(tmp_path: Path, rule: str, later: str) -> None:
    context = talk(tmp_path, *users(rule, later))
    assert in_force(context) == []
    assert context.standing[0].status == "superseded"


def test_only_users_instruct_and_each_for_themselves(tmp_path: Path) -> None:
    rule = "From now on, start all headlines with 'New:'."
    answer = ("assistant", "From now on never start headlines with 'Old:'.")
    assert in_force(talk(tmp_path, ("user", rule), answer)) == [rule]


def test_a_turn_that_holds_what_was_replaced_is_marked(tmp_path: Path) -> None:
    context = talk(
        tmp_path,
        ("user", "From now on, start all headlines with 'New:'. How are you?"),
        ("assistant", "Fine. I start headlines with 'New:' then."),
        ("user", "From now on, start all headlines with 'Note:'."),
    )
    turns = [entry for entry in context.entries if entry.kind == "turn"]
    assert turns[0].status == "partly superseded"
    assert turns[2].status == ""


def test_sessions_of_the_repository_instruct_nobody(tmp_path: Path) -> None:
    context = talk(tmp_path, ("user", "Hello."))
    folder = Path(context.root) / "sessions"
    folder.mkdir()
    line = {"id": "x", "session": "y", "role": "user", "text": "Always start names with 'x_'."}
    (folder / "y.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    wanted = Wanted(state=str(tmp_path / "state"), foreign=True)
    assert not read(context.root, NoCache(), LIMITS, wanted).standing


PIECES = st.sampled_from(
    [*STANDING, *PASSING, "Never mind that.", "```\nAlways use it in all your files.\n```", "\n- "]
)


@given(st.lists(st.lists(PIECES | st.text(max_size=30), max_size=3).map(" ".join), max_size=8))
def test_the_register_holds_words_of_turns_alone(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("talk")
    context = talk(folder, *users(*texts))
    bodies = [" ".join(turn.body.split()) for turn in context.entries if turn.kind == "turn"]
    assert all(any(entry.title in body for body in bodies) for entry in context.standing)
    ids = {entry.id for entry in context.standing}
    assert len(ids) == len(context.standing)
    assert all(ids.issuperset(_superseded(entry)) for entry in context.standing)
    again = read(context.root, NoCache(), LIMITS, Wanted(state=str(folder / "state")))
    assert [one[:10] for one in again.standing] == [one[:10] for one in context.standing]


class Part(NamedTuple):
    """Turns of one user with the rows of ``instructions``, and nothing else."""

    standing: dict[str, list[list[object]]]
    timestamps: list[str]
    speakers: list[str]
    outdated: set[int]


ROWS: dict[str, tuple[object, ...]] = {
    "that replace each other": (
        "from now on tabs {0}",
        2.0,
        "do",
        1,
        ["tab", "indent"],
        ["{0}"],
        [],
        1,
    ),
    "that repeat each other": ("no tabs", 2.0, "avoid", 0, ["tab", "indent"], [], [], 1),
    "about something else": ("no tabs{0}", 2.0, "avoid", 0, ["tab{0}", "x{0}"], [], [], 1),
    "that share a word": ("no tabs{0}", 2.0, "avoid", 0, ["tab", "x{0}", "y{0}"], [], [], 1),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_twice_as_many_instructions_are_not_four_times_the_work(row: tuple[object, ...]) -> None:
    def filled(field: object, turn: int) -> object:
        if isinstance(field, list):
            return [str(each).format(turn) for each in field]
        return field.format(turn) if isinstance(field, str) else field

    def calls(turns: int) -> int:
        held = {str(turn): [[filled(field, turn) for field in row]] for turn in range(turns)}
        part = Part(held, [""] * turns, [], set())
        counted = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            register([[cast("Columns", part)]])
        finally:
            sys.setprofile(None)
        return counted

    assert calls(400) < 2.5 * calls(200)


def _superseded(entry: Entry) -> list[str]:
    return entry.supersedes.split("\n") if entry.supersedes else []


# --- what one person tells another -----------------------------------------------------------


def told(folder: Path, *texts: str, speaker: str = "Mara") -> Context:
    """Return a directory with a session in which somebody tells these texts, and is answered."""
    return talk(
        folder, *(turn for text in texts for turn in (("user", text), ("assistant", "Noted."))),
        speaker=speaker,
    )  # fmt: skip


TOLD = (
    "use paper labels only, plastic tears",
    "weights in grams, on every label",
    "die Karten bitte immer nach Datum sortieren",
    "los pesos van en gramos, no en kilos",
    "Firstly, I want you to begin all table names with 'sh_'. We talked about the picnic, too.",
)


@pytest.mark.parametrize("text", TOLD)
def test_what_one_person_tells_another_is_strong(tmp_path: Path, text: str) -> None:
    (found,) = (each for each in told(tmp_path, text).standing if each.title in text)
    assert found.priority > WEAK


@pytest.mark.parametrize("text", ["hi!", "should the dot be red?", "how was the picnic?"])
def test_greetings_and_questions_are_not(tmp_path: Path, text: str) -> None:
    assert all(each.priority == WEAK for each in told(tmp_path, text).standing)


@pytest.mark.parametrize(
    ("speaker", "answer"),
    [
        ("", ("assistant", "Done.")),  # the host of an agent names nobody
        ("Mara", ("tool", "parcels.py: 1 line changed")),
        ("Mara", ("assistant", "[tool_use Edit] parcels.py")),
    ],
)
def test_an_unmarked_imperative_is_todays_task_where_an_agent_works(
    tmp_path: Path, speaker: str, answer: tuple[str, str]
) -> None:
    context = talk(tmp_path, ("user", TOLD[0]), answer, speaker=speaker)
    assert all(each.priority == WEAK for each in context.standing)


def test_people_among_themselves_instruct_no_agent(tmp_path: Path) -> None:
    turns = users("From now on never wrap glass in foil.", "Good idea.")
    assert not talk(tmp_path / "named", *turns, speaker="Mara").standing
    assert talk(tmp_path / "unnamed", *turns).standing


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("weights in grams, on every label", "ok then, weights in ounces on the labels"),
        ("die Karten nach Datum sortieren", "ab jetzt die Karten nach Gewicht sortieren"),
        ("one parcel per page please", "back to two parcels per page please"),
        ("Begin all table names with 'sh_'.", "We now start table names with 'cargo_'."),
        ("For table names we use snake_case.", "I'd like CamelCase for all table names."),
    ],
)
def test_a_change_of_mind_about_the_same_replaces_it(
    tmp_path: Path, before: str, after: str
) -> None:
    context = told(tmp_path, before, "mark late parcels with a red dot", after)
    assert before not in in_force(context)
    assert after in in_force(context)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Begin all table names with 'sh_'.", "Begin all column names with 'c_'."),
        ("Begin all table names with 'sh_'.", "End all table names with '_t'."),
        ("Always import the 'json' module.", "From now on, always import the 'gzip' module."),
        ("Write docstrings in all classes.", "From now on, write comments in all classes."),
    ],
)
def test_what_is_about_something_else_stays(tmp_path: Path, before: str, after: str) -> None:
    assert in_force(told(tmp_path, before, after)) == [before, after]


def test_of_two_in_one_sentence_one_alone_is_replaced(tmp_path: Path) -> None:
    both = "Begin table names with 'sh_' and column names with 'c_'."
    context = told(tmp_path, both, "Begin column names with 'k_'.")
    assert [each.status for each in context.standing if each.title == both] == ["partly superseded"]
    context = told(tmp_path, both, "Begin column names with 'k_'.", "Start table names with 't_'.")
    assert both not in in_force(context)


def test_a_later_pronoun_means_what_was_named_before(tmp_path: Path) -> None:
    before, after = "Start table names with 'sh_'.", "Start them with 't_'."
    held = in_force(told(tmp_path, before, f"We need to talk about table names. {after}"))
    assert (before in held, after in held) == (False, True)


def test_nothing_planted_in_a_text_of_a_program_is_told() -> None:
    planted = Path(__file__).resolve().parents[2] / "benchmarks" / "talk" / "planted.json"
    for row in json.loads(planted.read_text("utf-8")):
        found = instructions(row["text"], told=True)
        strong = [row["text"][one.start : one.end] for one in found if one.score >= LEAST]
        assert not any(text in row["instruction"] or row["instruction"] in text for text in strong)


def test_always_when_i_ask_instructs_whatever_it_is_about() -> None:
    (found,) = instructions("Always name the crash reports when I ask about errors of the page.")
    assert found.score >= LEAST
