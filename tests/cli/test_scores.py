from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.command import Command
from data_sets import data_dir
from lanner import campaign, load, protocols, scores
from lanner.errors import InputError
from lanner.judges.simulated import Temper, fill
from lanner.model import Document, Judge, Segment
from lanner.reports.build import build
from lanner.store import Store

EN_ZH = {
    "GPT-4": (90.399, 91.217), "Unbabel-Tower70B": (89.766, 89.958), "Gemini-1.5-Pro": (89.377, 87.855),
    "Claude-3.5": (89.156, 89.116), "ONLINE-B": (88.410, 88.849), "refA": (88.181, 88.089),
    "CommandR-plus": (88.180, 89.125), "IKUN": (87.734, 85.899), "IOL-Research": (87.456, 86.855),
    "Aya23": (86.175, 85.047), "Llama3-70B": (86.089, 86.131), "HW-TSC": (85.137, 85.071), "IKUN-C": (81.709, 82.493),
}  # fmt: skip


@pytest.mark.data
def test_wmt24_as_it_was_made(lanner: Command) -> None:
    folder = data_dir("wmt24")
    file, documents = folder / "humeval" / "esa_generalMT2024_wave3.csv", folder / "documents" / "en-es.docs"
    arguments = ("scores", file, "--lp", "en-zh", "--documents", documents, "--preset", "wmt24-esa")
    envelope = lanner(*arguments, "--json").envelope
    rows = envelope["rows"]
    assert [row["system"] for row in rows] == list(EN_ZH)
    assert {row["system"]: (round(row["score"], 3), round(row["micro"], 3)) for row in rows} == EN_ZH
    assert [(row["rank_low"], row["rank_high"]) for row in rows[:4]] == [(1, 4), (1, 6), (3, 6), (3, 4)]
    assert {(row["cluster"], row["n"]) for row in rows} == {(1, 337)}
    assert "stouffer by domain" in envelope["signature"]


@pytest.mark.data
def test_every_segment_and_every_pair(lanner: Command) -> None:
    file = data_dir("mqm") / "mqm_ted_ende.tsv"
    segments = lanner("scores", file, "--level", "segment", "--json").envelope["rows"]
    assert len(segments) == 7406
    assert {"system", "document", "segment", "score"} <= set(segments[0])
    pairs = lanner("scores", file, "--head-to-head", "--preset", "wmt21-mqm", "--json").envelope["rows"]
    assert len(pairs) == 14 * 13 / 2


@pytest.mark.data
def test_an_appraise_export_ranks_and_clusters(lanner: Command) -> None:
    ran = lanner("scores", data_dir("esa-appraise") / "240315rc5ESA.scores.csv")
    assert ran.code == 0
    assert "refA" in ran.out
    assert "document means" in ran.out


def wmt23(place: Path) -> Path:
    """The released folder with one metric instead of seventy."""
    released, folder = data_dir("mtme") / "wmt23", place / "wmt23"
    (folder / "metric-scores" / "en-de").mkdir(parents=True)
    for name in ("sources", "documents", "references", "system-outputs", "human-scores"):
        (folder / name).symlink_to(released / name)
    for file in (released / "metric-scores" / "en-de").glob("BLEU-refA.*"):
        (folder / "metric-scores" / "en-de" / file.name).symlink_to(file)
    return folder


@pytest.mark.data
def test_mqm_ratings_of_wmt23_give_the_released_scores_of_systems(lanner: Command, tmp_path: Path) -> None:
    folder = wmt23(tmp_path)
    released = dict(
        line.split("\t") for line in (folder / "human-scores" / "en-de.mqm.sys.score").read_text().splitlines()
    )
    rows = lanner("scores", folder, "--part", "en-de.mqm.merged", "--preset", "wmt23-mqm", "--json").envelope["rows"]
    assert {row["system"]: -row["score"] for row in rows} == pytest.approx({k: float(v) for k, v in released.items()})
    assert {row["n"] for row in rows} == {460}


@pytest.mark.data
def test_published_scores_are_ranked_by_the_scorer_that_is_named(lanner: Command, tmp_path: Path) -> None:
    folder = wmt23(tmp_path)
    ran = lanner("scores", folder, "--lp", "en-de")
    assert (ran.code, "--judges" in ran.err, "da-sqm, mqm" in ran.err) == (2, True, True)
    rows = lanner("scores", folder, "--lp", "en-de", "--judges", "da-sqm", "--json").envelope["rows"]
    assert [(row["system"], round(row["score"], 3)) for row in rows[:2]] == [
        ("GPT4-5shot", 88.961),
        ("ONLINE-B", 88.833),
    ]


