"""Controls: as many as asked, hidden among the others, the same for everyone, far enough apart."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import people
from lanner import designs, protocols
from lanner.designs.controls import (
    Controls,
    ControlSpoiler,
    add,
    can_be_shuffled,
    pieces,
    shuffled_words,
    with_stretch_of,
)
from lanner.errors import DesignError
from lanner.model import Document, Item, Protocol, Role, Segment, Task
from property_examples import examples

WORDS = "here are some more words that say nothing at all about anything in particular today"
TEXTS = [
    Document(
        f"d{n}",
        tuple(
            Segment(str(s), f"source {n} {s}", {m: f"{m} says {n} {s} {WORDS}" for m in ("m0", "m1")}) for s in range(6)
        ),
    )
    for n in range(10)
]
NAMES = {"parity": "parity", "da": "full", "ranking_rs": "full", "h_falcon": "full", "da_document": "full"}


def made(name: str, controls: Controls, seed: int = 0, design: str = "", count: int = 4, **more: Any) -> list[Task]:
    protocol = protocols.load(name)
    rng = np.random.default_rng(seed)
    tasks = designs.assign(design or NAMES[name], TEXTS, people(count), protocol, rng=rng, systems=["m0", "m1"], **more)
    return add(tasks, TEXTS, protocol, controls, rng=rng)


def plain(name: str, seed: int = 0) -> list[Task]:
    return made(name, Controls(), seed)


def items(tasks: list[Task], role: Role, judge: str | None = None) -> list[Item]:
    return [i for t in tasks for i in t.items if i.role is role and judge in (None, t.judge)]


@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 999), sentences=st.integers(1, 6), documents=st.integers(1, 3))
def test_in_place_controls_are_as_many_as_asked_and_nothing_is_added(seed: int, sentences: int, documents: int) -> None:
    controls = Controls(shuffled={"sentence": sentences, "document": documents})
    tasks, before = made("parity", controls, seed), plain("parity", seed)
    assert [len(task.items) for task in tasks] == [len(task.items) for task in before]
    by_page = Counter((t.judge, t.page.split("_")[1]) for t in tasks for i in t.items if i.role is Role.CONTROL)
    assert set(by_page.values()) <= {sentences, documents}
    for judge in people(4):
        assert by_page[judge.id, "sentence"] == sentences
        assert by_page[judge.id, "document"] == documents


def test_the_same_items_are_spoiled_for_everyone_in_the_same_way() -> None:
    tasks = made("ranking_rs", Controls(shuffled=5), count=3)
    seen = {
        judge.id: {(i.document, i.segment): i.texts for i in items(tasks, Role.CONTROL, judge.id)}
        for judge in people(3)
    }
    assert seen["j0"] == seen["j1"] == seen["j2"]
    for item in items(tasks, Role.CONTROL):
        ((system, text),) = item.texts.items()
        original = next(s for d in TEXTS if d.id == item.document for s in d if s.id == item.segment).text(system)
        assert original is not None and text != original and Counter(text.split()) == Counter(original.split())
        assert item.expected == {"ranking_rs": {"worst": item.systems.index(system)}}


def test_a_share_is_a_share_of_each_judges_items() -> None:
    tasks = made("ranking_rs", Controls(shuffled=0.1), count=2)
    assert len(items(tasks, Role.CONTROL, "j0")) == 6


def test_swapped_texts_come_from_elsewhere() -> None:
    tasks = made("h_falcon", Controls(swapped=4), count=2)
    found = items(tasks, Role.CONTROL, "j0")
    assert len(found) == 4
    for item in found:
        (text,) = item.texts.values()
        assert text in {s.text(item.systems[0]) for d in TEXTS for s in d} and f" {item.segment} " not in text
        assert item.expected["holistic"] == {"at_most": 5.5}


@pytest.mark.parametrize("seed", range(3))
def test_repeats_of_isolated_sentences_keep_their_distance(seed: int) -> None:
    tasks = made("ranking_rs", Controls(repeats=8, spacing=15), seed, count=2)
    for judge in people(2):
        flat = [item for task in tasks if task.judge == judge.id for item in task.items]
        again = [at for at, item in enumerate(flat) if item.role is Role.REPEAT]
        assert len(again) == 8 and len(flat) == 68
        for at in again:
            first = next(
                n for n, i in enumerate(flat) if (i.document, i.segment) == (flat[at].document, flat[at].segment)
            )
            assert at - first > 15 and flat[first].systems == flat[at].systems
    mine = [task for task in tasks if task.judge == "j0"]
    assert max(len(t.items) for t in mine) - min(len(t.items) for t in mine) <= 1


def test_repeats_of_documents_come_whole_and_later() -> None:
    tasks = made("h_falcon", Controls(repeats=3, spacing=12), count=2)
    mine = [task for task in tasks if task.judge == "j0"]
    again = [(at, task) for at, task in enumerate(mine) if task.items[0].role is Role.REPEAT]
    assert len(again) == 3
    for at, task in again:
        assert {item.role for item in task.items} == {Role.REPEAT} and len(task.items) == 6
        key = (task.items[0].document, task.items[0].systems)
        first = next(n for n, t in enumerate(mine) if (t.items[0].document, t.items[0].systems) == key)
        assert sum(len(t.items) for t in mine[first + 1 : at]) >= 12


def test_degraded_items_come_after_the_original_with_their_document() -> None:
    tasks = made("da", Controls(degraded=2), design="full", count=1)
    mine = [task for task in tasks if any(item.role is Role.CONTROL for item in task.items)]
    assert {item.role for task in mine for item in task.items} == {Role.CONTROL, Role.REPEAT}
    for item in items(tasks, Role.CONTROL):
        assert item.expected == {"score": {"below_original": True}}
        main = [i for i in items(tasks, Role.MAIN) if (i.document, i.segment) == (item.document, item.segment)]
        assert any(i.systems == item.systems for i in main)


def test_documents_spoiled_as_wholes_keep_their_lines() -> None:
    tasks = made("da_document", Controls(shuffled=2), count=1)
    for item in items(tasks, Role.CONTROL):
        (text,) = item.texts.values()
        assert text.count("\n") == 5


def test_gold_items_go_to_everyone_on_their_page() -> None:
    gold = {"document": "d0", "segment": "0", "systems": ["m0", "m1"], "expected": {"ranking_rs": {"is": [1, 2]}}}
    controls = Controls.from_settings({"gold": [gold]})
    tasks = made("ranking_rs", controls, count=3)
    assert Counter(task.judge for task in tasks for item in task.items if item.role is Role.CONTROL) == {
        "j0": 1, "j1": 1, "j2": 1,
    }  # fmt: skip
    context = {"document": "d3", "segment": "2", "systems": ["m0"], "expected": {"holistic": {"at_least": 8}}}
    tasks = made("h_falcon", Controls.from_settings({"gold": [context]}), count=1)
    (task,) = [task for task in tasks if task.items[0].role is Role.CONTROL]
    assert len(task.items) == 1 and task.items[0].expected["holistic"] == {"at_least": 8}


def test_sentences_in_context_and_their_document_are_not_torn_apart() -> None:
    tasks = made("scenarios", Controls(repeats={"sc": 2}, spacing=5), design="latin_square", count=4, rated=["m0"])
    for judge in people(4):
        mine = [task for task in tasks if task.judge == judge.id]
        for one, two in pairwise(mine):
            if two.page in ("ds", "ds_ranking", "sc_ranking") and two.items[0].role is Role.MAIN:
                assert one.items[0].document == two.items[0].document


@pytest.mark.parametrize(
    ("name", "controls", "advice"),
    [
        ("ranking_rs", Controls(repeats=60, spacing=30), "Ask for 30, or say a smaller spacing."),
        ("context_survey", Controls(shuffled=2), "Leave these control items out"),
        ("falcon", Controls(shuffled={"label": 2}), "Leave out 'label'."),
        ("falcon", Controls(shuffled={"ratings": 2}), "'rating'"),
        ("falcon", Controls(repeats={"ratings": 2}), "'rating'"),
        ("da_document", Controls(swapped=99), ""),
    ],
)
def test_refusals(name: str, controls: Controls, advice: str) -> None:
    protocol: Protocol = protocols.load(name)
    rng = np.random.default_rng(0)
    tasks = designs.assign("full", TEXTS, people(1), protocol, rng=rng, systems=["m0", "m1"])
    if not advice:
        assert len(items(add(tasks, TEXTS, protocol, controls, rng=rng), Role.CONTROL)) == 20, "all there are"
        return
    with pytest.raises(DesignError) as caught:
        add(tasks, TEXTS, protocol, controls, rng=rng)
    assert advice in caught.value.next_step


def test_pages_without_translations_have_no_spoiled_items() -> None:
    """A number for each judge is what the page of a new campaign asks for; FALCON's labels are asked of the source."""
    protocol = protocols.load("falcon")
    rng = np.random.default_rng(0)
    tasks = designs.assign("full", TEXTS, people(2), protocol, rng=rng, systems=["m0", "m1"])
    for controls in (Controls(shuffled=2), Controls(shuffled={"sentence": 2}), Controls(shuffled={"rating": 2})):
        with_controls = add(tasks, TEXTS, protocol, controls, rng=np.random.default_rng(1))
        rules = [(task.page, i.expected) for task in with_controls for i in task.items if i.role is Role.CONTROL]
        assert rules == [("rating", {"ratings": {"mean": {"at_most": 2.5}}})] * 4


