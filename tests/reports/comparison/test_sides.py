from __future__ import annotations

import polars as pl
import pytest
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from lanner.analysis.material import Material
from lanner.errors import InputError
from lanner.model import Result, Unit
from lanner.reports.comparison.sides import (
    Form,
    Gap,
    Value,
    gap_of,
    intervals_of,
    item_key,
    lines_by_label,
    matched,
    of_result,
    ratio,
    ratio_gap,
    shared,
    sides,
)
from reports.comparison.worlds import QUICK, lab, parity, scenarios, scores
from reports.world import material


def test_scenarios_of_one_protocol_are_sides() -> None:
    found = sides([("x", scenarios())])
    assert [side.name for side in found] == ["isolated", "in context"]
    assert [side.units for side in found] == [{Unit.ISOLATED}, {Unit.IN_CONTEXT}]
    assert set(found[0].table["question"]) >= {"adequacy_rs", "fluency_rs"}
    assert "adequacy_sc" not in set(found[0].table["question"])
    assert found[1].people == ["j2", "j3"]


def test_protocols_go_by_their_titles_where_these_are_short() -> None:
    parts = [("a", material("falcon_labels", documents=2)), ("b", material("h_falcon", documents=2))]
    renamed = [(one.name, one) for _, one in parts]
    assert [side.name for side in sides(renamed)] == ["FALCON, labels only", "H-FALCON"]


def test_items_that_all_judged_are_kept() -> None:
    one, other = scores(title="a", gap=10), scores(title="b", gap=10)
    few = Material(
        "b", other.protocol, other.documents[:5], other.judges, tuple(j for j in other.judgements if j.document < "d5")
    )
    found, n = shared(sides([("a", one), ("b", few)]))
    assert n == 5 * 3 * 3
    assert {len(side.by_people.select("document").unique()) for side in found} == {5}
    assert item_key(found) == ["document", "segment", "system"]


def test_where_hardly_anything_is_shared_each_keeps_its_items() -> None:
    found, n = shared(sides([("p", parity())]))
    assert n < 10
    assert len(found[0].by_people) == 8 * 3 * 2


def test_the_measure_is_what_the_plan_ranks_by() -> None:
    [one, _] = sides([("a", scores(title="a", gap=1)), ("b", scores(title="b", gap=1))])
    assert one.measure is not None
    assert one.measure.of == "score"


def test_one_thing_alone_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="only one thing"):
        sides([("a", scores(title="a", gap=1))])
    with pytest.raises(InputError, match="not known what was asked"):
        sides([("a", Material("a", None, (), (), ())), ("b", scores(title="b", gap=1))])


def test_lines_of_the_same_label_are_one() -> None:
    made = lab(scores(title="a", gap=1), scores(title="b", gap=1))
    cells = [("x", "a", 1.0), ("y", "b", 2.0), ("x", "b", 3.0)]
    rows = [{"label": label, "side": side, "value": value, "low": None, "high": None} for label, side, value in cells]
    [one, two] = lines_by_label(made, rows, lambda row: row["label"])
    assert [value.value for value in one.values] == [1.0, 3.0]
    assert [value.text for value in two.values] == ["—", ""]


def test_what_is_undefined_has_no_gap() -> None:
    assert gap_of(Result("x", None)) is None
    assert of_result(Result("x", 0.5, counts={"items": 4})) == Value(0.5, n=4)


def test_a_gap_without_an_interval_says_why() -> None:
    assert Gap(0.38, 0.1, 0.6, 0.01).in_words("difference") == "difference .38 [.10, .60], p = .010"
    assert Gap(0.38).in_words("difference").startswith("difference .38; no interval: ")
    gap = gap_of(Result("x", 0.38, notes=("Counted.", "No interval: there is only one document.")))
    assert gap is not None
    assert gap.in_words("difference") == "difference .38; no interval: there is only one document"


def table(values: list[float]) -> pl.DataFrame:
    return pl.DataFrame({"document": [f"d{n}" for n in range(len(values))], "top": values, "bottom": 1.0})


def test_a_mean_and_its_interval() -> None:
    found = ratio(table([1, 2, 3, 4, 5]), QUICK)
    assert found.value == 3
    assert found.low is not None
    assert found.high is not None
    assert found.low < 3 < found.high
    assert of_result(found).n == 5
    assert intervals_of(found) == "interval jackknife-t 95% by document", "nothing is drawn, so no seed is named"


def test_a_share_rests_on_no_more_answers_than_there_are() -> None:
    """Six documents alike by chance had an interval from .50 to .54."""
    counts = table([5, 5, 5, 5, 5, 6]).with_columns(bottom=pl.lit(10.0))
    found = ratio(counts, QUICK, scale="share")
    reach = 2 * norm.sf(t.ppf(0.975, 5))
    assert (found.low, found.high) == pytest.approx(proportion_confint(31, 60, alpha=reach, method="wilson"))


def test_a_gap_on_shared_documents_is_paired() -> None:
    one = [1.0, 20.0, 3.0, 44.0, 5.0, 60.0]
    shifted = ratio_gap(
        table([x + 1 for x in one]),
        table([x + noise for x, noise in zip(one, [0, 0.1, 0, -0.1, 0, 0], strict=True)]),
        QUICK,
    )
    assert shifted.value == pytest.approx(1.0)
    assert shifted.p is not None
    assert shifted.p < 0.001


def test_scenarios_match_by_the_stem_of_the_name() -> None:
    found = matched(sides([("s", scenarios())]))
    assert [(pair.label, pair.questions) for pair in found[:2]] == [
        ("adequacy", ("adequacy_rs", "adequacy_sc")), ("fluency", ("fluency_rs", "fluency_sc")),
    ]  # fmt: skip
    assert all(pair.form is Form.NUMBERS for pair in found)
    assert matched(sides([("p", parity())]))[0].form is Form.LABELS


def test_two_protocols_match_by_name_then_by_kind() -> None:
    found = matched(sides([("f", material("falcon")), ("h", material("h_falcon"))]))
    sets = [pair for pair in found if pair.form is Form.SETS]
    assert [pair.questions for pair in sets] == [("skills", "skills_chosen")]
