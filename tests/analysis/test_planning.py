"""What is known before a campaign begins: its aim, the designs to compare, and systems as they may be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from adaptive_campaign import texts
from lanner.analysis.planning import (
    USUAL,
    compared_designs,
    compared_sizes,
    design_of_ratings,
    metric_scores,
    released_components,
    usual_design,
    world_before,
    world_like,
    world_of_metrics,
    world_of_pilot,
    world_of_texts,
)
from lanner.protocols import load
from lanner.stats.power import Components, Design, defaults

DESIGN = Design(30, 4, 3, 1, 3)
OF_TWO = replace(DESIGN, systems=2)


def ratings(kind: str, quality: dict[str, float], documents: int = 40) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    rows = [
        (kind, kind, "score", f"d{d}", f"{s}", system, "main", mean + rng.normal(0, 3))
        for d in range(documents)
        for s in range(3)
        for system, mean in quality.items()
    ]
    columns = ["judge", "judge_kind", "question", "document", "segment", "system", "role", "score"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def test_a_pilot_says_how_far_apart_its_systems_are() -> None:
    table = ratings("person", {"one": 10.0, "two": 14.0})
    parts = Components(system_document=0.5, residual=9.0)
    world = world_of_pilot(table, "score", parts, OF_TWO)
    assert world.systems == ("one", "two")
    assert world.means is not None and world.means[1] - world.means[0] == pytest.approx(4.0, abs=0.5)
    assert world.sizes.tolist() == [4.0] * 30
    assert not world.has_metrics
    more_judges = pl.concat(table.with_columns(judge=pl.lit(name)) for name in "abcd")
    together = world_of_pilot(more_judges, "score", replace(parts, residual=4 * parts.residual), OF_TWO)
    assert together.means == pytest.approx(world.means), "four judges of each item know as much as one who errs half as"
    own_taste = world_of_pilot(more_judges, "score", replace(parts, system_judge=16.0), OF_TWO)
    assert own_taste.means is not None and own_taste.means[1] - own_taste.means[0] == pytest.approx(2.7, abs=0.3)
    upside_down = world_of_pilot(table, "score", parts, OF_TWO, sign=-1.0)
    assert upside_down.means is not None and upside_down.means[0] > upside_down.means[1]


def test_more_systems_than_a_pilot_has_differ_by_as_much() -> None:
    table = ratings("person", {"one": 10.0, "two": 14.0})
    world = world_of_pilot(table, "score", Components(residual=9.0), replace(DESIGN, systems=4))
    assert (world.systems, world.means) == (("one", "two", "A", "B"), None)
    assert world.spread == pytest.approx(4.0 / 2**0.5, abs=0.4)


def test_metrics_alone_order_the_systems() -> None:
    metric = ratings("metric", {"one": 0.8, "two": 30.0, "three": 20.0})
    world = world_of_metrics(metric, defaults("esa"), DESIGN)
    assert world is not None and world.means is not None and world.has_metrics
    by_name = dict(zip(world.systems, world.means.tolist(), strict=True))
    assert by_name["one"] < by_name["three"] < by_name["two"]
    assert world.means.std(ddof=1) == pytest.approx(defaults("esa").spread)
    assert world_of_metrics(ratings("person", {"one": 1.0, "two": 2.0}), defaults("esa"), DESIGN) is None
    assert len(metric_scores(pl.concat([metric, ratings("model", {"one": 1.0, "two": 2.0})]))) == 2


def test_without_anything_systems_are_as_in_released_campaigns_or_as_is_said() -> None:
    world = world_like(defaults("esa"), DESIGN)
    assert world is not None and (world.means, world.systems, world.spread) == (None, ("A", "B", "C"), 1.9)
    apart = world_like(defaults("h_falcon"), DESIGN, 0.5)
    assert apart is not None and apart.means is not None and apart.means.tolist() == [0.0, 0.5, 1.0]
    assert world_like(defaults("h_falcon"), DESIGN) is None


def test_texts_are_planned_with_their_own_lengths() -> None:
    documents = texts(6)
    sizes = np.array([float(len(list(document))) for document in documents])
    systems = ("alder", "birch")
    world = world_of_texts(documents, sizes, load("esa"), systems, judges=3, overlap=1)
    assert world is not None and world.sizes.tolist() == sizes.tolist() and world.means is None
    by_metric = world_of_texts(
        documents, sizes, load("esa"), systems, judges=3, overlap=1, metric={"alder": 2.0, "birch": 1.0}
    )
    assert by_metric is not None and by_metric.means is not None and by_metric.means[0] > by_metric.means[1]
    assert world_of_texts(documents, sizes, load("dela"), systems, judges=3, overlap=1) is None
    assert world_of_texts(documents[:2], sizes[:2], load("esa"), systems, judges=3, overlap=1) is None


def test_protocols_of_the_same_scale_share_their_ratings() -> None:
    assert released_components(load("esa_preannotated")) == defaults("esa")
    assert released_components(load("h_falcon")) is None, "its systems' distances are not known"


def test_metrics_say_how_large_the_texts_are_and_nothing_of_the_number_of_judges() -> None:
    """With three metrics a campaign was planned in which three people judge everything."""
    three = pl.concat(
        [ratings("metric", {"one": 1.0, "two": 2.0}).with_columns(judge=pl.lit(f"m{n}")) for n in range(3)]
    )
    of_documents = three.group_by("document", "system", "judge", "judge_kind", "question", "role").agg(
        pl.lit("").alias("segment"), pl.col("score").mean()
    )
    for table in (three, pl.concat([three, of_documents.select(three.columns)])):
        design = design_of_ratings(table)
        assert design == Design(40, 3, USUAL.judges, USUAL.overlap, 2)


def test_sizes_that_are_given_are_combined_and_else_each_is_doubled() -> None:
    now = Design(10, 5, 3, 1, 4)
    assert compared_designs(now, documents=[20, 40], overlap=[2]) == [Design(20, 5, 3, 2, 4), Design(40, 5, 3, 2, 4)]
    assert compared_designs(now, overlap=[5]) == [Design(10, 5, 5, 5, 4)]
    assert compared_designs(now, systems=2) == [
        Design(10, 5, 3, 1, 2), Design(20, 5, 3, 1, 2), Design(10, 10, 3, 1, 2), Design(10, 5, 3, 2, 2),
    ]  # fmt: skip
    assert (compared_sizes(1), compared_sizes(10)) == ([2, 4], [5, 10, 20, 40])


def test_texts_without_judgements_have_the_usual_judges() -> None:
    documents = texts()
    sentences = sum(segment.judged for document in documents for segment in document)
    design = usual_design(documents, 3)
    assert (design.documents, design.systems, design.judges) == (len(documents), 3, USUAL.judges)
    assert design.sentences == max(1, round(sentences / len(documents)))
    assert usual_design([], 0) == USUAL


def test_what_is_known_best_is_taken() -> None:
    esa = defaults("esa")
    metric = ratings("metric", {"one": 1.0, "two": 2.0, "three": 3.0})
    world = world_before(esa, DESIGN, ratings=metric)
    assert world is not None and world.has_metrics and set(world.systems) == {"one", "two", "three"}
    world = world_before(esa, DESIGN, ratings=metric, difference=2.0, systems=("a", "b", "c"))
    assert world is not None and not world.has_metrics and world.systems == ("a", "b", "c")
    assert world_before(defaults("h_falcon"), DESIGN, systems=("a", "b", "c")) is None
