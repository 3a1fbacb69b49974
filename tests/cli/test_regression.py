from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from analysis.test_assistance import fill
from analysis.test_material import falcon_folder
from cli.command import Command
from data_sets import data_dir
from lanner.store import Store


@pytest.mark.data
def test_the_published_model_of_judge_three(lanner: Command) -> None:
    arguments = (
        "regress",
        data_dir("h-falcon"),
        "--outcome",
        "holistic",
        "--blocks",
        "skills,sentence",
        "--judges",
        "judge3",
    )
    skills, both = lanner(*arguments, "--json").envelope["rows"]
    assert (round(skills["value"], 4), round(both["value"], 3)) == (0.0841, 0.608)
    assert both["low"] < both["value"] < both["high"]
    rows = lanner(*arguments, "--coefficients", "--errors", "classical", "--json").envelope["rows"]
    sentence = next(row for row in rows if row["term"] == "sentence")
    assert [round(sentence[key], 2) for key in ("value", "low", "high")] == [1.65, 1.49, 1.82]


@pytest.mark.data
def test_an_unknown_predictor(lanner: Command) -> None:
    ran = lanner("regress", data_dir("h-falcon"), "--outcome", "holistic", "--blocks", "skils")
    assert ran.code == 2
    assert "There is no measure 'skils'" in ran.err


@pytest.mark.data
def test_what_is_explained_is_said_in_words(lanner: Command) -> None:
    asked = ("regress", data_dir("h-falcon"), "--outcome", "holistic", "--blocks", "skills,sentence")
    text = lanner(*asked).out
    assert "judge3: skills + sentence explain 61 % of how holistic varies" in text
    assert "a large effect (Cohen 1988), p < .001" in text
    assert "one more of sentence goes with holistic" in lanner(*asked, "--coefficients", "--by", "-").out


def test_a_group_is_named_beside_the_one_it_is_compared_with(lanner: Command, tmp_path: Path) -> None:
    rows = [f"j,d{at // 4},{at},{'human' if at % 2 else 'mt'},{at % 5 + 3 * (at % 2)}" for at in range(40)]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(["judge,document,segment,system,score", *rows]) + "\n", encoding="utf-8")
    asked = ("regress", file, "--outcome", "score", "--blocks", "system", "--by", "-")
    assert "system mt rather than human goes with score" in lanner(*asked, "--coefficients").out
    assert "system explains" in lanner(*asked).out


