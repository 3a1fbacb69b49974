"""Strict for people and models, lenient for files: what passes, what is flagged, what is refused."""

from __future__ import annotations

import contextlib
import csv
import json
from ast import literal_eval
from random import Random
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from data_sets import data_dir
from lanner import protocols
from lanner.errors import AnswerError
from lanner.model import (
    Choice,
    Document,
    Grid,
    Item,
    Json,
    Labels,
    Number,
    Option,
    Protocol,
    Question,
    Rank,
    Scale,
    Segment,
    Spans,
    Text,
)
from lanner.model.protocol import Wording
from lanner.protocols.answers import (
    accept,
    answers_from_fields,
    check,
    combine,
    consistency,
    in_words,
    likeness,
    question_schema,
    simulate_answer,
    stage_schema,
    texts_of,
)
from lanner.protocols.conditions import chosen_labels
from lanner.protocols.kinds.base import JudgedTexts, fold, resolve
from property_examples import examples
from simulated_pages import simulate_page

# Strict for people and models, lenient for files: what passes, what is flagged, what is refused.


ABC = (Option(id="a"), Option(id="b", aliases=("Bee", "B & B")), Option(id="c"))


def code(question: Question, value: Any, **more: Any) -> str:
    with pytest.raises(AnswerError) as caught:
        check(question, value, **more)
    assert caught.value.question == question.id
    assert caught.value.what.startswith(f"{question.id}: ")
    return caught.value.code


CASES: list[tuple[Question, Any, str]] = [
    (Scale(id="q", min=1, max=4), 0, "out_of_range"),
    (Scale(id="q", min=1, max=4), 5, "out_of_range"),
    (Scale(id="q", min=1, max=4), 2.5, "off_step"),
    (Scale(id="q", min=1, max=4), "3", "not_a_number"),
    (Scale(id="q", min=1, max=4), True, "not_a_number"),
    (Scale(id="q", min=1, max=4), float("nan"), "not_a_number"),
    (Scale(id="q", min=0, max=1, step=0.1), 0.35, "off_step"),
    (Number(id="q"), 1.5, "not_whole"),
    (Number(id="q", min=0), -1, "out_of_range"),
    (Number(id="q", max=3), 4, "out_of_range"),
    (Choice(id="q", options=ABC), "d", "unknown"),
    (Choice(id="q", options=ABC), "Bee", "unknown"),
    (Choice(id="q", options=ABC), ["a"], "unknown"),
    (Labels(id="q", options=ABC), "a", "shape"),
    (Labels(id="q", options=ABC), ["a", "a"], "repeated"),
    (Labels(id="q", options=ABC, min=2), ["a"], "too_few"),
    (Labels(id="q", options=ABC, max=1), ["a", "b"], "too_many"),
    (Labels(id="q", options=ABC, exclusive="c"), ["a", "c"], "not_exclusive"),
    (Labels(id="q", options=ABC, counts=True), ["a"], "shape"),
    (Labels(id="q", options=ABC, counts=True), {"a": -1}, "not_a_count"),
    (Grid(id="q", rows=ABC, options=ABC), {"a": "a", "b": "b"}, "incomplete"),
    (Grid(id="q", rows=ABC, options=ABC), {"a": "a", "b": "b", "c": "d"}, "unknown"),
    (Grid(id="q", rows=ABC, options=ABC), {"a": "a", "b": "b", "c": "c", "d": "a"}, "unknown"),
    (Grid(id="q", rows=ABC, options=ABC), {"a": "a", "b": "b", "c": ["c"]}, "unknown"),
    (Grid(id="q", rows=ABC, options=ABC), ["a"], "shape"),
    (Rank(id="q"), [1], "shape"),
    (Rank(id="q"), [0, 1], "shape"),
    (Rank(id="q", ties=False), [1, 1], "tie"),
    (Text(id="q", required=True), "  ", "missing"),
    (Text(id="q", max_length=3), "four", "too_long"),
    (Text(id="q"), 4, "shape"),
    (Text(id="q"), "half \ud83d", "half_character"),
    (Choice(id="q", options=ABC), None, "missing"),
]


