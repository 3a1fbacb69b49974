from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from data_sets import released
from lanner import protocols
from lanner.analysis import GROUPS
from lanner.analysis.measures import Purpose, Selection, counted
from lanner.model import Choice, Grid, Interval, Judge, JudgeKind, Judgement, Question, Result, Scale
from lanner.monitor.agreement import (
    BANDS,
    _swaps,
    expected,
    leaning,
    list_disagreements,
    measures,
    spreading,
    unit_answers,
)
from lanner.monitor.agreement import divergence as divergence_of
from lanner.monitor.snapshot import DisagreementFilter, Divergence
from lanner.protocols.reading import parse_toml
from lanner.stats.frame import frame, tidy
from lanner.stats.ratings import Ratings, ratings


def test_the_expected_interval_shrinks_with_the_root_of_documents() -> None:
    result = Result("alpha", 0.5, Interval(0.3, 0.6))
    assert expected(result, 9, 36) == (pytest.approx(0.4), pytest.approx(0.55))
    assert expected(result, 36, 36) == (0.3, 0.6)
    assert expected(Result("alpha", None), 3, 9) == (None, None)


def judgement(judge: str, question: str, segment: int, value: object) -> Judgement:
    stage = {"context": "context", "spans": "context", "skills": "skills", "comment": "skills"}[question]
    return Judgement(judge, stage, question, f"d{segment // 4}", str(segment), (), value)


def test_every_question_of_falcon_has_a_row_and_every_skill_below_it() -> None:
    protocol = protocols.load("falcon")
    three = ["idea_development", "style_register", "participant_focus"]
    given = []
    for judge in ("a", "b"):
        for at in range(12):
            given.append(judgement(judge, "context", at, "local" if at % 3 else "global"))
            given.append(judgement(judge, "skills", at, three))
            given.append(judgement(judge, "spans", at, [{"side": "source", "start": 0, "end": 1}] if at % 2 else []))
            given.append(judgement(judge, "comment", at, "hm"))
    found = measures(counted(frame(given, protocol), of="people"), protocol, 10)
    main = {row.question: row for row in found if row.main}
    assert main["context"].value == 1.0
    assert main["spans"].value == 1.0
    assert main["skills"].value is None or main["skills"].value == 1.0
    assert "comment" not in main
    assert main["ratings"].value is None
    assert main["ratings"].notes
    assert len([row for row in found if not row.main]) == 9


def test_people_alone_count() -> None:
    protocol = protocols.load("falcon")
    given = [
        judgement(judge, "context", at, "local" if judge != "m" or at % 2 else "global")
        for judge in "abm"
        for at in range(9)
    ]
    given += [judgement(judge, "context", 9, "global") for judge in "abm"]
    found = measures(counted(frame(given, protocol, judges=[Judge("m", JudgeKind.MODEL)]), of="people"), protocol, 3)
    assert found[0].value == 1.0
    assert found[0].judges == 2


@pytest.mark.data
def test_the_released_judges_of_both_protocols() -> None:
    for material in released("h-falcon").values():
        assert material.protocol
        found = measures(material.counted(of="people"), material.protocol, 2 * len(material.documents))
        by_name = {(row.question, row.row): row for row in found}
        if material.protocol.name == "falcon_labels":
            assert by_name["context", ""].value == pytest.approx(0.4175, abs=1e-4)
            assert by_name["skills", "style_register"].group == "tenor"
        else:
            assert by_name["holistic", ""].value == pytest.approx(0.607, abs=1e-3)
            few = {
                (row.question, row.row): row for row in measures(material.counted(of="people"), material.protocol, 18)
            }
            assert few["holistic", ""].needed and few["holistic", ""].needed > 18
            assert by_name["holistic", ""].needed is None, "twice as many documents will do"
        for row in found:
            if row.value is not None and row.low is not None and row.high is not None:
                assert row.expected_low is not None and row.expected_high is not None
                assert row.low <= row.expected_low <= row.value <= row.expected_high <= row.high


H_FALCON = protocols.load("h_falcon")
PEOPLE = ["a", "b"]
JUDGES = [Judge("a"), Judge("b"), Judge("m", JudgeKind.MODEL), Judge("agreed", JudgeKind.ADJUDICATED)]


def rating(judge: str, question: str, segment: str, value: object, document: str = "d") -> Judgement:
    return Judgement(judge, "rating", question, document, segment, ("sys",), value, active_seconds=9.0)


