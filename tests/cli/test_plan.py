from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cli.command import Command
from data_sets import data_dir
from lanner.stats.savings import Savings, World, expected_savings


@pytest.fixture(autouse=True)
def _few_campaigns(monkeypatch: pytest.MonkeyPatch) -> None:
    """What simulated campaigns come to is asked in tests/stats/test_savings.py; here, what is said of it."""
    monkeypatch.setattr("lanner.cli.plan.CAMPAIGNS", 4)


def scores_file(folder: Path) -> Path:
    """A pilot: two systems on twelve documents of four sentences, each judged twice by three judges in turn."""
    rng = np.random.default_rng(5)
    rows = []
    for d in range(12):
        own = rng.normal(0, 4, 2)
        for s in range(4):
            for system in (0, 1):
                for judge in (d % 3, (d + 1) % 3):
                    score = round(float(np.clip(70 + 3 * system + own[system] + rng.normal(0, 8), 0, 100)))
                    rows.append((f"j{judge}", f"d{d}", f"{d}.{s}", f"s{system}", "ab"[d % 2], score))
    table = pl.DataFrame(rows, schema=["judge", "document", "segment", "system", "domain", "score"], orient="row")
    table.write_csv(folder / "pilot.csv")
    return folder / "pilot.csv"


def test_a_plan_from_ones_own_pilot(lanner: Command, tmp_path: Path) -> None:
    pilot = scores_file(tmp_path)
    rows = lanner("plan", pilot, "--of", "score", "--difference", 3, "--studies", 100, "--json").envelope["rows"]
    designs = [row for row in rows if row["kind"] == "design"]
    first = designs[0]
    assert [first[key] for key in ("documents", "sentences", "judges", "overlap")] == [12, 4, 3, 2]
    assert designs[1]["documents"] == 24
    assert designs[1]["width"] < first["width"]
    assert 0 < first["power"] < designs[1]["power"] <= 1
    assert {row["source"] for row in rows if row["kind"] == "variance"} >= {"residual", "system_document"}
    assert [row["way"] for row in rows if row["kind"] == "extra"]
    text = lanner("plan", pilot, "--studies", 40, "--judges", "j0,j1").out
    assert "With 12 documents of 4 sentences" in text
    assert "told apart in 80% of such studies" in text
    assert "Best: more" in text


def test_a_plan_for_judges_in_general_is_of_corrected_pairs_and_of_three_judges(
    lanner: Command, tmp_path: Path
) -> None:
    asked = ("plan", scores_file(tmp_path), "--studies", 40, "--set", "systems=3")
    assert "(one of 3 pairs, corrected for their number)" in lanner(*asked).out
    general = lanner(*asked, "--other-judges").out
    assert "(one of 3 pairs, corrected for their number)" in general
    assert "holds for judges in general" in general and "crossed t · correction holm" in general
    few = lanner(*asked, "--other-judges", "--panel", 2, "--overlap", 2)
    assert few.code == 2 and "nothing of judges in general" in few.err
    ran = lanner("plan", tmp_path / "pilot.csv", "--judges", "j0", "--other-judges")
    assert ran.code == 2
    assert "one judge, who says nothing about how judges differ" in ran.err


def test_what_an_adaptive_campaign_takes_is_of_the_first_design(lanner: Command, tmp_path: Path) -> None:
    pilot = pl.read_csv(scores_file(tmp_path)).with_columns(pl.lit("human").alias("judge_kind"))
    models = [
        pilot.filter(pl.col("judge") == judge).with_columns(judge=pl.lit(f"m{judge}"), judge_kind=pl.lit("model"))
        for judge in ("j0", "j1")
    ]
    pl.concat([pilot, *models]).write_csv(tmp_path / "both.csv")
    asked = ("plan", tmp_path / "both.csv", "--studies", 20)
    words = "systems as far apart as the pilot's, and predictions as good as metrics are"
    assert words in lanner(*asked).out
    for more, systems in (((), 2), (("--set", "systems=5"), 5), (("--judges", "mj0,mj1"), 2)):
        rows = lanner(*asked, *more, "--json").envelope["rows"]
        designs = [row for row in rows if row["kind"] == "design"]
        fixed = next(row for row in rows if row["kind"] == "duration" and row["campaign"] == "fixed")
        assert designs[0]["systems"] == systems
        assert fixed["judgements"] == designs[0]["judgements"]
    alone = lanner(*asked, "--judges", "mj0,mj1").out
    assert "systems as far apart as the pilot's. " in alone, "who is planned with predicts nothing"


def test_a_model_among_the_judges_of_a_pilot_is_no_person(lanner: Command, tmp_path: Path) -> None:
    pilot = pl.read_csv(scores_file(tmp_path)).with_columns(pl.lit("human").alias("judge_kind"))
    model = pilot.filter(pl.col("judge") == "j0").with_columns(
        pl.lit("m").alias("judge"), pl.lit("model").alias("judge_kind"), (100 - pl.col("score")).alias("score")
    )
    pl.concat([pilot, model]).write_csv(tmp_path / "both.csv")
    asked = [lanner("plan", tmp_path / name, "--studies", 20, "--json").envelope for name in ("pilot.csv", "both.csv")]
    alone, both = ([row for row in one["rows"] if row["kind"] != "duration"] for one in asked)
    assert both == alone