def test_a_metric_in_the_table_can_explain_the_scores(lanner: Command, tmp_path: Path) -> None:
    rows = ["judge,document,segment,system,score,comet"]
    for at in range(12):
        rows += [f"{judge},d{at % 4},{at},X,{3 * at + 1},{at}" for judge in ("ana", "ben")]
        rows[-1] = f"ben,d{at % 4},{at},X,{3 * at + 1 + at % 2},{at}"
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    found = lanner("regress", path, "--outcome", "score", "--blocks", "comet", "--coefficients", "--json").envelope
    slopes = {row["judge"]: row["value"] for row in found["rows"] if row["term"] == "comet"}
    assert slopes["ana"] == pytest.approx(3)
    assert slopes["ben"] == pytest.approx(3, abs=0.1)


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    lines = ["judge,document,segment,domain,length,quality"]
    for d in range(20):
        for s in range(3):
            for j, strict in enumerate((0, 6, 12)):
                score = 70 - strict + rng.normal(0, 1) + 4 * (d % 4) + 2 * s
                lines.append(f"j{j},d{d:02},{d}.{s},{'news' if d % 2 else 'talk'},{s},{score:.3f}")
    (tmp_path / "scored.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "scored.csv"


def test_judges_and_documents_have_their_share(lanner: Command, scored: Path) -> None:
    asked = ("regress", scored, "--outcome", "quality", "--blocks", "length", "--mixed")
    text = lanner(*asked).out
    assert "to how strict the judge is" in text
    assert "Predictors, judges and documents together explain" in text
    assert "R² of the fixed effects alone" in text
    for factor in ("judge", "document"):
        assert f"to length counting differently from {factor} to {factor}" in text
    assert "judge:length," not in text
    rows = lanner(*asked, "--json").envelope["rows"]
    shares = {row["term"]: row["share"] for row in rows if row["kind"] == "variance"}
    assert shares["judge"] > shares["document"] > shares["residual"]
    slope = next(row for row in rows if row["term"] == "length")
    assert slope["low"] < 2 < slope["high"]


def test_each_domain_has_its_own_model_and_too_little_is_said(lanner: Command, scored: Path) -> None:
    asked = ("regress", scored, "--outcome", "quality", "--blocks", "length", "--mixed", "--by", "domain")
    rows = lanner(*asked, "--json").envelope["rows"]
    assert {row["domain"] for row in rows} == {"news", "talk"}
    few = scored.with_name("few.csv")
    few.write_text("judge,document,length,quality\na,1,1,5\nb,1,2,5\n", encoding="utf-8")
    assert "too few" in lanner("regress", few, "--outcome", "quality", "--blocks", "length", "--mixed").out


@pytest.mark.data
def test_the_published_correlations(lanner: Command) -> None:
    source = data_dir("h-falcon")
    rows = lanner("associate", source, "--of", "sentence,skill_sum", "--json").envelope["rows"]
    values = [round(row["value"], 3) for row in rows]
    assert values == [0.494, 0.441, 0.413, 0.499, 0.483, 0.378]
    assert all(row["low"] < row["value"] < row["high"] for row in rows)


@pytest.mark.data
def test_two_measures_within_each_judge(lanner: Command) -> None:
    ran = lanner("associate", data_dir("h-falcon"), "--x", "sentence", "--y", "holistic", "--by", "judge", "--json")
    assert {row["judge"] for row in ran.envelope["rows"]} == {"judge2", "judge3"}


def test_nothing_to_correlate(lanner: Command) -> None:
    Path("x.csv").write_text("judge,item,score\na,1,3\nb,1,4\n", encoding="utf-8")
    ran = lanner("associate", "x.csv", "--x", "a")
    assert ran.code == 2
    assert "--question MEASURE" in ran.err
    assert "no file 'y'" in lanner("associate", "y").err
    assert "no judge 'c'" in lanner("associate", "x.csv", "--judges", "a,c").err


def test_the_measures_of_a_plain_table_are_named(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("judge,item,score,label\na,1,3,good\nb,1,4,bad\n", encoding="utf-8")
    assert "Measures here: score, label." in lanner("associate", file).err
    assert "score" in lanner("associate", file, "--x", "score", "--y", "scoer").err


@pytest.mark.data
def test_correlations_are_read_on_a_published_scale(lanner: Command) -> None:
    text = lanner("associate", data_dir("h-falcon"), "--of", "holistic").out
    assert "r 0.65: how close the two come to a straight line" in text
    assert "Schober, Boer & Schwarte 2018" in text


@pytest.mark.data
def test_judging_time_is_a_measure(lanner: Command) -> None:
    asked = ("associate", data_dir("h-falcon"), "--x", "seconds", "--y", "holistic", "--resamples", 100, "--json")
    rows = lanner(*asked).envelope["rows"]
    assert {row["x"] for row in rows} == {"seconds"}
    assert all(row["low"] < row["value"] < row["high"] for row in rows)


def test_words_about_one_of_several_groups_name_it(lanner: Command, table_with_metric: Path) -> None:
    text = lanner("associate", table_with_metric, "--x", "score", "--y", "comet", "--by", "judge").out
    assert "score, comet, ana: r " in text


def test_without_times_it_is_said(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("judge,item,score\na,1,3\nb,1,4\n", encoding="utf-8")
    assert "No times were kept here." in lanner("associate", file, "--x", "score", "--y", "seconds").err


@pytest.fixture
def table_with_metric(tmp_path: Path) -> Path:
    """Two judges who differ, and a metric's score, which is the same on the rows of both."""
    rows = ["judge,document,segment,system,score,comet"]
    for at in range(12):
        for judge, shift in (("ana", 0), ("ben", at % 3)):
            rows.append(f"{judge},d{at % 4},{at},X,{7 * at % 11 + shift},{7 * at % 11 / 20 + 0.01 * (at % 2)}")
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("first", "second"), [("score", "comet"), ("comet", "score")])
def test_a_number_that_no_judge_disputes_is_a_measure_where_it_is_named(
    lanner: Command, table_with_metric: Path, first: str, second: str
) -> None:
    ran = lanner("associate", table_with_metric, "--x", first, "--y", second, "--resamples", 20, "--json")
    table = pl.read_csv(table_with_metric)
    expected = table.select(pl.corr("score", "comet")).item()
    assert ran.envelope["rows"][0]["value"] == pytest.approx(expected)
    assert [note for note in ran.envelope["notes"] if "Columns:" in note and "measure" not in note]
    assert not any("kept as they are: comet" in note for note in ran.envelope["notes"])


def test_judges_do_not_agree_on_what_they_were_not_asked(lanner: Command, table_with_metric: Path) -> None:
    assert "asks 'comet'" in lanner("associate", table_with_metric, "--question", "comet").err
    assert "no measure 'comte'" in lanner("associate", table_with_metric, "--x", "score", "--y", "comte").err


def test_what_a_file_does_not_have_is_missed_as_before(lanner: Command, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("judge,item,score\na,1,3\nb,1,4\n", encoding="utf-8")
    assert "No part of this asks 'comet'" in lanner("associate", file, "--x", "comet", "--y", "score").err


@pytest.mark.data
def test_the_published_throughput(lanner: Command) -> None:
    ran = lanner("effort", data_dir("h-falcon"), "--judges", "judge2,judge3")
    assert ran.code == 0
    assert "0.876" in ran.out
    assert "3 items took longer than 10,000 s" in ran.out


@pytest.mark.data
def test_all_parts_come_in_one_envelope_and_rates_stay_above_zero(lanner: Command) -> None:
    rows = lanner("effort", data_dir("h-falcon"), "--json").envelope["rows"]
    assert {row["part"] for row in rows} == {"evalset", "subset"}
    assert {row["judge"] for row in rows if row["part"] == "subset"} == {"judge2", "judge3"}
    assert all(row["low"] > 0 for row in rows if row["low"] is not None)


@pytest.mark.data
def test_speed_over_the_session(lanner: Command) -> None:
    ran = lanner("effort", data_dir("h-falcon"), "--judges", "judge2", "--fatigue")
    assert "From the first to the last item of a session" in ran.out


def test_of_two_documents_nothing_is_said_of_chance(lanner: Command, tmp_path: Path) -> None:
    """Without a p it was said that a change is no more than chance could give."""
    rows = [f"ana,d{at // 6},{at},mt,{at},{taken}" for at, taken in enumerate([40, 31, 35, 20, 24, 18] * 2)]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(["judge,document,segment,system,score,seconds", *rows]), encoding="utf-8")
    ran = lanner("effort", file, "--fatigue")
    said = " ".join(ran.out.split())
    assert "less time: there is too little to tell whether by chance." in said
    assert "chance could give" not in said


def test_the_bill_and_each_domain(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    asked = ("effort", falcon_folder(tmp_path / "s"))
    assert "seconds of judging at 20 an hour: 0.03 in all" in lanner(*asked, "--rate", 20).out
    assert "items a minute" in lanner(*asked, "--by", "domain").out


def test_slowest_and_fastest_are_those_of_the_medians_that_are_said(lanner: Command, tmp_path: Path) -> None:
    """One long pause made ana the slowest on average, with the shortest median, which was then said of her."""
    seconds = {"ana": [10] * 9 + [900], "bo": [20] * 10, "cy": [20] * 10}
    rows = [
        f"{judge},d{at // 5},{at},mt,{at},{taken}" for judge, own in seconds.items() for at, taken in enumerate(own)
    ]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(["judge,document,segment,system,score,seconds", *rows]), encoding="utf-8")
    said = " ".join(lanner("effort", file).out.split())
    assert "Half of the items take 20 s or less with the slowest (bo, cy), 10 s with the fastest (ana)." in said


def test_what_became_of_a_models_marks(lanner: Command, tmp_path: Path, assisted_store: Path) -> None:
    shutil.copyfile(assisted_store, tmp_path / "lanner.sqlite")
    ran = lanner("effort", "people", "--assistance")
    assert ran.code == 0
    assert "Of " in ran.out and "marks of gemba" in ran.out and "rely on it" in ran.out
    rows = lanner("effort", "people", "--assistance", "--json").envelope["rows"]
    assert {row["what"] for row in rows} >= {"kept", "changed", "removed", "added", "marks", "seconds"}
    assert sum(row["value"] for row in rows if row["what"] in ("kept", "changed", "removed")) == pytest.approx(1)
    ran = lanner("effort", "models", "--assistance")
    assert ran.code == 2 and "--set prefill=MODEL@CAMPAIGN" in ran.err


def test_agreement_says_that_offered_marks_inflate_it(lanner: Command, tmp_path: Path, assisted_store: Path) -> None:
    shutil.copyfile(assisted_store, tmp_path / "lanner.sqlite")
    ran = lanner("agreement", "people", "--resamples", "20", "--json")
    assert any("agree more than they would on their own" in note for note in ran.envelope["notes"])
    rows = [row for row in ran.envelope["rows"] if row["question"] == "errors" and not row.get("judge")]
    whole, unaided = ([row for row in rows if bool(row.get("help")) is state] for state in (False, True))
    assert [(row["sign"], row["part_of_answer"]) for row in whole] == [
        (row["sign"], row["part_of_answer"]) for row in unaided
    ]
    assert all(row["n"] < other["n"] for row, other in zip(unaided, whole, strict=True) if row["n"])
    assert all(row["headline"] is False for row in unaided)


@pytest.fixture(scope="module")
def assisted_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("assisted") / "store.db"
    with Store.open(path) as store:
        fill(store)
    return path


def test_people_and_models_are_not_pooled(lanner: Command, tmp_path: Path) -> None:
    """What a model answered changes no number that judges are pooled for, unless the model is named."""
    rng = random.Random(3)
    rows = []
    for at in range(60):
        for judge, kind in (("ann", "person"), ("bea", "person"), ("gpt", "model")):
            fluency = rng.randint(1, 5)
            quality = 6 - fluency if kind == "model" else min(5, max(1, fluency + rng.choice((-1, 0, 0, 1))))
            rows.append(f"d{at // 6},{at},oak,{judge},{kind},{fluency},{quality}\n")
    head = "document,segment,system,judge,judge_kind,fluency,quality\n"
    (tmp_path / "all.csv").write_text(head + "".join(rows), encoding="utf-8")
    people = [row for row in rows if ",gpt," not in row]
    (tmp_path / "people.csv").write_text(head + "".join(people), encoding="utf-8")
    pair = ("--x", "fluency", "--y", "quality")
    for command in (
        ("regress", "--outcome", "quality", "--blocks", "fluency", "--by", "-"),
        ("regress", "--outcome", "quality", "--blocks", "fluency", "--by", "-", "--coefficients"),
        ("regress", "--outcome", "quality", "--blocks", "fluency", "--mixed"),
        ("associate", *pair),
    ):
        name, *options = command
        mixed_in, alone = (lanner(name, file, *options, "--json").envelope for file in ("all.csv", "people.csv"))
        assert [row["value"] for row in mixed_in["rows"]] == [row["value"] for row in alone["rows"]], command
        assert "rows main items by people ·" in mixed_in["signature"], command
        assert any("answers of other judges do not" in note for note in mixed_in["notes"]), command
    named = lanner("associate", "all.csv", *pair, "--judges", "gpt", "--json").envelope
    assert named["rows"][0]["value"] == pytest.approx(-1)
    assert "rows main items by models" in named["signature"]