def grid(level: str) -> dict[str, str]:
    return {row.id: level for row in H_FALCON.find("skills")[1].rows}  # type: ignore[index, union-attr]


GIVEN = [
    rating("a", "holistic", "1", 10), rating("b", "holistic", "1", 1),
    rating("a", "holistic", "2", 5), rating("b", "holistic", "2", 5),
    rating("a", "holistic", "3", 5), rating("b", "holistic", "3", 8),
    rating("a", "skills", "3", grid("low")), rating("b", "skills", "3", grid("high")),
    rating("a", "holistic", "4", 5), rating("m", "holistic", "4", 9),
    rating("agreed", "holistic", "3", 7),
]  # fmt: skip
TABLE = frame(GIVEN, H_FALCON, (), JUDGES)
ROWS = counted(TABLE, of="people").table
SETTLED = {("d", "3", "sys")}


def test_the_furthest_apart_come_first_and_models_do_not_count() -> None:
    found = list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(show="all"))
    assert [(entry.segment, entry.distance) for entry in found.entries] == [
        ("1", pytest.approx(1.0)),
        ("3", pytest.approx((3 / 9 + 2 / 3) / 2)),
    ]
    assert (found.found, found.settled, found.shared) == (2, 1, 3)


def test_the_parts_are_the_questions_own_distances() -> None:
    entry = list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(show="settled")).entries[0]
    assert entry.parts == {"skills": pytest.approx(2 / 3), "holistic": pytest.approx(1 / 3)}
    assert entry.settled


def test_filters() -> None:
    assert [s.segment for s in list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter()).entries] == ["1"]
    assert [
        s.segment for s in list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter("skills", show="all")).entries
    ] == ["3"]
    assert list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(document="other")).entries == ()
    assert list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(domain="news")).entries == ()
    assert list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter(judges=("a", "m"))).shared == 0
    both = list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter("holistic", labels=("10", "1"), show="all"))
    assert [entry.given for entry in both.entries] == [(("a", "10"), ("b", "1"))]


def test_a_question_counts_the_units_that_share_it_and_orders_by_its_own_distance() -> None:
    found = list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter("skills", show="all"))
    assert [(entry.segment, entry.distance) for entry in found.entries] == [("3", pytest.approx(2 / 3))]
    assert found.shared == 1
    assert list_disagreements(ROWS, SETTLED, H_FALCON, DisagreementFilter("comment", show="all")).shared == 0


def test_nothing_shared_is_nothing_found() -> None:
    assert list_disagreements(frame([], H_FALCON), set(), H_FALCON, DisagreementFilter()).found == 0


@pytest.mark.parametrize(("ends", "distance"), [("", 10 / 60), ("min = 0, max = 100, ", 10 / 100)])
def test_a_unit_is_as_far_apart_by_itself_as_in_the_list(ends: str, distance: float) -> None:
    """A number that has no end goes as far as anybody's answers, not as far as those to one unit."""
    question = f'{{ {ends}id = "points", kind = "number" }}'
    protocol = parse_toml(
        f"""name = "own"
        version = "1"
        stage = [{{ id = "r", unit = "sentence_in_context", object = "output", question = [{question}] }}]
        [text.en]
        title = "Own"
        questions = {{ points = {{ label = "Points" }} }}"""
    )
    given = [("1", (20, 30)), ("2", (60, 60))]
    table = frame(
        [
            Judgement(judge, "r", "points", "d", segment, ("sys",), value)
            for segment, values in given
            for judge, value in zip("ab", values, strict=True)
        ],
        protocol,
    )
    [entry] = list_disagreements(table, set(), protocol, DisagreementFilter()).entries
    assert entry.parts == unit_answers(table, protocol, ("d", "1", "sys"), PEOPLE).parts
    assert entry.distance == pytest.approx(distance)


def test_one_unit_with_everything_said_about_it() -> None:
    said = unit_answers(TABLE, H_FALCON, ("d", "3", "sys"), PEOPLE)
    assert said.given["holistic"] == {"a": 5, "b": 8}
    assert said.given["skills"]["a"] == grid("low")
    assert said.settled == {"holistic": 7}
    assert said.seconds == {"a": 9.0, "b": 9.0}
    assert said.distance == pytest.approx(0.5)
    with_model = unit_answers(TABLE, H_FALCON, ("d", "4", "sys"), PEOPLE)
    assert with_model.given["holistic"] == {"a": 5, "m": 9}
    assert with_model.distance is None