@pytest.mark.parametrize("name", protocols.names())
def test_whatever_is_spoiled_can_be_missed(name: str) -> None:
    """An item that is taken out of the results and that no answer could miss would only look like a check."""
    protocol = protocols.load(name)
    rng = np.random.default_rng(0)
    try:
        tasks = designs.assign("full", TEXTS, people(2), protocol, rng=rng, systems=["m0", "m1"])
        with_controls = add(tasks, TEXTS, protocol, Controls(swapped=1), rng=rng)
    except DesignError as error:
        assert error.next_step
        return
    assert all(item.expected for item in items(with_controls, Role.CONTROL))


def test_nothing_is_spoiled_where_no_answer_could_tell() -> None:
    question = {"id": "q", "kind": "choice", "options": [{"id": "yes"}, {"id": "no"}]}
    stage = {"id": "s", "unit": "sentence_in_context", "object": "output", "question": [question]}
    protocol = Protocol.model_validate({"name": "p", "version": "1", "stage": [stage]})
    rng = np.random.default_rng(0)
    tasks = designs.assign("full", TEXTS, people(1), protocol, rng=rng, systems=["m0", "m1"])
    with pytest.raises(DesignError) as caught:
        add(tasks, TEXTS, protocol, Controls(shuffled=1), rng=rng)
    assert "gold" in caught.value.next_step


