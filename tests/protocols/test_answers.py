"""Strict for people and models, lenient for files: what passes, what is flagged, what is refused."""

from __future__ import annotations

import contextlib
import csv
import json
from ast import literal_eval
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sets import data_dir
from lanner import protocols
from lanner.errors import AnswerError
from lanner.model import (
    Choice,
    Document,
    Grid,
    Item,
    Labels,
    Number,
    Option,
    Question,
    Rank,
    Scale,
    Segment,
    Spans,
    Text,
)
from lanner.protocols.answers import accept, check, fold, resolve, texts_of

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
    (Grid(id="q", rows=ABC, options=ABC), ["a"], "shape"),
    (Rank(id="q"), [1], "shape"),
    (Rank(id="q"), [0, 1], "shape"),
    (Rank(id="q", ties=False), [1, 1], "tie"),
    (Text(id="q", required=True), "  ", "missing"),
    (Text(id="q", max_length=3), "four", "too_long"),
    (Text(id="q"), 4, "shape"),
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
    for name, label, chosen in rows:
        repaired[name] += accept(context, label).repairs
        flags += accept(skills, chosen).flags
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