LEVELS = ["sentence_level", "local", "extended", "global", "universal"]


def divergence(table: pl.DataFrame, asked: Question, people: list[str], models: list[str]) -> Divergence | None:
    return divergence_of(counted(tidy(table)[0], of=tuple(GROUPS)), asked, people, models)


def question(protocol: str = "falcon", name: str = "context") -> Question:
    found = protocols.load(protocol).find(name)
    assert found
    return found[1]


def table(answers: dict[str, list[str | None]]) -> pl.DataFrame:
    rows = [
        {"judge": judge, "question": "context", "document": f"d{at // 5}", "segment": str(at), "label": label}
        for judge, given in answers.items()
        for at, label in enumerate(given)
        if label is not None
    ]
    return pl.DataFrame(rows)


def swapped(label: str) -> str:
    return {"local": "extended", "extended": "local"}.get(label, label)


def test_nothing_answered_gives_nothing() -> None:
    assert divergence(table({"a": ["local"]}), question(name="skills"), ["a"], []) is None


def test_the_judge_who_stands_alone_is_named_with_the_labels() -> None:
    others = ["local"] * 12 + ["global"] * 8
    alone = ["local"] * 8 + ["universal"] * 4 + ["global"] * 8
    found = divergence(table({"a": others, "b": others, "c": alone}), question(), ["a", "b", "c"], [])
    assert found and found.odd
    assert (found.odd.all_agree, found.odd.alone, found.odd.none_alike) == (16, (("c", 4),), 0)
    assert found.odd.on_what == (("universal", "local", 4),)


def test_two_and_two_is_divided_and_all_different_is_none_alike() -> None:
    answers = {"a": ["local", "local"], "b": ["local", "extended"], "c": ["global"] * 2, "d": ["global", "universal"]}
    found = divergence(table(answers), question(), list("abcd"), [])
    assert found and found.odd
    assert (found.odd.divided, found.odd.none_alike, found.odd.units) == (1, 1, 2)


def test_a_judge_who_swaps_two_labels_is_found_after_one_document() -> None:
    rng = np.random.default_rng(3)
    truth = [str(x) for x in rng.choice(["local", "extended", "sentence_level"], 16, p=[0.4, 0.3, 0.3])]
    noisy = {name: [str(rng.choice(LEVELS)) if rng.random() < 0.1 else x for x in truth] for name in "abc"}
    answers = noisy | {"d": [swapped(x) for x in truth]}
    found = divergence(table(answers), question(), list("abcd"), [])
    assert found
    assert [(swap.judge, set(swap.labels)) for swap in found.swaps] == [("d", {"local", "extended"})]
    assert found.odd and found.odd.alone[0][0] == "d"


def test_names_of_systems_are_swapped_where_both_were_shown() -> None:
    """What a judge makes of a third system says nothing about these two."""
    shown = ["a|b"] * 8 + ["a|c"] * 30
    answers = {judge: ["a"] * 4 + ["b"] * 4 + ["a"] * 30 for judge in "xyz"} | {"w": ["b"] * 4 + ["a"] * 34}
    columns = [(judge, str(at), shown[at], x) for judge, given in answers.items() for at, x in enumerate(given)]
    frame = pl.DataFrame(columns, schema=["judge", "segment", "system", "label"], orient="row")
    [swap] = _swaps(ratings(frame.with_columns(question=pl.lit("better"), document=pl.lit("d"))))
    assert (swap.judge, swap.labels, swap.crossed, swap.straight) == ("w", ("a", "b"), 24, 0)


def test_the_rows_of_a_grid_are_one_sentence_where_labels_seem_swapped() -> None:
    """Judges who answer by chance, most rows of a sentence alike: one of thirteen was said to swap the labels."""
    rng = np.random.default_rng(3)
    swaps = 0
    for _ in range(40):
        of_sentence, own = rng.integers(0, 2, (30, 1, 3)), rng.integers(0, 2, (30, 9, 3))
        cells = np.where(rng.random((30, 9, 3)) < 0.9, of_sentence, own).reshape(270, 3).astype(float)
        rated = Ratings.from_matrix(cells, documents=[f"d{at // 9}" for at in range(270)], labels=["low", "high"])
        rows = pl.Series("row", [str(at % 9) for at in range(270)])
        swaps += len(_swaps(replace(rated, items=rated.items.with_columns(rows, segment=pl.lit("1")))))
    assert swaps <= 4, "of 120 judges and pairs of labels, one in a hundred"


