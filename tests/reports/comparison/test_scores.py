from __future__ import annotations

from dataclasses import replace

import pytest

from lanner.analysis.material import Material
from lanner.reports.comparison.scores import cost, holistic, hours, prediction, scoring, separation, stability, times
from lanner.reports.comparison.sides import sides
from reports.comparison.worlds import answered, lab, noise, parity, scores, texts
from reports.world import material


def test_a_clear_and_a_blind_protocol() -> None:
    found = separation(lab(scores(title="clear", gap=20), scores(title="blind", gap=0)))
    pairs, clusters, hours, rate = found.lines
    assert [value.text for value in pairs.values] == ["3 of 3", "0 of 3"]
    assert [value.value for value in clusters.values] == [3, 1]
    assert (rate.values[0].value or 0) * (hours.values[0].value or 0) == 3
    assert {row["clear"] for row in found.data} == {True}
    assert "per hour of work most by clear" in found.said
    none = separation(lab(scores(title="dim", gap=0), scores(title="blind", gap=0)))
    assert none.said == "Of 3 pairs of systems, 0 by dim and 0 by blind are told apart."


def test_without_scores() -> None:
    assert "no score that ranks systems" in separation(lab(parity())).missing


def test_counts_agree_where_weights_do_not() -> None:
    skills = ["information_density", "idea_development", "terminology_control"]

    def value(q: str, judge: str, system: str, d: int, s: int, _: str) -> dict[str, str]:
        chosen = skills[: noise(d, s) % 4]
        level = "low" if noise(judge, d, s) % 2 else "high"
        return {skill: level if skill in chosen else "not_relevant" for skill in skills}

    made = [answered("h_falcon", ["skills"], value, systems=(("oak",),), title=name) for name in "ab"]
    found = scoring(lab(*made))
    by = {(row["side"], row["score"]): row["value"] for row in found.data}
    assert by["a", "skill count"] == pytest.approx(1.0)
    assert by["a", "skill sum"] < 0.95
    assert len(texts()) == 8


def test_nothing_to_sum() -> None:
    assert scoring(lab(parity())).missing


def test_systems_far_apart_keep_their_order_with_one_judge() -> None:
    found = stability(lab(scores(title="a", gap=20), scores(title="b", gap=20)))
    assert [value.value for value in found.lines[0].values] == pytest.approx([1.0, 1.0])
    assert {row["what"] for row in found.data} == {"τ of the systems' order"}
    assert {row["low"] for row in found.data} == {None}, "draws that all say the same are no interval of no width"
    assert "1.00 in all draws or nearly all" in found.said


def test_one_document_does_not_say_what_fewer_judges_would() -> None:
    def short(title: str, documents: int) -> Material:
        whole = scores(title=title, gap=20)
        return replace(whole, judgements=tuple(j for j in whole.judgements if int(j.document[1:]) < documents))

    assert "two documents or more" in stability(lab(short("a", 1), short("b", 1))).missing
    both = stability(lab(short("a", 2), short("b", 1)))
    assert [value.value for value in both.lines[0].values] == [1.0, None]


def test_labels_by_majority() -> None:
    found = stability(lab(parity()))
    by_side = {row["side"]: row["value"] for row in found.data}
    assert by_side["document"] == 1.0
    assert by_side["sentence"] == 0.5  # one judge for each side: half of the tie


def test_who_judged_a_text_alone_does_not_stand_for_all() -> None:
    """Without any overlap half of the judges were said to say the same as all: on their items they are all."""

    def apart(*systems: str) -> Material:
        return answered(
            "da", ["score"],
            lambda q, j, system, d, s, _: 50.0 + noise(j, system, d, s) if (d % 2 == 0) == (j == "j0") else None,
            systems=[(system,) for system in systems],
        )  # fmt: skip

    assert "on the same items" in stability(lab(apart("oak", "elm"), apart("oak", "elm"))).missing
    whole = parity()
    alone = tuple(j for j in whole.judgements if (int(j.document[1:]) % 2 == 0) == (j.judge == "j0"))
    assert "on the same items" in stability(lab(replace(whole, judgements=alone))).missing


def test_a_single_judge() -> None:
    alone = [answered("da", ["score"], lambda *_: 50.0, judges=("j0",), title=name) for name in "ab"]
    assert stability(lab(*alone)).missing


def test_blocks_of_a_plan_are_read_judge_by_judge() -> None:
    found = prediction(lab(material("falcon"), material("h_falcon")))
    own = [row["r2"] for row in found.data if row["side"] == "H-FALCON" and row["who"] == "Judge 0"]
    assert len(own) == 2
    assert own == sorted(own)


def test_one_protocol_predicts_the_holistic_score_of_the_other() -> None:
    found = prediction(lab(scores(title="a", gap=10, spread=0), scores(title="b", gap=20, spread=0)))
    [row] = found.data
    assert (row["side"], row["r2"]) == ("b", pytest.approx(1.0))


def test_no_holistic_score() -> None:
    assert prediction(lab(parity())).missing == "no side asks for a holistic score."
    assert holistic(sides([("p", parity())])[0]) is None


def test_one_takes_twice_as_long_and_costs_twice_as_much() -> None:
    found = cost(lab(scores(title="quick", gap=5), scores(title="slow", gap=5, seconds=60), hourly=36))
    seconds, rate, price = found.lines
    assert [value.value for value in seconds.values] == [30, 60]
    assert [value.value for value in rate.values] == [2, 1]
    assert [value.value for value in price.values] == [30, 60]
    assert seconds.gaps[0] is not None
    assert seconds.gaps[0].value == -30
    assert "2.0 times as long" in found.said


def test_people_and_models_take_time_themselves() -> None:
    found = cost(lab(scores(title="people", gap=5, seconds=60), scores(title="models", gap=5)))
    assert "An item takes people 2.0 times as long as models (60 s against 30 s; no interval: every" in found.said


def test_no_interval_of_times_goes_below_nothing() -> None:
    """Of two documents the seconds of an item went from −22 to 83, and items a minute had no interval."""
    made = answered("da", ["score"], lambda *_: 50.0, count=2)
    first, _ = made.documents
    timed = tuple(replace(j, active_seconds=25.0 if j.document == first.id else 35.0) for j in made.judgements)
    sides_of_two = [replace(made, name=name, judgements=timed) for name in "ab"]
    seconds, rate = (line.values[0] for line in cost(lab(*sides_of_two)).lines)
    assert seconds.low is not None and 0 < seconds.low < seconds.value < seconds.high
    assert (rate.low, rate.high) == pytest.approx((60 / seconds.high, 60 / seconds.low))


def test_equal_times_are_not_1_0_times_as_long() -> None:
    found = cost(lab(scores(title="quick", gap=5), scores(title="slow", gap=5)))
    assert "An item takes 30 s under slow and 30 s under quick (" in found.said
    assert "times as long" not in found.said


def test_stamps_without_a_time_are_read_by_the_gaps_between_answers() -> None:
    [side, _] = sides([("a", scores(title="a", gap=5, seconds=0.1)), ("b", scores(title="b", gap=5))])
    assert "time from one answer to the next" in times(side)[1]


def test_hours_of_work() -> None:
    [side, _] = sides([("a", scores(title="a", gap=5)), ("b", scores(title="b", gap=5))])
    assert hours(side) == pytest.approx(2 * 8 * 3 * 3 * 30 / 3600)


def test_no_times() -> None:
    assert "no times were kept" in cost(lab(parity())).missing