@pytest.mark.data
def test_several_pairs_need_a_choice(lanner: Command) -> None:
    file = data_dir("wmt24") / "humeval" / "esa_generalMT2024_wave3.csv"
    ran = lanner("scores", file)
    assert (ran.code, "several parts" in ran.err, "--languages" in ran.err) == (2, True, True)
    ran = lanner("scores", file, "--lp", "en-de")
    assert (ran.code, "no pair 'en-de'" in ran.err) == (2, True)


def test_a_campaign_by_the_plan_of_its_protocol(lanner: Command) -> None:
    texts = [
        Document(f"d{n}", (Segment("1", "The tide.", {"oak": f"Die Flut {n}.", "elm": f"Ebbe {n}."}),), "en", "de")
        for n in range(8)
    ]
    with Store.open("lanner.sqlite") as store:
        campaign.create(store, "pilot", texts, protocols.load("esa"), [Judge("a"), Judge("b")], design="full", seed=1)
        campaign.open(store, "pilot")
        fill(store, "pilot", {"a": Temper(), "b": Temper()}, {"oak": 0.9, "elm": 0.2}, seed=1)
    envelope = lanner("scores", "pilot", "--json").envelope
    assert "rows main items by people" in envelope["signature"]
    rows = envelope["rows"]
    assert [(row["question"], row["system"], row["n"], row["cluster"]) for row in rows] == [
        ("score", "oak", 8, 1),
        ("score", "elm", 8, 2),
    ]
    assert all(row["low"] < row["score"] < row["high"] for row in rows)


def _ranked_first(path: Path, means: Mapping[str, int], question: str, **options: Any) -> str:
    rows = [
        f"{judge},d{document},{system},{value + (document + len(judge)) % 2}"
        for document in range(12)
        for judge in ("ann", "ben", "carla")
        for system, value in means.items()
    ]
    path.write_text("\n".join([f"judge,document,system,{question}", *rows]))
    return str(scores(path, **options).table.sort("rank")["system"][0])


@pytest.mark.parametrize(
    ("question", "best"),
    [("score", "high"), ("rank", "low"), ("errors", "low"), ("major errors", "low"), ("TER", "low"), ("fun", "high")],
)
def test_the_best_system_stands_first_whichever_way_the_scale_runs(
    lanner: Command, tmp_path: Path, question: str, best: str
) -> None:
    path = tmp_path / "ratings.csv"
    assert _ranked_first(path, {"low": 1, "high": 4}, question) == best
    assert lanner("scores", path, "--json").envelope["rows"][0]["system"] == best
    assert lanner("scores", path, "--json", "--better", "lower").envelope["rows"][0]["system"] == "low"
    assert f"{best} beats" in " ".join(build(load(path)[0]).findings)


def test_a_scale_of_ones_own_protocol_says_which_end_is_better(tmp_path: Path) -> None:
    protocol = tmp_path / "strain.toml"
    text = """
        name = "strain"
        version = "1.0"
        [[stage]]
        id = "rating"
        unit = "sentence_in_context"
        object = "output"
        [[stage.question]]
        id = "strain"
        kind = "scale"
        min = 0
        max = 10
        direction = "lower_is_better"
        [[analysis]]
        statistic = "ranking.systems"
        of = "strain"
        [text.en]
        title = "Strain"
        summary = "How hard a text is to read."
        instructions = "Read the text."
        when_to_use = "In this test."
        stages.rating.title = "Rating"
        questions.strain = { label = "Strain", ask = "How hard?", low = "easy", high = "hard" }
    """
    protocol.write_text(text)
    assert _ranked_first(tmp_path / "r.csv", {"low": 1, "high": 4}, "strain", protocol=str(protocol)) == "low"
    protocol.write_text(text.replace("lower_is_better", "neutral"))
    with pytest.raises(InputError, match="Neither end of strain is better"):
        _ranked_first(tmp_path / "r.csv", {"low": 1, "high": 4}, "strain", protocol=str(protocol))


def test_scores_are_by_people_and_not_by_models(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    rows = [
        f"{judge},{kind},d{document},{system},{value}"
        for document in range(12)
        for judge, kind, values in (("ann", "person", (60, 70)), ("ben", "person", (62, 72)), ("gpt", "model", (95, 5)))
        for system, value in zip("AB", values, strict=True)
    ]
    path.write_text("\n".join(["judge,judge_kind,document,system,points", *rows]))
    table = scores(path).table.sort("system")
    assert table["value"].to_list() == [61.0, 71.0]
    shown = lanner("scores", path, "--json").envelope["rows"]
    assert {row["system"]: row["value"] for row in shown} == {"A": 61.0, "B": 71.0}
