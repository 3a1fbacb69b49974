"""The plan says what the tasks amount to, and warns."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sets import data_dir
from design_setups import corpus, people, protocol
from lanner import designs, protocols
from lanner.designs.controls import Controls, add
from lanner.designs.plan import AssignmentPlan, _groups, half_width, loads, plan, preview
from lanner.model import Document, Segment
from property_examples import examples

H_FALCON = protocols.load("h_falcon")


def planned(
    design: str, sizes: list[int], number: int, name: str = "h_falcon", controls: Controls | None = None, **options: Any
) -> AssignmentPlan:
    protocol, texts, judges = protocols.load(name), corpus(sizes), people(number)
    rng = np.random.default_rng(0)
    tasks = designs.assign(design, texts, judges, protocol, rng=rng, systems=["m0", "m1"], **options)
    if controls:
        tasks = add(tasks, texts, protocol, controls, rng=rng)
    return plan(tasks, texts, judges, protocol, hourly_rate=30)


def test_work_and_cost_of_the_published_h_falcon_set_up() -> None:
    """809 sentences at a minute each: 13.5 hours (the paper says 13.3 for 60 an hour), 30 dollars an hour."""
    sizes = [21] * 37 + [809 - 21 * 37]
    protocol, texts, judges = H_FALCON, corpus(sizes, ["m0"]), people(3)
    tasks = designs.assign("full", texts, judges, protocol, rng=np.random.default_rng(0), systems=["m0"])
    found = plan(tasks, texts, judges, protocol, hourly_rate=30)
    assert [person.items for person in found.judges] == [809] * 3
    assert found.judges[0].hours == pytest.approx(809 / 60)
    assert found.judges[0].cost == pytest.approx(404.5)
    assert found.hours == pytest.approx(3 * 809 / 60)
    (page,) = found.pages
    assert (page.items, page.judged, page.fewest, page.most, page.shared) == (809, 2427, 3, 3, 809)
    assert found.answers == 3 * 809 * 3
    assert (found.pairs_in_common, found.pairs, found.shared_documents) == (3, 3, 38)
    assert found.warnings == ()
    assert dict(found.facts)["items"] == "809 different, judged 2,427 times; 7,281 answers"
    assert found.judges[0].row()["hours"] == 13.48


def test_overlap_that_is_too_thin_is_said_with_what_would_do() -> None:
    thin = planned("random", [5] * 20, 4, overlap=0.1)
    assert any("Agreement will be known to about ±" in warning for warning in thin.warnings)
    none = planned("random", [5] * 20, 4, overlap=0)
    assert "No item is judged by two judges, so agreement cannot be known." in none.warnings
    assert none.half_width is None and none.pairs_in_common == 0
    wide = planned("full", [20] * 20, 3)
    assert not wide.warnings


def test_teams_that_share_nothing_are_named() -> None:
    found = planned("batches", [30] * 30, 6)
    assert any("3 groups that share no item" in warning for warning in found.warnings)
    assert found.pairs_in_common == 3


def test_judges_are_grouped_through_others_however_many_they_are() -> None:
    chain = [f"j{number}" for number in range(2000)]
    assert _groups(chain, pairwise(chain)) == 1
    assert _groups(chain, zip(chain, chain[2:], strict=False)) == 2
    assert _groups(chain, [("j0", "j1"), ("j1", "j0"), ("j5", "j1")]) == 1998


def test_balance_of_sides_and_systems() -> None:
    assert planned("full", [3] * 7, 3, "ranking_sc").sides <= 1
    assert planned("full", [3] * 7, 3, "ranking_rs").sides <= 1
    square = planned("latin_square", [3] * 7, 4)
    assert square.systems <= 1
    assert planned("full", [3] * 7, 3).systems == 0


def test_controls_idle_judges_and_unused_documents() -> None:
    found = planned("full", [8] * 6, 2, "ranking_rs", Controls(repeats=3))
    assert [person.repeats for person in found.judges] == [3, 3]
    texts, judges = corpus([2, 2]), people(2)
    tasks = designs.assign("full", texts[:1], judges[:1], H_FALCON, rng=np.random.default_rng(0), systems=["m0"])
    said = plan(tasks, texts, judges, H_FALCON).warnings
    assert "Nothing is assigned to j1." in said
    assert "1 of 2 documents are judged by nobody, for instance 'd1'." in said


def test_a_pool_is_planned_for_whoever_comes() -> None:
    found = planned("pool", [4] * 5, 3, "da", judges_per_document=2)
    assert found.judges[-1].judge == "(whoever comes)"
    assert found.pages[0].most == 2 and found.shared_documents == 5
    assert not any("assigned" in warning for warning in found.warnings), "they take work when they ask for it"
    facts = dict(found.facts)
    assert facts["overlap"].startswith("who shares items with whom depends on who comes; agreement to about ±")
    assert facts["balance"] == "depends on who comes"
    assert "pairs of judges have items in common" in dict(planned("full", [4] * 5, 3, "da").facts)["overlap"]


def test_minutes_can_be_replaced() -> None:
    texts, judges = corpus([10]), people(1)
    tasks = designs.assign("full", texts, judges, H_FALCON, rng=np.random.default_rng(0), systems=["m0"])
    assert plan(tasks, texts, judges, H_FALCON, minutes={"rating": 3}).hours == pytest.approx(0.5)


def test_intervals_shrink_with_items_and_more_so_with_documents() -> None:
    widths = [half_width(items, documents) for items, documents in ((100, 5), (400, 20), (400, 40), (400, 400))]
    assert widths == sorted(widths, reverse=True)  # type: ignore[type-var]
    assert half_width(0, 0) is None
    assert half_width(809, 38) == pytest.approx(0.054, abs=0.01), "as the released labels show"


RATING = protocol({"unit": "sentence_in_context", "object": "output"})


def text(name: str, words: int) -> Document:
    return Document(name, (Segment("1", " ".join(["word"] * words), {"m0": "x"}),), "en", "de")


@settings(max_examples=examples(40), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(20, 400), min_size=24, max_size=60),
    judges=st.sampled_from([4, 6]),
    design=st.sampled_from(["random", "batches"]),
)
def test_words_are_balanced_whatever_the_documents(seed: int, sizes: list[int], judges: int, design: str) -> None:
    documents = [text(f"d{at}", words) for at, words in enumerate(sizes)]
    rng = np.random.default_rng(seed)
    options = {"judges_per_document": 2, **({"judges_on_overlap": 3} if design == "random" else {})}
    tasks = designs.assign(design, documents, people(judges), RATING, rng=rng, systems=["m0"], **options)
    spread = loads(tasks, documents)
    words = {document.id: len(document.segments[0].source.split()) for document in documents}
    assert sum(spread.words.values()) == sum(words[task.items[0].document] for task in tasks)
    assert spread.uneven == [], (spread.words, spread.mean)


def test_one_long_document_forces_an_uneven_load_and_is_named() -> None:
    documents = [text("long", 5000), *(text(f"d{at}", 20) for at in range(10))]
    tasks = designs.assign(
        "batches", documents, people(4), RATING, rng=np.random.default_rng(1), systems=["m0"], judges_per_document=2
    )
    spread = loads(tasks, documents)
    assert len(spread.uneven) == 2 and all(spread.words[judge] == 5000 for judge in spread.uneven)


@pytest.mark.data
def test_twenty_judges_on_wmt24_have_even_loads() -> None:
    root = data_dir("wmt24")
    sources, names = (
        (root / path).read_text(encoding="utf-8").split("\n") for path in ("sources/en-es.txt", "documents/en-es.docs")
    )
    texts: dict[str, list[Segment]] = {}
    for source, name in zip(sources, names, strict=False):
        segments = texts.setdefault(name, [])
        segments.append(Segment(str(len(segments)), source, {"oak": source}))
    documents = [Document(name, tuple(segments), "en", "es") for name, segments in texts.items() if name]
    assert len(documents) == 171
    tasks = designs.assign("random", documents, people(20), RATING, rng=np.random.default_rng(3), systems=["oak"])
    assert loads(tasks, documents).uneven == []


@pytest.mark.parametrize(("name", "answers"), [("mqm", 1), ("esa", 2), ("da_sqm", 1)])
def test_marks_are_answers_also_where_there_may_be_none(name: str, answers: int) -> None:
    assert planned("full", [4, 3], 2, name).answers == 2 * 2 * 7 * answers


def test_documents_of_a_calibration_round_are_not_drawn_in_the_plan_of_an_adaptive_campaign() -> None:
    """Two judges judge both outputs of the round's document of three sentences; the rest is judged once."""
    setup: dict[str, Any] = {"systems": ["m0", "m1"], "options": {}, "settings": {"calibration": ["d0"]}, "seed": 1}
    found = preview("adaptive", corpus([3, 4, 5]), people(2), H_FALCON, **setup)
    assert [(part.name, part.items) for part in found.rounds] == [("calibration", 12), ("rest", 18)]