@pytest.mark.parametrize(("question", "value", "expected"), CASES)
def test_strict_refuses_with_a_code(question: Question, value: Any, expected: str) -> None:
    assert code(question, value) == expected


def test_refusals_name_the_nearest_answer() -> None:
    with pytest.raises(AnswerError) as caught:
        check(Choice(id="level", options=(Option(id="local"), Option(id="global"))), "lokal")
    assert "'local'" in caught.value.next_step


@pytest.mark.parametrize(
    ("question", "value", "stored"),
    [
        (Scale(id="q", min=1, max=4), 3.0, 3),
        (Scale(id="q", min=0, max=100, step=0), 33.25, 33.25),
        (Scale(id="q", min=0, max=1, step=0.1), 0.7, 0.7),
        (Labels(id="q", options=ABC), ["c", "a"], ["a", "c"]),
        (Labels(id="q", options=ABC, min=2, exclusive="c"), ["c"], ["c"]),
        (Labels(id="q", options=ABC, counts=True), {"c": 2, "a": 1, "b": 0}, {"a": 1, "c": 2}),
        (Grid(id="q", rows=ABC, options=ABC), {"c": "a", "b": "b", "a": "a"}, {"a": "a", "b": "b", "c": "a"}),
        (Rank(id="q"), [3, 1], [2, 1]),
        (Rank(id="q"), [2, 2], [1, 1]),
        (Text(id="q"), "  word \n", "word"),
        (Text(id="q"), " ", None),
        (Text(id="q"), None, None),
    ],
)
def test_values_are_stored_in_one_form(question: Question, value: Any, stored: Any) -> None:
    assert check(question, value) == stored
    assert type(check(question, value)) is type(stored)
    assert accept(question, value).value == stored


def test_for_each_needs_exactly_the_chosen_labels() -> None:
    question = Scale(id="q", min=1, max=4, for_each="labels")
    assert check(question, {"b": 2, "a": 1}, chosen=["a", "b"]) == {"a": 1, "b": 2}
    assert code(question, {"a": 1}, chosen=["a", "b"]) == "incomplete"
    assert code(question, {"a": 1, "b": 2, "c": 3}, chosen=["a", "b"]) == "not_chosen"
    assert code(question, 3, chosen=["a"]) == "shape"
    lenient = accept(question, {"a": 1, "c": 3}, chosen=["a", "b"])
    assert (lenient.value, lenient.flags) == ({"a": 1, "c": 3}, ("not_chosen", "incomplete"))


@pytest.mark.parametrize(
    ("question", "value", "stored", "flags"),
    [
        (Labels(id="q", options=ABC, min=3, max=3), ["a", "a", "b"], ["a", "a", "b"], ("repeated", "too_few")),
        (Labels(id="q", options=ABC, min=3, max=3), ["a"], ["a"], ("too_few",)),
        (Scale(id="q", min=1, max=10), None, None, ("missing",)),
        (Scale(id="q", min=1, max=10), 100, 100, ("out_of_range",)),
        (Scale(id="q", min=1, max=10), "4.0", 4, ()),
        (Grid(id="q", rows=ABC, options=ABC), {"a": "a"}, {"a": "a"}, ("incomplete",)),
    ],
)
def test_lenient_keeps_the_answer_and_flags_what_it_breaks(
    question: Question, value: Any, stored: Any, flags: tuple[str, ...]
) -> None:
    taken = accept(question, value)
    assert (taken.value, taken.flags) == (stored, flags)


def test_lenient_resolves_and_counts_aliases_but_never_guesses() -> None:
    labels = Labels(id="q", options=ABC)
    taken = accept(labels, ["BEE", "a"])
    assert (taken.value, taken.repairs, taken.flags) == (["a", "b"], 1, ())
    with pytest.raises(AnswerError) as caught:
        accept(labels, ["Beee"])
    assert "'Bee'" in caught.value.next_step


def test_spelling_is_compared_without_case_and_punctuation() -> None:
    assert fold("Local  contextual-knowledge") == fold("local_contextual KNOWLEDGE")
    assert resolve("b & b", ABC) == "b"
    assert resolve("B", ABC) == "b"
    assert resolve("nothing", ABC) is None


