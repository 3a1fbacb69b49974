"""What judges made of a model's marks, against the same numbers worked out with pandas from the exported table."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import t

from lanner import campaign, formats
from lanner.analysis.agreement import INFLATED, agreements
from lanner.analysis.assistance import FATES, Assistance, assistance, assistance_words
from lanner.analysis.material import Material, from_campaign, from_file
from lanner.model import Document, Judge, JudgeKind, Segment
from lanner.reports.export import export, export_as
from lanner.stats.resample import Resampling
from lanner.store import Store

SYSTEMS = ("A", "B")
JUDGES = ("ana", "ben")
WORDS = "alpha beta gamma delta epsilon zeta eta theta"
MODEL = Judge("gemba", kind=JudgeKind.MODEL)


def mark(word: str, severity: str = "minor") -> dict[str, object]:
    start = WORDS.index(word)
    return {"side": "target", "start": start, "end": start + len(word), "severity": severity}


def texts() -> list[Document]:
    segments = tuple(Segment(str(n), "source", dict.fromkeys(SYSTEMS, WORDS)) for n in range(2))
    return [Document(f"d{n}", segments, "de", "en") for n in range(15)]


def answer(marks: list[dict[str, object]], rng: Random, *, assisted: bool) -> tuple[list[dict[str, object]], float]:
    """A judge who keeps two of three of the model's marks, changes or removes the others, and adds some; without help
    marks other words, and takes longer."""
    if not assisted:
        return [mark(word, "major") for word in rng.sample(WORDS.split(), 2)], 30 + 10 * rng.random()
    kept = []
    for one in marks:
        fate = rng.random()
        if fate < 0.8:
            kept.append(one if fate < 0.6 else {**one, "severity": "major"})
    added = [mark("theta")] if rng.random() < 0.4 else []
    return kept + added, 10 + 10 * rng.random()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = Store.open(tmp_path_factory.mktemp("assistance") / "store.db")
    fill(store)
    return store


def fill(store: Store) -> None:
    """A model's campaign, and one in which two people start from its marks."""
    rng = Random(5)
    campaign.create(store, "models", texts(), "esa", [MODEL])
    campaign.open(store, "models")
    own = [
        campaign.Submission(task.id, place, {"errors": marks, "score": 50}, f"m{task.id}-{place}")
        for task in campaign.tasks(store, "models", "gemba")
        for place in range(len(task.items))
        for marks in [[mark(word) for word in rng.sample(["alpha", "beta", "gamma"], rng.randrange(3))]]
    ]
    campaign.submit_many(store, own)
    settings = {"prefill": {"model": "gemba", "from": "models", "unassisted": 0.3}}
    people = [Judge(name) for name in JUDGES]
    campaign.create(store, "people", texts(), "esa", people, settings=settings, seed=2)
    campaign.open(store, "people")
    documents = {document.id: document for document in campaign.documents(store, "people")}
    given = []
    for name in JUDGES:
        for task in campaign.tasks(store, "people", name):
            for place, item in enumerate(task.items):
                segment = documents[item.document].segment(item.segment)
                assert segment is not None
                offered = segment.meta.get("spans", {}).get(item.systems[0])
                marks = [{k: v for k, v in one.items() if k not in ("model", "question")} for one in offered or ()]
                spans, seconds = answer(marks, rng, assisted=offered is not None)
                values = {"errors": spans, "score": rng.randrange(100)}
                given.append(
                    campaign.Submission(task.id, place, values, f"{name}{task.id}-{place}", seconds + 5, seconds)
                )
    assert not [saved for saved in campaign.submit_many(store, given) if isinstance(saved, Exception)]


@pytest.fixture(scope="module")
def material(store: Store) -> Material:
    return from_campaign(store, "people")


@pytest.fixture(scope="module")
def result(material: Material) -> Assistance:
    (only,) = assistance(material, resampling=Resampling(n=100))
    return only


