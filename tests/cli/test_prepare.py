from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from cli.command import Command
from data_sets import data_dir
from lanner import campaign, formats
from lanner.cli.output import Output
from lanner.cli.prepare import PreparationJob
from lanner.corpus import recipe, verify
from lanner.errors import InputError, LannerError
from lanner.model import Document
from lanner.store import Store

SOURCE = "The council met on Tuesday. It was late. Nobody had expected the vote to be so close, least of all the mayor."
TARGET = "Der Rat trat am Dienstag spät zusammen. Mit einer so knappen Abstimmung hatte niemand gerechnet."
TEXT = "document,segment,source,target\nd,1,One here. Two there.,Eins hier. Zwei dort.\nd,2,Three.,Drei.\n"


def test_a_corpus_a_manifest_and_the_same_bytes_again(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    assert lanner("prepare", "t.csv", "--out", "one.jsonl").code == 0
    assert lanner("prepare", "t.csv", "--out", "two.jsonl").code == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    [document] = [json.loads(line) for line in (tmp_path / "one.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [segment["source"] for segment in document["segments"]] == ["One here.", "Two there.", "Three."]
    made = json.loads((tmp_path / "one.manifest.json").read_text(encoding="utf-8"))
    assert made["inputs"][0]["sha256"]
    rows = lanner("prepare", "t.csv", "--out", "one.jsonl", "--json").envelope["rows"]
    assert [(row["set"], row["segments"]) for row in rows if row["domain"] == "All"] == [
        ("original", 2),
        ("prepared", 3),
    ]


def test_the_table_alone_and_as_latex(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    rows = lanner("prepare", "t.csv", "--describe-only", "--json").envelope["rows"]
    assert rows[0]["segments"] == 2
    assert r"\toprule" in lanner("prepare", "t.csv", "--describe-only", "--latex").out
    assert not (tmp_path / "t-sentences.jsonl").exists()


def test_corrections_by_hand_are_taken_back(lanner: Command, tmp_path: Path) -> None:
    text = f'document,segment,source,target\nd,1,"{SOURCE}","{TARGET}"\n'
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    lanner("prepare", "t.csv", "--out", "c.jsonl")
    sheet = tmp_path / "c.doubtful.csv"
    rows = verify.load(sheet)
    assert len(rows) == 2
    rows[0]["action"] = "merge"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    again = lanner("prepare", "t.csv", "--out", "c.jsonl", "--verified", sheet, "--by", "a judge")
    assert "edits 1" in again.out
    [document] = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [segment["source"] for segment in document["segments"]] == [SOURCE]
    made = json.loads((tmp_path / "c.manifest.json").read_text(encoding="utf-8"))
    assert made["edits"][0]["by"] == "a judge"


def test_edits_of_the_page_come_before_those_of_the_list(lanner: Command, tmp_path: Path) -> None:
    text = f'document,segment,source,target\nd,1,"{SOURCE}","{TARGET}"\nd,2,"{SOURCE}","{TARGET}"\n'
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    lanner("prepare", "t.csv", "--out", "c.jsonl")
    sheet, log = tmp_path / "c.doubtful.csv", tmp_path / "c.edits.jsonl"
    log.write_text('{"kind": "merge", "document": "d", "segment": "1.1", "by": "Ana"}\n', encoding="utf-8")
    plain = lanner("prepare", "t.csv", "--out", "c.jsonl")
    assert "1 edits that are not made here" in plain.out + plain.err
    assert lanner("prepare", "t.csv", "--out", "c.jsonl", "--edits", log).code == 0
    rows = verify.load(sheet)
    assert "1.2" not in {row["row"] for row in rows}
    for row in rows:
        row["action"] = "accept"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    again = lanner("prepare", "t.csv", "--out", "c.jsonl", "--verified", sheet)
    assert again.code == 0, again.err
    made = json.loads((tmp_path / "c.manifest.json").read_text(encoding="utf-8"))
    assert [(edit["kind"], edit["by"]) for edit in made["edits"]][:2] == [("merge", "Ana"), ("accept", "")]
    assert made["doubtful"] == 0
    corpus = (tmp_path / "c.jsonl").read_bytes()
    assert lanner("prepare", "t.csv", "--out", "e.jsonl", "--edits", tmp_path / "c.manifest.json").code == 0
    assert (tmp_path / "e.jsonl").read_bytes() == corpus


def test_an_unknown_recipe(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    ran = lanner("prepare", "t.csv", "--recipe", "sentence")
    assert ran.code == 2
    assert "sentences" in ran.err


@pytest.mark.data
def test_the_original_row_of_the_published_table(lanner: Command) -> None:
    rows = lanner("prepare", data_dir("wmt24"), "--describe-only", "--json").envelope["rows"]
    counts = {row["domain"]: (row["documents"], row["segments"]) for row in rows if row.get("documents") is not None}
    assert counts["literary"] == (8, 206)
    assert counts["news"] == (17, 149)
    assert counts["social"] == (34, 531)
    assert counts["speech"] == (111, 111)
    assert counts["All"] == (171, 998)


def test_hard_texts_are_drawn_and_scores_corrected_for_it(lanner: Command, tmp_path: Path) -> None:
    lines = ["document,segment,source,target:one,target:two"]
    for number in range(30):
        words = "She gave Zyx Quorvel of Kassel it in 1987, too" if number % 3 == 0 else "the cat sat on the mat today"
        lines += [f'd{number},{at},"{words} {number}",Satz {at},Satz {number}' for at in range(2)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    more = ("--difficult", 24, "--criteria", "source,context,diversity", "--out", "hard.jsonl", "--languages", "en-de")
    ran = lanner("prepare", "t.csv", *more)
    assert ran.code == 0, ran.err
    assert "lanner scores --selection corrects for it" in ran.out
    documents = [json.loads(line) for line in (tmp_path / "hard.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(0 < one["meta"]["selection"]["probability"] <= 1 for one in documents)
    everything = lanner("prepare", "t.csv", "--difficult", 60, "--languages", "en-de", "--out", "all.jsonl").out
    assert "got 60 sentences in 30 documents" in everything
    assert "chosen by criteria" not in everything, "nothing was left out"
    assert "no criterion 'hardness'" in lanner("prepare", "t.csv", "--difficult", 9, "--criteria", "hardness").err
    assert "Name each criterion once" in lanner("prepare", "t.csv", "--difficult", 9, "--criteria", "").err

    lanner("new", "study", "--texts", "hard.jsonl", "--protocol", "da", "--judges", "ana,bo", "--store", "s.db")
    with Store.open(tmp_path / "s.db") as store:
        campaign.open(store, "study")
        for task in campaign.tasks(store, "study", "ana"):
            for at, item in enumerate(task.items):
                value = (30 if int(item.document[1:]) % 3 == 0 else 80) + at
                campaign.submit(store, task.id, at, {"score": value}, submission=f"{task.id}-{at}")
    plain = lanner("scores", "study", "--store", "s.db")
    assert "chosen for difficulty" in plain.out
    rows = lanner("scores", "study", "--store", "s.db", "--selection", "--json").envelope["rows"]
    corrected = [row for row in rows if row.get("kind") == "corrected"]
    weights = {one["id"]: 1 / one["meta"]["selection"]["probability"] for one in documents}
    expected = sum(w * (2 * (30 if int(d[1:]) % 3 == 0 else 80) + 1) for d, w in weights.items())
    assert corrected[0]["value"] == pytest.approx(expected / (2 * sum(weights.values())))
    assert corrected[0]["chosen"] < corrected[0]["value"], "the chosen texts are the hard ones"
    assert "main items by people" in corrected[0]["signature"] and "Hájek" in corrected[0]["signature"]
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 100 for row in corrected)
    assert "chosen for difficulty" in lanner("campaign", "check", "study", "--store", "s.db").out
    assert lanner("report", "study", "--store", "s.db", "--out", "report", "--svg-only").code == 0
    report = next((tmp_path / "report").rglob("*.html")).read_text(encoding="utf-8")
    assert report.count("Documents were chosen for difficulty") == 1, "one sentence, at its head"
    text = next((tmp_path / "report").rglob("corrected-score.csv")).read_text(encoding="utf-8")
    table = csv.DictReader(text.splitlines())
    assert {row["system"]: float(row["value"]) for row in table if not row["other"]} == {
        row["system"]: pytest.approx(row["value"]) for row in corrected
    }
    pairs = lanner("scores", "study", "--store", "s.db", "--selection", "--head-to-head")
    assert "as answered, not standardised, corrected for how documents were chosen" in pairs.out


def job(folder: Path, recipe_name: str | Path = "sentences") -> PreparationJob:
    path = folder / "t.en-de.csv"
    path.write_text(f'document,segment,source,target\nd,1,"{SOURCE}","{TARGET}"\n', encoding="utf-8")
    return PreparationJob(Output("prepare", True), path, None, recipe.load(recipe_name), None, (), folder / "c.jsonl")


def test_the_list_of_doubtful_rows_comes_and_goes(tmp_path: Path) -> None:
    prepared = job(tmp_path)
    sheet = tmp_path / "c.doubtful.csv"
    assert prepared.write([]).doubtful
    rows = verify.load(sheet)
    done = tmp_path / "done.csv"
    verify.save(done, lambda: [{**row, "action": "accept"} for row in rows])
    edits = prepared.edits_of(done, [], "Ana")
    assert {(edit.kind, edit.by) for edit in edits} == {("accept", "Ana")}
    assert prepared.write(edits).doubtful == 0
    assert not sheet.exists()
    assert [len(d.segments) for d in formats.read_documents(tmp_path / "c.jsonl")] == [2]


def test_running_without_writing_gathers_what_is_in_doubt(tmp_path: Path) -> None:
    doubtful: list[tuple[Document, object]] = []
    job(tmp_path).run([], doubtful)  # type: ignore[arg-type]
    assert [document.id for document, _ in doubtful] == ["d"]
    assert not (tmp_path / "c.jsonl").exists()


def test_a_mistake_in_the_list_is_shown_with_its_file_and_line(tmp_path: Path) -> None:
    prepared = job(tmp_path)
    prepared.write([])
    sheet = tmp_path / "c.doubtful.csv"
    sheet.write_text(sheet.read_text(encoding="utf-8").replace("d,'1.1,", "d,'9.1,"), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        prepared.edits_of(sheet, [], "")
    assert (Path(str(caught.value.where.file)), caught.value.where.line) == (sheet, 2)


def test_nothing_left_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "none.toml").write_text(
        'name = "none"\n[[step]]\ndo = "filter"\nrules = ["too_long"]\nmax_words = 1\naction = "drop"\n'
    )
    with pytest.raises(LannerError, match="Nothing is left"):
        job(tmp_path, tmp_path / "none.toml").write([])
    assert not (tmp_path / "c.jsonl").exists()


def test_systems_are_chosen_by_any_metric_that_lanner_has(tmp_path: Path) -> None:
    recipes = tmp_path / "best.toml"
    recipes.write_text('name = "best"\n[[step]]\ndo = "choose"\nbest = 1\nmetric = "d-chrf"\n', encoding="utf-8")
    rows = "".join(
        f"d{n},1,Source {n}.,The cat sat on mat {n}.,The cat sat on mat {n}.,Dogs run far away.\n" for n in range(3)
    )
    texts = tmp_path / "t.csv"
    texts.write_text(f"document,segment,source,reference,output:good,output:bad\n{rows}", encoding="utf-8")
    how = recipe.load(recipes)
    PreparationJob(Output("prepare", True), texts, None, how, None, (), tmp_path / "c.jsonl").write([])
    kept = {system for d in formats.read_documents(tmp_path / "c.jsonl") for system in d.systems}
    assert kept == {"good"}
    recipes.write_text(recipes.read_text(encoding="utf-8").replace("d-chrf", "comet"), encoding="utf-8")
    with pytest.raises(LannerError, match="COMET needs the weights"):
        PreparationJob(
            Output("prepare", True), texts, None, recipe.load(recipes), None, (), tmp_path / "c.jsonl"
        ).write([])