@given(st.text())
def test_any_text_is_stored_stripped_or_refused(text: str) -> None:
    question = Text(id="q", max_length=20)
    try:
        assert check(question, text) == (text.strip() or None)
    except AnswerError as error:
        assert error.code == "too_long" and len(text.strip()) > 20


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(value=json_values, question=st.sampled_from([question for question, _, _ in CASES] + [Spans(id="q")]))
def test_any_json_is_stored_or_refused_never_a_crash(value: Any, question: Question) -> None:
    try:
        stored = check(question, value)
    except AnswerError:
        pass
    else:
        assert check(question, stored) == stored
    with contextlib.suppress(AnswerError):
        accept(question, value)


def test_what_a_judge_sees_of_an_item() -> None:
    segments = (
        Segment("1", "Eins.", {"x": "One.", "y": "A one."}, meta={"spans": {"x": [{"start": 0, "end": 3}]}}),
        Segment("2", "Zwei.", {"x": "Two.", "y": "A two."}),
    )
    document = Document("d", segments)
    one = texts_of(document, Item("d", "1", ("x",)))
    assert (one.source, one.targets, one.prefilled) == ("Eins.", ("One.",), ({"start": 0, "end": 3},))
    pair = texts_of(document, Item("d", "", ("y", "x"), texts={"y": "one A"}))
    assert pair.targets == ("one A", "One.\nTwo.")
    assert texts_of(document, Item("d", "1", ("y", "x"))).prefilled == ({"start": 0, "end": 3, "output": 1},)
    assert texts_of(document, Item("d", "1", ("x",), texts={"x": "eno"})).prefilled == ()