def test_a_judge_who_avoids_a_label_does_not_swap() -> None:
    truth = ["local", "extended"] * 10
    answers = {"a": truth, "b": truth, "c": ["local"] * 20}
    found = divergence(table(answers), question(), list("abc"), [])
    assert found and not found.swaps


def test_shares_are_of_the_shared_sentences_only() -> None:
    answers = {"a": ["local"] * 10 + ["global"] * 10, "b": ["local"] * 5 + ["global"] * 5 + [None] * 10}
    found = divergence(table(answers), question(), ["a", "b"], [])
    assert found
    assert found.shared == 10
    assert found.shares["a"][LEVELS.index("local")] == 1.0
    assert found.shares["b"][LEVELS.index("local")] == 0.5


def test_the_rows_of_a_grid_are_one_shared_sentence() -> None:
    """Two sentences of nine skills passed for eighteen, and so for enough."""
    answers = table({judge: ["medium"] * 2 for judge in "ab"}).with_columns(question=pl.lit("skills"))
    grid = question("h_falcon", "skills")
    assert isinstance(grid, Grid)
    found = divergence(
        answers.join(pl.DataFrame({"row": [row.id for row in grid.rows]}), how="cross"), grid, ["a", "b"], []
    )
    assert found and found.odd
    assert (found.shared, found.odd.units, found.odd.all_agree) == (2, 2, 2 * len(grid.rows))


def test_few_shared_sentences_give_no_coefficient_but_say_how_many() -> None:
    found = divergence(table({"a": ["local", "global"], "b": ["local", "local"]}), question(), ["a", "b"], [])
    assert found
    cell = found.pairs["a", "b"]
    assert (cell.value, cell.n, cell.same) == (None, 2, 0.5)


def test_labels_in_an_order_are_merged_with_their_neighbours_alone() -> None:
    """Whoever judges 5 where the other says 2 is no reason to call 2 and 5 the same."""
    answers = {"a": [0, 2, 2, 5, 6, 10, 2], "b": [0, 5, 5, 5, 6, 10, 2]}
    rows = [
        {"judge": judge, "question": "q", "document": "d", "segment": str(at), "score": float(value)}
        for judge, values in answers.items()
        for at, value in enumerate(values)
    ]
    found = divergence(pl.DataFrame(rows), Scale(id="q", min=0, max=10, step=1), ["a", "b"], [])
    assert found and {pair[:2] for pair in found.merges} == {("0", "2"), ("2", "5"), ("5", "6"), ("6", "10")}