def test_texts_too_short_to_shuffle_are_not_chosen_and_run_out() -> None:
    short = [Document("d", tuple(Segment(str(n), "…", {"m0": "Yes.", "m1": "No."}) for n in range(4)))]
    protocol = protocols.load("ranking_rs")
    rng = np.random.default_rng(0)
    tasks = designs.assign("full", short, people(1), protocol, rng=rng, systems=["m0", "m1"])
    with pytest.raises(DesignError, match="only 0 can be"):
        add(tasks, short, protocol, Controls(shuffled=1), rng=rng)


def test_a_pool_takes_spoiled_items_in_place_but_no_repeats() -> None:
    assert len(items(made("da", Controls(shuffled=2), design="pool"), Role.CONTROL)) == 2
    with pytest.raises(DesignError, match="In a pool"):
        made("da", Controls(repeats=2), design="pool")


def test_unknown_controls_are_named() -> None:
    with pytest.raises(DesignError) as caught:
        Controls.from_settings({"repeat": 3})
    assert "'repeats'" in caught.value.next_step


@pytest.mark.parametrize("seed", range(4))
def test_a_share_of_repeats_is_one_of_items_however_long_documents_are(seed: int) -> None:
    texts = [replace(text, segments=text.segments[: 2 + n % 4]) for n, text in enumerate(TEXTS)]
    protocol = protocols.load("h_falcon")
    rng = np.random.default_rng(seed)
    tasks = designs.assign("full", texts, people(2), protocol, rng=rng, systems=["m0"])
    tasks = add(tasks, texts, protocol, Controls(repeats=0.1, spacing=5), rng=rng)
    for judge in ("j0", "j1"):
        first, again = (len(items(tasks, role, judge)) for role in (Role.MAIN, Role.REPEAT))
        assert again and abs(again - 0.1 * first) <= 2, "as near as whole documents come to it"


# Texts made worse on purpose, for control items


SENTENCE = "The special relationship between the two countries is based on language and on values that we share today."
DOCUMENT = "\n".join(
    [SENTENCE, "A second line follows here with a few more words in it.", "", "And a third, last one."]
)
JAPANESE = "特別な関係は政府間だけでなく、共通の言語と2024年の価値観に基づいています。"
KOREAN = "특별한 관계는 정부 사이의 관계뿐 아니라 우리가 함께 나누는 말과 가치에도 바탕을 두고 있다."
THAI = "ความสัมพันธ์พิเศษนี้ตั้งอยู่บนภาษาและคุณค่าร่วมกัน"


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("text", "language"), [(SENTENCE, "en"), (DOCUMENT, ""), (JAPANESE, "ja"), (KOREAN, "ko"), (THAI, "th")]
)
@pytest.mark.parametrize("seed", range(5))
def test_the_middle_is_shuffled_and_a_tenth_stays_at_either_end(text: str, language: str, seed: int) -> None:
    spoiled = shuffled_words(text, rng(seed), language)
    before = [match.group() for match in pieces(text, language)]
    after = [match.group() for match in pieces(spoiled, language)]
    kept = max(1, round(len(before) / 10))
    assert spoiled != text
    assert Counter(before) == Counter(after)
    assert (before[:kept], before[-kept:]) == (after[:kept], after[-kept:])
    moved = sum(one != two for one, two in zip(before, after, strict=True))
    assert moved > len(before) / 3
    assert re.sub(r"\S+", "x", text) == re.sub(r"\S+", "x", spoiled), "spaces and line breaks stay where they are"


