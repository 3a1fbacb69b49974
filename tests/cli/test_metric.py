from pathlib import Path

import pytest

from cli.command import Command
from data_sets import data_dir
from lanner import formats
from lanner.model import Judge, JudgeKind, Judgement
from metrics.texts import documents


def texts(path: Path) -> Path:
    people = [
        Judgement("ann", "segment", "score", d.id, s.id, (system,), 90.0 - 40 * (system == "bad") - place)
        for d in documents() for place, s in enumerate(d) for system in ("good", "bad")
    ]  # fmt: skip
    formats.write("native", path, documents(), people, [Judge("ann", JudgeKind.PERSON)])
    return path


def test_scores_with_intervals_and_how_they_were_made(lanner: Command, tmp_path: Path) -> None:
    envelope = lanner("metric", "bleu", "chrf", texts(tmp_path / "t.jsonl"), "--json").envelope
    rows = envelope["rows"]
    assert [(row["metric"], row["system"]) for row in rows] == [
        ("BLEU-refA", "good"), ("BLEU-refA", "bad"), ("chrF-refA", "good"), ("chrF-refA", "bad"),
    ]  # fmt: skip
    assert all(row["low"] <= row["value"] <= row["high"] and row["n"] == 3 for row in rows)
    assert "tok:13a" in rows[0]["signature"]


def test_what_is_kept_can_be_compared_with_people(lanner: Command, tmp_path: Path) -> None:
    given = texts(tmp_path / "t.jsonl")
    said = lanner("metric", "bleu", "d-bleu", given, "--out", "scored.jsonl").out
    assert "lanner scores scored.jsonl --question score --judges BLEU-refA" in said
    kept = formats.read("scored.jsonl")[0]
    assert {judge.id: str(judge.kind) for judge in kept.judges} == {
        "ann": "person", "BLEU-refA": "metric", "d-BLEU-refA": "metric",
    }  # fmt: skip
    ranked = lanner("metaeval", "scored.jsonl", "--gold", "ann", "--json").envelope["rows"]
    assert {row["metric"]: row["sys_pairwise_accuracy"] for row in ranked}["BLEU-refA"] == 1


def test_the_layout_of_mt_metrics_eval(lanner: Command, tmp_path: Path) -> None:
    lanner("metric", "bleu", texts(tmp_path / "t.jsonl"), "--out", "scored")
    files = Path("scored/metric-scores/de-en")
    assert len(files.joinpath("BLEU-refA.seg.score").read_text("utf-8").splitlines()) == 12
    assert files.joinpath("BLEU-refA.sys.score").read_text("utf-8").startswith("good\t")
    rows = lanner("metaeval", "scored", "--gold", "ann", "--json").envelope["rows"]
    assert [row["metric"] for row in rows] == ["BLEU-refA"]


def test_scores_are_stored_as_judgements_beside_those_of_people(lanner: Command, tmp_path: Path) -> None:
    said = lanner("metric", "bleu", "d-bleu", texts(tmp_path / "t.jsonl"), "--save", "automatic").out
    assert "Stored 36 scores as the campaign automatic" in said  # 12 of a person, 12 + 6 of BLEU, 6 of d-BLEU
    rows = lanner("metaeval", "automatic", "--gold", "ann", "--json").envelope["rows"]
    assert (rows[0]["metric"], rows[0]["sys_pairwise_accuracy"]) == ("BLEU-refA", 1)
    ranked = lanner("scores", "automatic", "--judges", "BLEU-refA", "--json").envelope["rows"]
    assert [row["system"] for row in ranked] == ["good", "bad"]
    again = lanner("metric", "chrf", "automatic", "--json").envelope["rows"]  # a campaign's texts can be rated too
    assert [row["system"] for row in again] == ["good", "bad"]


def test_mistakes_are_told(lanner: Command, tmp_path: Path) -> None:
    given = texts(tmp_path / "t.jsonl")
    assert "There is no metric 'blue'" in lanner("metric", "blue", given).err
    assert "Name one metric or more" in lanner("metric", given).err
    assert "There is no pair 'en-fr'" in lanner("metric", "bleu", given, "--lp", "en-fr").err
    assert "d-bleu" in lanner("metric", "--list").out


@pytest.mark.data
def test_bleu_of_wmt23_is_what_was_published(lanner: Command) -> None:
    folder = data_dir("mtme/wmt23")
    lines = folder.joinpath("metric-scores/en-de/BLEU-refA.sys.score").read_text("utf-8").splitlines()
    published = {system: float(score) for system, score in (line.split("\t") for line in lines)}
    wanted = ",".join(list(published)[:2])
    rows = lanner("metric", "bleu", folder, "--systems", wanted, "--references", "refA", "--json").envelope["rows"]
    assert {row["system"]: row["value"] for row in rows} == pytest.approx({s: published[s] for s in wanted.split(",")})