@pytest.mark.data
def test_every_label_of_the_released_falcon_files_is_known() -> None:
    """Eleven spellings of five labels in the o4mini file alone; nothing may be unknown."""
    folder = data_dir("h-falcon")
    protocol = protocols.load("falcon")
    context, skills = (protocol.find(name)[1] for name in ("context", "skills"))  # type: ignore[index]
    rows: list[tuple[str, Any, Any]] = []
    for file in sorted((folder / "model").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows.append((file.stem, row["context"], row["skill"]))
    for file in sorted((folder / "human" / "evalset").glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as stream:
            rows += [(file.stem, row["context"], literal_eval(row["skill"])) for row in csv.DictReader(stream)]
    assert len(rows) == 6 * 809
    repaired = {name: 0 for name, _, _ in rows}
    flags: list[str] = []
    for name, label, choice in rows:
        repaired[name] += accept(context, label).repairs
        flags += accept(skills, choice).flags
    assert all(repaired.values())
    assert flags.count("repeated") == 2
    assert flags.count("too_few") == 3


@pytest.mark.data
def test_the_released_h_falcon_ratings_are_known_and_their_gaps_flagged() -> None:
    folder = data_dir("h-falcon") / "human" / "subset"
    protocol = protocols.load("h_falcon")
    skills, sentence, holistic = protocol.stages[0].questions[:3]
    missing = 0
    for file in sorted(folder.glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                names = [name for name in row if name not in ("idx", "sent_score", "tot_score", "time")]
                assert len(accept(skills, {name: row[name] for name in names}).value) == 9
                for question, column in ((sentence, "sent_score"), (holistic, "tot_score")):
                    missing += "missing" in accept(question, row[column] or None).flags
    assert missing == 9


QUESTIONS = ("which", "some", "counted", "score", "each", "count", "order", "table", "marks", "note")
EVERYTHING = """
name = "everything"
version = "1"
[[stage]]
id = "one"
unit = "document"
object = "outputs"
[[stage.question]]
id = "which"
kind = "choice"
options = ["a", "b"]
[[stage.question]]
id = "some"
kind = "labels"
options = ["a", "b", "c"]
[[stage.question]]
id = "counted"
kind = "labels"
counts = true
options = ["a", "b", "c"]
[[stage.question]]
id = "score"
kind = "scale"
min = 0
max = 100
[[stage.question]]
id = "each"
kind = "scale"
min = 1
max = 4
for_each = "some"
[[stage.question]]
id = "count"
kind = "number"
[[stage.question]]
id = "order"
kind = "rank"
[[stage.question]]
id = "table"
kind = "grid"
rows = ["x", "y"]
options = ["lo", "hi"]
[[stage.question]]
id = "marks"
kind = "spans"
[[stage.question]]
id = "note"
kind = "text"
[text.en]
title = "Everything"
[text.en.questions]
""" + "\n".join(f"{name}.label = '{name}'" for name in QUESTIONS)


def grouped(fields: list[tuple[str, str]]) -> dict[str, list[str]]:
    return {name: [value.strip() for key, value in fields if key == name] for name, _ in fields}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ([("which", "a")], {"which": "a"}),
        ([("which", "")], {"which": None}),
        ([("some", "a"), ("some", "c")], {"some": ["a", "c"]}),
        ([("some", "")], {"some": None}),
        ([("counted.a", "2"), ("counted.b", "")], {"counted": {"a": 2}}),
        ([("counted.a", "0"), ("counted.c", "c")], {"counted": {"a": 0, "c": 1}}),
        ([("score", "72")], {"score": 72}),
        ([("score", "72.5")], {"score": 72.5}),
        ([("score", "many")], {"score": "many"}),
        ([("each.a", "3"), ("each.b", "")], {"each": {"a": 3}}),
        ([("count", "4")], {"count": 4}),
        ([("order", "1,2")], {"order": [1, 2]}),
        ([("order.0", "2"), ("order.1", "1"), ("order.2", "3")], {"order": [2, 1, 3]}),
        ([("order.0", "2"), ("order.1", "")], {"order": None}),
        ([("table.x", "lo"), ("table.y", "hi")], {"table": {"x": "lo", "y": "hi"}}),
        ([("note", "  hello ")], {"note": "hello"}),
        ([("note", "")], {"note": None}),
        ([("marks", "[]"), ("stranger", "1")], {}),
    ],
)
def test_fields_become_answers(fields: list[tuple[str, str]], said: dict[str, Json]) -> None:
    protocol = protocols.parse_toml(EVERYTHING)
    assert answers_from_fields(protocol, "one", grouped(fields)) == said


def test_a_whole_row_of_h_falcon() -> None:
    protocol = protocols.load("h_falcon")
    grid = next(question for _, question in protocol.questions if question.id == "skills")
    fields = [(f"skills.{row.id}", "high") for row in grid.rows] + [("sentence", "4"), ("holistic", "10")]
    said = answers_from_fields(protocol, "rating", grouped(fields))
    assert said["holistic"] == 10
    assert set(said["skills"].values()) == {"high"}
    assert len(said["skills"]) == 9


# Several answers made one.


FALCON, H_FALCON, DA, PARITY = (protocols.load(name) for name in ("falcon", "h_falcon", "da", "parity"))
CONTEXT, SKILLS, RATINGS = (FALCON.find(name)[1] for name in ("context", "skills", "ratings"))
GRID, HOLISTIC = (H_FALCON.find(name)[1] for name in ("skills", "holistic"))


def test_majority_and_mean() -> None:
    assert combine(CONTEXT, ["local", "global", "local"]) == "local"
    assert combine(HOLISTIC, [3, 3, 9]) == 3
    assert combine(HOLISTIC, [3, 3, 9], "mean") == 5
    assert combine(HOLISTIC, [None, 7]) == 7
    assert combine(HOLISTIC, [None, None]) is None


def test_a_tie_goes_to_the_first_of_the_protocol() -> None:
    assert combine(CONTEXT, ["global", "local"]) == "local"


def test_three_skills_by_votes() -> None:
    votes = [
        ["style_register", "modality_attitude", "participant_focus"],
        ["style_register", "modality_attitude", "idea_development"],
        ["style_register", "logical_connectivity", "participant_focus"],
    ]
    assert set(combine(SKILLS, votes)) == {"style_register", "modality_attitude", "participant_focus"}


def test_ratings_are_combined_label_by_label() -> None:
    assert combine(RATINGS, [{"a": 1, "b": 4}, {"a": 3, "b": 4}, {"a": 3}]) == {"a": 3, "b": 4}


def test_ranks_of_a_swapped_pair_that_disagree_are_a_tie() -> None:
    rank = PARITY.find("adequacy_of_sentence")[1]
    assert combine(rank, [[1, 2], [2, 1]]) == [1, 1]
    assert combine(rank, [[2, 1], [2, 1]]) == [2, 1]


def test_spans_cannot_be_averaged_so_the_most_central_is_taken() -> None:
    errors = protocols.load("esa").find("errors")[1]
    one, near, far = ([{"side": "target", "start": s, "end": e}] for s, e in ((0, 5), (0, 6), (20, 30)))
    assert combine(errors, [far, one, near]) in (one, near)
    assert likeness(errors, one, one) == 1
    assert likeness(errors, one, far) == 0
    assert likeness(errors, [], []) == 1


def test_consistency() -> None:
    assert consistency(CONTEXT, ["local", "local", "global"]) == pytest.approx(1 / 3)
    assert consistency(HOLISTIC, [1, 10]) == 0
    assert consistency(HOLISTIC, [5]) is None
    assert consistency(SKILLS, [["a", "b", "c"], ["a", "b", "d"]]) == pytest.approx(2 / 3)


QUESTIONS_COMBINATION = [
    question
    for name in protocols.names()
    for _, question in protocols.load(name).questions
    if not question.for_each and getattr(question, "prefilled", False) is False
]


@settings(max_examples=examples(150))
@given(
    st.sampled_from(QUESTIONS_COMBINATION),
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.sampled_from(["majority", "mean"]),
)
def test_what_is_made_of_valid_answers_is_valid(question: object, seed: int, number: int, rule: str) -> None:
    texts = JudgedTexts("The ferry left before the storm.", ("Die Fähre fuhr vor dem Sturm.", "Die Fähre legte ab."))
    dice = Random(seed)
    votes = [simulate_answer(question, rng=dice, texts=texts, outputs=2) for _ in range(number)]
    votes = [check(question, vote, texts=texts, outputs=2) for vote in votes]
    made = combine(question, votes, rule)
    check(question, made, texts=texts, outputs=2)


# The JSON Schema of every page: valid itself, and what it allows passes our check once meaning is put right.


TEXTS = JudgedTexts("One source sentence.", ("Ein Satz hier.", "Noch ein Satz dort."))
PAGES = [(name, page) for name in protocols.names() for page in protocols.load(name).pages]


def drawn(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a model held to the schema could answer: the part of JSON Schema that we use."""
    if "anyOf" in schema:
        return st.one_of(*map(drawn, schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum", schema.get("minimum", 0) + 50))
        case "number":
            return st.floats(schema.get("minimum"), schema.get("maximum"), allow_nan=False, allow_infinity=False)
        case "string":
            return st.text(max_size=min(schema.get("maxLength", 20), 20))
        case "array":
            return st.lists(
                drawn(schema["items"]), min_size=schema.get("minItems", 0), max_size=schema.get("maxItems", 4)
            )
        case "object" if "properties" in schema:
            return st.fixed_dictionaries({name: drawn(entry) for name, entry in schema["properties"].items()})
        case "object":
            return st.just({})
    raise AssertionError(schema)


def mended(question: Question, value: Any, rng: Random) -> Any:
    """What a schema cannot say: distinct and exclusive labels, steps, quotations that stand in the text, no ties."""
    if value is None:
        return None
    match question:
        case Labels() if question.counts or len(set(value)) < max(question.min, len(value)) or question.exclusive:
            return simulate_answer(question, rng=rng)
        case Scale() if question.step:
            return question.min + round((value - question.min) / question.step) * question.step
        case Spans():
            return [{**span, "side": question.sides[0], "text": _words(question), "missing": False} for span in value]
        case Rank() if not question.ties:
            return simulate_answer(question, rng=rng, outputs=len(value))
        case Text() if question.required:
            return value.strip() or "something"
        case _:
            return value


def _words(question: Spans) -> str:
    return "One" if question.sides[0] == "source" else "Satz"


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_the_schema_of_every_page_is_valid_and_closed(name: str, page: str) -> None:
    stages = protocols.load(name).pages[page]
    schema = stage_schema(stages)
    Draft202012Validator.check_schema(schema)
    assert list(schema["properties"]) == [question.id for stage in stages for question in stage.questions]
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False


def answered(protocol: Protocol, page: str, seed: int) -> dict[str, Any]:
    """Simulated answers to the pages before, so that `for_each` has labels."""
    rng, answers = Random(seed), dict[str, Any]()
    for earlier in protocol.pages:
        if earlier == page:
            break
        answers |= simulate_page(protocol, earlier, rng=rng, texts=TEXTS, answers=answers)
    return answers


@pytest.mark.parametrize(("name", "page"), PAGES)
@settings(max_examples=examples(8), deadline=None)
@given(data=st.data())
def test_what_the_schema_allows_passes_our_check(name: str, page: str, data: st.DataObject) -> None:
    protocol = protocols.load(name)
    rng = Random(3)
    earlier = answered(protocol, page, 3)
    questions = [question for stage in protocol.pages[page] for question in stage.questions]
    labels = {q.id: chosen_labels(protocol, q, earlier) for q in questions if q.for_each and q.for_each in earlier}
    outputs = len(TEXTS.targets)
    schema = stage_schema(protocol.pages[page], chosen=labels, outputs=outputs)
    value = data.draw(drawn(schema))
    if not any(isinstance(question, Labels) for question in questions):  # lists may repeat; our own check says so
        Draft202012Validator(schema).validate(value)
    for question in questions:
        if value[question.id] is None or (question.for_each and question.id not in labels):
            continue
        if question.for_each:
            each = {label: mended(question, entry, rng) for label, entry in value[question.id].items()}
            check(question, each, texts=TEXTS, chosen=labels[question.id], outputs=outputs)
        else:
            check(question, mended(question, value[question.id], rng), texts=TEXTS, outputs=outputs)


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_our_own_answers_fit_the_schema(name: str, page: str) -> None:
    protocol = protocols.load(name)
    for seed in range(5):
        earlier = answered(protocol, page, seed)
        given_answers = simulate_page(protocol, page, rng=Random(seed), texts=TEXTS, answers=earlier)
        for stage in protocol.pages[page]:
            for question in stage.questions:
                value = given_answers.get(question.id)
                if value is None or isinstance(question, Spans) or question.for_each:
                    continue
                if isinstance(question, Labels) and question.counts:
                    value = {option.id: value.get(option.id, 0) for option in question.options}
                Draft202012Validator(question_schema(question)).validate(value)


def test_each_grid_row_stands_exactly_once_by_construction() -> None:
    schema = question_schema(protocols.load("h_falcon").stages[0].questions[0])
    assert len(schema["required"]) == 9
    assert not Draft202012Validator(schema).is_valid(dict.fromkeys(schema["required"][:8], "high"))


def test_chosen_labels_become_the_properties() -> None:
    stages = protocols.load("falcon").pages["rating"]
    schema = stage_schema(stages, chosen={"ratings": ["style_register", "participant_focus"]})
    assert schema["properties"]["ratings"]["required"] == ["style_register", "participant_focus"]


# Simulated answers are always valid, depend on the rng alone, and lean with the quality they are given.


SIMULATED_TEXTS = JudgedTexts(
    "Sie gab ihm das Buch 📚 zurück.", ("She gave him back the book.", "그녀는 그에게 책을 돌려주었다.")
)
OPTIONS = (Option(id="bad", value=0), Option(id="middling", value=1), Option(id="good", value=2))
SIMULATED_QUESTIONS: list[Question] = [
    Scale(id="q", min=1, max=4),
    Scale(id="q", min=0, max=100, step=0),
    Scale(id="q", min=0, max=6, step=2, direction="lower_is_better"),
    Number(id="q", min=0),
    Number(id="q", min=1.5, max=2.5, integer=False),
    Number(id="q", max=3),
    Choice(id="q", options=OPTIONS),
    Labels(id="q", options=OPTIONS, min=2, max=2),
    Labels(id="q", options=OPTIONS, exclusive="good", counts=True),
    Grid(id="q", rows=OPTIONS, options=OPTIONS, preselected="bad"),
    Grid(id="q", rows=OPTIONS, options=OPTIONS),
    Spans(id="q", sides=("source", "target"), categories=OPTIONS, severities=OPTIONS, max=2),
    Spans(id="q"),
    Rank(id="q"),
    Rank(id="q", ties=False),
    Text(id="q", required=True),
    Text(id="q"),
]


@pytest.mark.parametrize("question", SIMULATED_QUESTIONS, ids=lambda q: q.kind)
@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**32), quality=st.none() | st.floats(0, 1))
def test_every_answer_is_valid_and_already_in_stored_form(question: Question, seed: int, quality: float | None) -> None:
    answer = simulate_answer(question, rng=Random(seed), texts=SIMULATED_TEXTS, quality=quality)
    assert check(question, answer, texts=SIMULATED_TEXTS) == answer
    assert simulate_answer(question, rng=Random(seed), texts=SIMULATED_TEXTS, quality=quality) == answer


def many(question: Question, quality: float | list[float]) -> list:
    rng = Random(5)
    return [simulate_answer(question, rng=rng, texts=SIMULATED_TEXTS, quality=quality) for _ in range(300)]


def test_quality_moves_scales_and_grades_towards_their_good_end() -> None:
    scale, errors = Scale(id="q", min=0, max=10), Scale(id="q", min=0, max=10, direction="lower_is_better")
    assert mean(many(scale, 0.9)) > 8 > 2 > mean(many(scale, 0.1))
    assert mean(many(errors, 0.9)) < 2
    assert many(Choice(id="q", options=OPTIONS), 1.0).count("good") > 250
    grades = [
        grade
        for grid in many(Grid(id="q", rows=OPTIONS, options=OPTIONS, preselected="bad"), 0.95)
        for grade in grid.values()
    ]
    assert grades.count("good") > 10 * grades.count("middling")


def test_quality_leaves_fewer_spans_and_error_labels() -> None:
    spans = Spans(id="q", severities=OPTIONS)
    assert mean(map(len, many(spans, 0.95))) < mean(map(len, many(spans, 0.2))) / 3
    labels = Labels(id="q", options=OPTIONS, exclusive="good", counts=True)
    assert many(labels, 0.95).count({"good": 1}) > 240 > 60 > many(labels, 0.05).count({"good": 1})


def test_the_better_output_is_preferred_and_equals_are_often_tied() -> None:
    rank = Rank(id="q")
    assert many(rank, [0.9, 0.4]).count([1, 2]) > 270
    ties = many(rank, [0.6, 0.6]).count([1, 1])
    assert 40 < ties < 150


def test_answers_of_every_kind_are_read_in_the_words_of_the_protocol() -> None:
    falcon, h_falcon, mqm = (protocols.load(name) for name in ("falcon", "h_falcon", "mqm"))

    def read(protocol: Protocol, name: str, value: object, language: str = "en") -> str:
        match = protocol.find(name)
        assert match is not None
        return in_words(match[1], value, Wording(protocol, language))

    assert read(h_falcon, "skills", {"style_register": "high"}) == "Style and register: high"
    assert read(h_falcon, "skills", {"style_register": "high"}, "ko").endswith(": 높음")
    assert read(falcon, "ratings", {"style_register": 4}) == "Style and register: 4"
    assert read(falcon, "context", "local") == "Local"
    mark = {"text": "Haus", "category": "omission", "severity": "major"}
    assert (
        read(mqm, "errors", [mark, {"missing": True, "severity": "minor"}]) == "“Haus” (omission, major); “…” (minor)"
    )
    assert read(mqm, "errors", []) == "–"
    words = Wording(falcon)
    rank, remark = Rank(id="order"), Text(id="remark")
    ranked = {(1, 2): "A > B", (2, 1): "B > A", (1, 1): "A = B", (2, 1, 2): "B > A = C", (3, 2, 1): "C > B > A"}
    assert all(in_words(rank, list(ranks), words) == text for ranks, text in ranked.items())
    assert in_words(remark, "NATO_x said No", words) == "NATO_x said No"