def test_chosen_designs_from_released_ratings_with_their_price(lanner: Command) -> None:
    asked = ("plan", "--like", "esa", "--documents", "20,40", "--overlap", "1,2", "--minutes", 0.5, "--rate", 30)
    ran = lanner(*asked, "--extra", 400, "--studies", 60, "--json").envelope
    designs = [row for row in ran["rows"] if row["kind"] == "design"]
    assert [(row["documents"], row["overlap"]) for row in designs] == [(20, 1), (20, 2), (40, 1), (40, 2)]
    assert designs[0]["cost"] == pytest.approx(100)
    assert any("WMT23" in note for note in ran["notes"])


@pytest.mark.data
def test_the_width_of_kappa_with_more_documents(lanner: Command) -> None:
    asked = ("plan", data_dir("h-falcon"), "--of", "context", "--documents", "20,80", "--studies", 60, "--json")
    few, many = lanner(*asked).envelope["rows"]
    assert few["width"] == pytest.approx(2 * many["width"], rel=0.3)


@pytest.mark.data
def test_the_chance_to_see_a_preference(lanner: Command) -> None:
    asked = ("plan", data_dir("parity"), "--of", "adequacy_of_document", "--studies", 200)
    rows = lanner(*asked, "--json").envelope["rows"]
    assert [row["documents"] for row in rows] == sorted(row["documents"] for row in rows)
    assert rows[0]["power"] < rows[-1]["power"]
    assert "is preferred in 58 % of decided comparisons" in lanner(*asked).out


def test_nothing_to_plan_from_and_no_numbers(lanner: Command) -> None:
    assert "Give a pilot, or --like esa" in lanner("plan").err
    assert "is no list of numbers" in lanner("plan", "--like", "esa", "--documents", "many").err
    assert "Did you mean 'esa'" in lanner("plan", "--like", "eas").err


def durations(rows: list[dict]) -> dict[str, dict]:
    return {row["campaign"]: row for row in rows if row["kind"] == "duration"}


def test_the_adaptive_campaign_stands_beside_the_fixed_one(lanner: Command, tmp_path: Path) -> None:
    pilot = scores_file(tmp_path)
    ran = lanner("plan", pilot, "--documents", 40, "--studies", 30, "--goal", "better:s0,s1", "--minutes", 1, "--json")
    ways = durations(ran.envelope["rows"])
    assert ways["fixed"]["judgements"] == 40 * 4 * 2 * 2
    assert ways["adaptive"]["judgements"] < ways["fixed"]["judgements"]
    assert 0 < ways["adaptive"]["low"] <= ways["adaptive"]["high"] <= 1
    assert ways["fixed"]["hours"] == ways["fixed"]["judgements"] / 60
    assert "no system 's9'" in lanner("plan", pilot, "--studies", 30, "--goal", "better:s0,s9").err
    assert "not about agreement" in lanner("plan", "--like", "esa", "--goal", "agreement:0.5").err


def test_the_best_system_of_a_pilot_is_the_one_with_fewest_errors(
    lanner: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Less of a score of one's own may be better; the campaign that was simulated looked for the worst system."""
    pl.read_csv(scores_file(tmp_path)).rename({"score": "errors"}).write_csv(tmp_path / "errors.csv")
    worlds: list[World] = []

    def simulate(world: World, *arguments: Any, **options: Any) -> Savings:
        worlds.append(world)
        return expected_savings(world, *arguments, **options)

    monkeypatch.setattr("lanner.cli.plan.expected_savings", simulate)
    assert lanner("plan", tmp_path / "errors.csv", "--studies", 20).code == 0
    (world,) = worlds
    assert world.means is not None
    assert dict(zip(world.systems, world.means > world.means.mean(), strict=True)) == {"s0": True, "s1": False}


def test_savings_from_metrics_alone_and_where_distances_are_not_known(lanner: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [
        ("chrF", "metric", f"d{d}", f"{s}", system, quality + float(rng.normal()))
        for d in range(10)
        for s in range(3)
        for system, quality in (("low", 20.0), ("high", 40.0), ("middle", 31.0))
    ]
    columns = ["judge", "judge_kind", "document", "segment", "system", "score"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(tmp_path / "metric.csv")
    ran = lanner("plan", tmp_path / "metric.csv", "--like", "esa", "--studies", 20, "--goal", "better:low,high")
    assert "as metrics order them" in ran.out
    assert "With 10 documents of 3 sentences" in ran.out
    unknown = lanner("plan", "--like", "h_falcon", "--studies", 20)
    assert "is not known: with --difference" in unknown.out
    assert "adaptive" in lanner("plan", "--like", "h_falcon", "--studies", 20, "--difference", 0.5).out
    people = lanner("plan", scores_file(tmp_path), "--like", "esa")
    assert "no ratings of metrics or models" in people.err


def test_own_texts_say_how_large_the_campaign_is(lanner: Command, tmp_path: Path) -> None:
    lines = ["document,segment,source,alder,birch,cedar"]
    lines += [f"d{d},{s},Source {s} of {d}.,A {s} {d}.,B {s} {d}.,C {s} {d}." for d in range(7) for s in range(3)]
    (tmp_path / "texts.csv").write_text("\n".join(lines), encoding="utf-8")
    planned = ("--like", "esa", "--studies", 20, "--goal", "better:cedar,alder", "--json")
    from_file = lanner("plan", "texts.csv", *planned).envelope["rows"]
    lanner("new", "study", "--texts", "texts.csv", "--protocol", "da", "--judges", 2)
    assert lanner("plan", "study", *planned).envelope["rows"] == from_file, "a campaign that nobody has judged yet"
    design = next(row for row in from_file if row.get("kind") == "design")
    assert [design[name] for name in ("documents", "sentences", "judges", "systems")] == [7, 3, 4, 3]
    assert "no system 'ash'" in lanner("plan", "texts.csv", "--like", "esa", "--goal", "better:ash,alder").err