def test_scripts_without_spaces_are_seen_without_being_told() -> None:
    assert len(pieces(JAPANESE)) > 25
    assert "2024" in [match.group() for match in pieces(JAPANESE)]
    for language, word in (("km", "ខ្ញុំ"), ("my", "ကျွန်"), ("lo", "ນ້ຳ"), ("bo", "སྒྲ")):
        signs = [match.group() for match in pieces(f"{word} {word}", language)]
        assert len(signs) == 2 * len(pieces(word, language)) and len(pieces(word, language)) <= 2, "marks stay"
        assert not any(unicodedata.category(sign[0]).startswith("M") for sign in signs)
    assert len(pieces(KOREAN)) == len(KOREAN.split())


@given(text=st.text(max_size=60), seed=st.integers(0, 99))
def test_any_text_keeps_its_characters(text: str, seed: int) -> None:
    spoiled = shuffled_words(text, rng(seed))
    assert Counter(spoiled) == Counter(text)
    if can_be_shuffled(text):
        assert spoiled != text


def test_texts_too_short_to_tell_are_known() -> None:
    assert can_be_shuffled(SENTENCE) and can_be_shuffled(JAPANESE, "ja")
    assert not can_be_shuffled("Thank you so much.")
    assert not can_be_shuffled("") and shuffled_words("", rng()) == ""


@given(text=st.text(alphabet="ab ", min_size=1), donor=st.text(alphabet="xy ", min_size=1), seed=st.integers(0, 99))
def test_a_stretch_of_another_text_keeps_the_length(text: str, donor: str, seed: int) -> None:
    spoiled = with_stretch_of(text, donor, rng(seed), "en")
    assert len(spoiled.split()) == len(text.split())
    if text.split() and donor.split():
        assert any(word in donor.split() for word in spoiled.split())


def test_about_a_quarter_of_a_long_text_is_replaced() -> None:
    words = " ".join(f"w{n}" for n in range(40))
    spoiled = with_stretch_of(words, " ".join(["other"] * 40), rng(), "en")
    assert spoiled.split().count("other") == 10


LONG = "one two three four five six seven eight nine ten"
SPOILING_TEXTS = [
    Document(d, (Segment("1", "…", {"a": LONG, "b": LONG.upper()}), Segment("2", "…", {"a": "x y z", "b": "X"})))
    for d in "pq"
]


def spoiled(kind: str, name: str = "ranking_rs") -> ControlSpoiler:
    return ControlSpoiler(SPOILING_TEXTS, protocols.load(name).stages, kind, np.random.default_rng(1))


def test_the_spoiled_output_is_the_same_on_either_side() -> None:
    made = spoiled("shuffled")
    left, right = (made.item(Item("p", "1", systems)) for systems in (("a", "b"), ("b", "a")))
    assert left.texts == right.texts and left.role is Role.CONTROL
    (system,) = left.texts
    assert left.expected["ranking_rs"]["worst"] == left.systems.index(system)
    assert right.expected["ranking_rs"]["worst"] == right.systems.index(system)


def test_what_can_be_spoiled() -> None:
    assert spoiled("shuffled").possible(("p", "1", "a", "b"))
    assert not spoiled("shuffled").possible(("p", "2", "a", "b"))
    assert spoiled("swapped").possible(("p", "2", "a", "b"))
    lonely = ControlSpoiler(
        SPOILING_TEXTS[:1], protocols.load("da_document").stages, "swapped", np.random.default_rng(1)
    )
    assert not lonely.possible(("p", "", "a"))


def test_swapped_and_degraded() -> None:
    ((system, text),) = spoiled("swapped").item(Item("p", "1", ("a", "b"))).texts.items()
    assert text == {"a": "x y z", "b": "X"}[system]
    item = spoiled("degraded", "da").item(Item("p", "1", ("a",)))
    assert item.expected == {"score": {"below_original": True}}
    assert sum(word in "xyz" for word in item.texts["a"].split()) == 3