def test_grids_scales_and_sets_work_alike() -> None:
    protocol = protocols.load("h_falcon")
    rows = [
        {
            "judge": judge,
            "question": "skills",
            "document": "d",
            "segment": str(at),
            "row": row,
            "label": label,
            "score": score,
        }
        for judge in ("a", "b")
        for at in range(12)
        for row, (label, score) in {"idea_development": ("low", 1.0), "participant_focus": ("high", 3.0)}.items()
    ]
    grid = divergence(pl.DataFrame(rows), question("h_falcon", "skills"), ["a", "b"], [])
    assert grid and grid.shared == 12
    assert grid.pooled and grid.coefficient == "α ordinal, mean of rows"
    sets = pl.DataFrame(
        {"judge": ["a", "b"] * 12, "question": "skills", "segment": [str(at // 2) for at in range(24)],
         "document": "d", "labels": [["idea_development"], ["idea_development", "participant_focus"]] * 12}
    )  # fmt: skip
    found = divergence(sets, question("falcon", "skills"), ["a", "b"], [])
    assert found and found.coefficient == "α Jaccard" and not found.pooled
    assert sum(found.shares["b"]) == pytest.approx(1)
    assert protocol.find("holistic")


@pytest.mark.data
def test_the_released_judges() -> None:
    """κ as published, and the first judge most often alone, mostly between sentence and local."""
    material = released("h-falcon")["evalset"]
    people = [judge.id for judge in material.judges if judge.kind == "person"]
    models = [judge.id for judge in material.judges if judge.kind == "model"]
    asked = question()
    assert isinstance(asked, Choice)
    found = divergence(material.table, asked, people, models)
    assert found and found.odd
    assert found.pairs["judge2", "judge3"].value == pytest.approx(0.4995, abs=5e-5)
    assert found.pairs["judge1", "judge2"].value == pytest.approx(0.3883, abs=5e-5)
    assert found.odd.alone[0] == ("judge1", 146)
    assert found.odd.on_what[0] == ("sentence_level", "local", 56)
    assert found.odd.all_agree + sum(n for _, n in found.odd.alone) + found.odd.none_alike == 809
    assert found.merges[0][:2] == ("sentence_level", "local")


def test_of_very_many_judges_the_busiest_are_compared_and_a_swap_is_found_all_the_same() -> None:
    rng = np.random.default_rng(3)
    truth = rng.choice(LEVELS, 60).tolist()
    answers: dict[str, list[str | None]] = {f"j{at:02}": list(truth) for at in range(59)}
    answers["j05"] = [None] * 30 + truth[30:]
    answers["last"] = [None] * 10 + [swapped(label) for label in truth[10:]]
    found = divergence(table(answers), question(), list(answers), [])
    assert found
    compared = {judge for pair in found.pairs for judge in pair}
    assert (len(compared), found.not_compared, "j05" in compared) == (40, 20, False)
    assert [swap.judge for swap in found.swaps] == ["last"]


def test_who_is_alone_and_who_swaps_is_as_counted_one_by_one() -> None:
    dice = np.random.default_rng(3)
    names = [f"j{n}" for n in range(7)]
    truth = [str(dice.choice(LEVELS[:3])) for _ in range(40)]
    given: dict[str, list[str | None]] = {
        name: [dice.choice([label, label, label, LEVELS[0], None]) for label in truth] for name in names
    }
    given["j0"] = [swapped(label) if label else None for label in given["j1"]]
    found = divergence(table(given), question(), names, [])
    assert found and found.odd
    agree = alone = units = 0
    for at in range(40):
        said = [given[name][at] for name in names if given[name][at]]
        if len(said) >= 3:
            units += 1
            agree += len(set(said)) == 1
            alone += sorted(said.count(label) for label in set(said)) == [1, len(said) - 1]
    assert (found.odd.units, found.odd.all_agree) == (units, agree)
    assert sum(times for _, times in found.odd.alone) == alone
    assert [swap.judge for swap in found.swaps] == ["j0"]
    for swap in found.swaps:
        pairs = [
            (given[swap.judge][at], given[other][at]) for at in range(40) for other in names if other != swap.judge
        ]
        assert swap.crossed == sum(set(pair) == set(swap.labels) for pair in pairs)
        assert swap.straight == sum(a == b and a in swap.labels for a, b in pairs)


def asked(protocol: str, name: str) -> Question:
    found = protocols.load(protocol).find(name)
    assert found
    return found[1]


def rated(shift: float = 10) -> Ratings:
    rng = np.random.default_rng(2)
    truth = rng.uniform(30, 80, 60)
    table = np.stack([truth, truth + rng.normal(0, 2, 60), truth + shift], axis=1).round()
    table[0, 1] = np.nan
    return Ratings.from_matrix(table, documents=[f"d{at // 6}" for at in range(60)], judges=("a", "b", "c"))


def test_a_spread_is_of_what_all_have_judged_and_its_bands_add_up() -> None:
    n, bounds, found = spreading(rated(), asked("da", "score"))
    assert (n, bounds) == (59, (0.0, 100.0))
    for spread in found.values():
        assert len(spread.bands) == BANDS
        assert sum(spread.bands) == pytest.approx(1)
        assert spread.low <= spread.middle <= spread.high
    assert found["c"].middle == pytest.approx(found["a"].middle + 10, abs=1)


def test_the_judge_who_scores_higher_comes_first_with_an_interval() -> None:
    first = leaning(rated(), Selection(Purpose.CALIBRATION))[0]
    assert first.judge == "c"
    assert first.value == pytest.approx(10, abs=1)
    assert first.low is not None and first.high is not None
    assert first.low < first.value < first.high
    assert "document" in first.signature
    assert "rows calibration items by people" in first.signature, "the rows that were compared, and no others"


def test_a_count_without_end_ends_where_the_answers_do() -> None:
    table = np.array([[1.0, 2.0], [1.0, 7.0]])
    _, bounds, _ = spreading(Ratings.from_matrix(table, judges=("a", "b")), asked("context_survey", "sentences_before"))
    assert bounds == (1.0, 7.0)
    assert spreading(Ratings.from_matrix([[1.0, np.nan]], judges=("a", "b")), asked("da", "score"))[0] == 0