@pytest.fixture(scope="module")
def rows(material: Material, tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The exported table, as somebody with pandas has it."""
    path = tmp_path_factory.mktemp("export") / "people.csv"
    export(material, path)
    table = pd.read_csv(path, keep_default_na=False)
    table["spans"] = [json.loads(text) if text else None for text in table["spans"]]
    return table[table["question"] == "errors"].reset_index(drop=True)


def test_the_share_kept_changed_and_removed(result: Assistance, rows: pd.DataFrame) -> None:
    marks = pd.DataFrame(
        [
            {"document": document, "origin": span["origin"], "model": span.get("model")}
            for document, spans in zip(rows["document"], rows["spans"], strict=True)
            for span in spans
        ]
    )
    offered = marks[marks["origin"] != "added"]
    assert set(offered["model"]) == {"gemba"}
    (entry,) = result.models
    assert (entry.model, entry.offered) == ("gemba", len(offered))
    for fate in FATES:
        share = (offered["origin"] == fate).mean()
        estimate = entry.fates[fate]
        assert estimate.value == pytest.approx(share)
        assert estimate.low is not None and estimate.low < share < estimate.high  # type: ignore[operator]
    assisted = rows[rows["help"] == "offered"]
    added = [sum(span["origin"] == "added" for span in spans) for spans in assisted["spans"]]
    assert result.added.value == pytest.approx(np.mean(added))


def standing(spans: list[dict[str, object]]) -> int:
    return sum(span["origin"] != "removed" for span in spans)


def jackknife(table: pd.DataFrame, of: str, over: str) -> float:
    """The standard error of assisted minus unaided, leaving out one document at a time."""

    def difference(part: pd.DataFrame) -> float:
        sums = part.groupby("help")[[of, over]].sum()
        ratio = sums[of] / sums[over]
        return float(ratio["offered"] - ratio["withheld"])

    documents = table["document"].unique()
    values = np.array([difference(table[table["document"] != document]) for document in documents])
    whole = difference(table)
    steps = values - whole
    n = len(documents)
    return float(np.sqrt((n - 1) / n * (np.sum(steps**2) - np.sum(steps) ** 2 / n)))


def test_assisted_and_unaided_items_compared(result: Assistance, rows: pd.DataFrame) -> None:
    table = rows[["document", "help"]].assign(
        marks=[standing(spans) for spans in rows["spans"]], seconds=rows["active"].astype(float), one=1.0
    )
    by_name = {comparison.measure: comparison for comparison in result.comparisons}
    for name in ("marks", "seconds"):
        means = table.groupby("help")[name].mean()
        comparison = by_name[name]
        assert comparison.assisted.value == pytest.approx(means["offered"])
        assert comparison.unaided.value == pytest.approx(means["withheld"])
        difference = comparison.difference
        assert difference.value == pytest.approx(means["offered"] - means["withheld"])
        assert difference.interval is not None
        freedom = table[table["help"] == "withheld"]["document"].nunique() - 1
        reach = t.ppf(0.975, freedom) * jackknife(table, name, "one")
        assert difference.high - difference.value == pytest.approx(reach)  # type: ignore[operator]
        assert difference.counts["items"] == len(table)
        assert "interval" in str(difference.signature) and "rows" in str(difference.signature)


def characters(spans: list[dict[str, object]]) -> set[int]:
    """Every character that is marked."""
    left = [span for span in spans if span.get("origin") != "removed"]
    return {at for span in left for at in range(int(str(span["start"])), int(str(span["end"])))}


def test_agreement_with_the_model_where_it_was_shown_and_where_not(
    result: Assistance, rows: pd.DataFrame, store: Store
) -> None:
    model = {
        (entry.document, entry.segment, entry.systems[0]): entry.value
        for entry in campaign.judgements(store, "models")
        if entry.question == "errors"
    }
    records = []
    for _, row in rows.iterrows():
        own = characters(row["spans"])
        theirs = characters(model[str(row["document"]), str(row["segment"]), str(row["system"])])
        records.append((row["help"], 2 * len(own & theirs), len(own) + len(theirs)))
    table = pd.DataFrame(records, columns=["help", "shared", "total"]).groupby("help").sum()
    f1 = table["shared"] / table["total"]
    comparison = result.comparisons[2]
    assert comparison.measure == "agreement with the model"
    assert comparison.assisted.value == pytest.approx(f1["offered"])
    assert comparison.unaided.value == pytest.approx(f1["withheld"])
    assert comparison.difference.low is not None and comparison.difference.low > 0, "judges here rely on the model"


def test_judges_agree_more_where_they_start_from_the_same_marks_and_it_is_said(
    result: Assistance, material: Material
) -> None:
    f1 = next(entry for entry in result.judges if entry.measure == "span F1 between judges")
    assert f1.assisted.value is not None and f1.unaided.value is not None
    assert f1.assisted.value > f1.unaided.value
    assert material.protocol is not None
    found = {entry.plan.id: entry for entry in agreements(material.counted(), material.protocol)}
    headline = found["errors"]
    assert INFLATED in headline.headline.notes
    assert headline.unaided is not None and INFLATED not in headline.unaided.notes
    unaided = material.counted().table.filter(help="withheld", question="errors")
    assert headline.unaided.counts["items"] == unaided.select("document", "segment", "system").n_unique()
    assert headline.headline.counts["items"] > headline.unaided.counts["items"] > 0


def test_marks_that_were_not_kept_count_in_nothing_else(material: Material, rows: pd.DataFrame) -> None:
    table = material.table.filter(question="errors")
    exported = [standing(spans) for spans in rows["spans"]]
    assert [len(json.loads(text)) for text in table["spans"]] == exported
    assert sum(len(spans) for spans in rows["spans"]) > sum(exported), "files keep them"


def test_the_sources_survive_an_export_that_is_read_back(
    material: Material, result: Assistance, tmp_path: Path
) -> None:
    export_as(material, "native", tmp_path / "people")
    (again,) = from_file(tmp_path / "people")
    (same,) = assistance(again, resampling=Resampling(n=100))
    assert [row["value"] for row in same.to_rows()] == [row["value"] for row in result.to_rows()]


def test_other_tools_get_the_marks_that_stand(material: Material, rows: pd.DataFrame, tmp_path: Path) -> None:
    export_as(material, "wmt_mqm", tmp_path / "people.tsv")
    readings = formats.read(tmp_path / "people.tsv", "wmt_mqm")
    marks = [span for reading in readings for entry in reading.judgements for span in entry.value or ()]
    assert len(marks) == sum(standing(spans) for spans in rows["spans"])


def test_the_numbers_in_words(result: Assistance) -> None:
    sentences = " ".join(assistance_words(result))
    assert "marks of gemba" in sentences and "rely on it" in sentences
    assert "less (difference −" in sentences and " s, 95 %)" in sentences, "faster here, by seconds and not per cent"


def test_the_level_in_words_is_that_of_the_interval(material: Material) -> None:
    [narrow] = assistance(material, resampling=Resampling(n=200, level=0.9))
    assert " s, 90 %)" in " ".join(assistance_words(narrow))


def test_nothing_is_said_where_nobody_was_helped(store: Store) -> None:
    assert assistance(from_campaign(store, "models")) == []


def test_marks_that_nobody_has_looked_at_are_no_answer(store: Store, tmp_path: Path) -> None:
    """A judge who comments on a sentence before looking at its marks has not said that nothing is wrong with it."""
    campaign.create(store, "begun", texts()[:3], "mqm", [MODEL, Judge("ana")])
    campaign.open(store, "begun")
    category = next(q for _, q in campaign.protocol(store, "begun").questions if q.id == "errors").categories[-1]
    one = {**mark("alpha", "major"), "category": category.id}
    for task in campaign.tasks(store, "begun", "gemba"):
        for place in range(len(task.items)):
            marks = [one, {**one, **mark("beta")}]
            campaign.submit(store, task.id, place, {"errors": marks}, submission=f"{task.id}-{place}")
    campaign.prefill(store, "begun", "gemba", unassisted=0)
    (task, *_) = campaign.tasks(store, "begun", "ana")
    waiting = {**one, "origin": "offered"}
    campaign.submit(store, task.id, 0, {"errors": [waiting]}, submission="waiting", active=7)
    campaign.submit(store, task.id, 1, {"errors": [one]}, submission="looked at", active=9)
    material = from_campaign(store, "begun")
    own = material.table.filter(pl.col("judge") == "ana")
    answers = own.filter(pl.col("question") == "errors", pl.col("spans").is_not_null())
    assert answers["segment"].to_list() == [task.items[1].segment]
    scores = own.filter(pl.col("stage") == "score")
    assert set(scores["segment"]) == {task.items[1].segment}, "no error is a perfect score, and nobody gave it"
    (result,) = assistance(material)
    assert result.comparisons[1].assisted.value == 9, "nor is its time that of a finished item"
    export(material, tmp_path / "begun.csv")
    table = pd.read_csv(tmp_path / "begun.csv", keep_default_na=False)
    assert dict(zip(table["judge"], table["help"], strict=True)) == {"gemba": "", "ana": "offered"}
    exported = table[table["judge"] == "ana"]
    assert set(exported[exported["stage"] == "score"]["segment"]) == {int(task.items[1].segment)}
    assert "offered" in exported["spans"].str.cat(), "files keep the marks as they are"
    export_as(material, "label_studio", tmp_path / "begun.json")
    (reading,) = formats.read(tmp_path / "begun.json", "label_studio")
    assert {entry.segment for entry in reading.judgements if entry.judge == "ana" and entry.value is not None} == {
        task.items[1].segment
    }
