from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from lanner import __version__, formats, protocols
from lanner.analysis.material import Material
from lanner.errors import LannerError
from lanner.model import Document, Judge, Judgement, Role, Segment
from lanner.protocols import guessing
from lanner.reports.export import COLUMNS, codebook, export, export_as, main_score, score_judgements, without_place
from reports.world import material
from web_clients import documents


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_every_format_holds_the_same_rows(tmp_path: Path, suffix: str) -> None:
    made = material("h_falcon")
    path = tmp_path / f"out.{suffix}"
    count = export(made, path)
    if suffix == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        labels = [json.loads(row["labels"]) for row in rows if row["question"] == "skills_chosen"]
    elif suffix == "jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        labels = [row["labels"] for row in rows if row["question"] == "skills_chosen"]
    else:
        rows = pl.read_parquet(path).rows(named=True)
        labels = [row["labels"] for row in rows if row["question"] == "skills_chosen"]
    expected = made.table.filter(question="skills_chosen")["labels"].to_list()
    assert len(rows) == count == made.table.height
    assert labels == expected
    assert (tmp_path / "out.codebook.csv").is_file()


def test_an_unknown_ending_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(LannerError, match=r"Did you mean '.jsonl'"):
        export(material("falcon", documents=1), tmp_path / "out.json")


def test_no_names_of_judges(tmp_path: Path) -> None:
    export(material("falcon"), tmp_path / "out.csv")
    assert "Judge 0" not in (tmp_path / "out.csv").read_text(encoding="utf-8")


def test_the_codebook_explains_every_column_question_and_option() -> None:
    rows = codebook(material("h_falcon"))
    assert {row["id"] for row in rows if row["kind"] == "column"} == set(COLUMNS)
    assert all(row["meaning"] for row in rows)
    values = {row["id"]: row["value"] for row in rows if row["kind"] == "option" and row["of"] == "skills"}
    assert values["high"] == 3


@pytest.mark.parametrize(
    ("name", "file"),
    [("native", "out.jsonl"), ("label_studio", "out"), ("mtme", "out"), ("appraise_scores", "out.csv")],
)
def test_other_formats_have_theirs_beside_them(tmp_path: Path, name: str, file: str) -> None:
    made = material("da")
    export_as(made, name, tmp_path / file)
    with (tmp_path / "out.codebook.csv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    told = {(row["kind"], row["id"]): row["meaning"] for row in rows}
    assert told["version", "lanner"] == __version__
    assert told["format", name] == formats.titles()[name]
    assert made.protocol and made.protocol.hash in told["protocol", made.protocol.label]
    assert ("question", "score") in told and sum(kind == "column" for kind, _ in told) >= 7
    assert list(formats.read(tmp_path / file)), "the codebook is not in the way of reading it again"


def test_nothing_that_native_writes_is_left_unexplained(tmp_path: Path) -> None:
    made = material("h_falcon")
    export_as(made, "native", tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    written = {key for line in lines if "question" in line for key in line}
    assert written <= {row["id"] for row in codebook(made, "native") if row["kind"] == "column"}


PROTOCOL = protocols.load("h_falcon")


def judged_outputs(system: str = "secret-system-one") -> Material:
    def said(judge: str, segment: str, value: int, role: Role = Role.MAIN) -> Judgement:
        return Judgement(judge, "rating", "holistic", "doc0", segment, (system,), value, role)

    given = (said("a", "0", 7), said("a", "1", 3), said("b", "0", 8, Role.CONTROL))
    return Material("trial", PROTOCOL, tuple(documents()), (Judge("a"), Judge("b")), given)


def marked() -> Material:
    """Two judges mark two segments of two systems by MQM: penalties 5 and 1 of oak's first, none of elm's."""
    texts = (
        Segment("0", "The tide.", {"oak": "Die Flut.", "elm": "Ebbe."}),
        Segment("1", "Sea.", {"oak": "See", "elm": "Meer"}),
    )

    def said(judge: str, segment: str, system: str, *severities: str, role: Role = Role.MAIN) -> Judgement:
        spans = [
            {"start": 0, "end": 2, "severity": severity, "category": "accuracy/mistranslation", "side": "target"}
            for severity in severities
        ]
        return Judgement(judge, "marking", "errors", "d", segment, (system,), spans, role)

    given = (
        said("a", "0", "oak", "major"),
        said("b", "0", "oak", "minor"),
        *(said(judge, "0", "elm") for judge in "ab"),
        *(said(judge, "1", system) for judge in "ab" for system in ("oak", "elm")),
        said("b", "1", "elm", "major", "major", role=Role.CONTROL),
    )
    return Material(
        "trial", protocols.load("mqm"), (Document("d", texts, "en", "de"),), (Judge("a"), Judge("b")), given
    )


def test_gold_scores_are_those_of_judges_who_count(tmp_path: Path) -> None:
    """A judge who is left out stays in the file as a judge of its own, but not in what the scores come to."""
    export_as(replace(marked(), left_out={"b": "too fast"}), "mtme", tmp_path / "out")
    [path] = tmp_path.rglob("*.mqm.sys.score")
    assert dict(line.split("\t") for line in path.read_text("utf-8").splitlines()) == {"oak": "-2.5", "elm": "0.0"}


def test_the_score_systems_are_ranked_by() -> None:
    assert main_score(PROTOCOL) == "holistic_score"
    assert [(s.judge, s.value, s.stage, s.question) for s in score_judgements(judged_outputs(), PROTOCOL)] == [
        ("a", 7.0, "segment", "score"),
        ("a", 3.0, "segment", "score"),
        ("b", 8.0, "segment", "score"),
    ]


def test_a_protocol_without_one_number_says_so() -> None:
    bare = PROTOCOL.model_copy(update={"analyses": (), "scores": (), "stages": protocols.load("falcon").stages[:2]})
    with pytest.raises(LannerError, match="no score to a single output"):
        main_score(bare)


@pytest.mark.parametrize("name", ["mtme", "appraise_scores", "wmt_mqm"])
def test_what_has_neither_scores_nor_errors_is_refused_with_a_way_out(tmp_path: Path, name: str) -> None:
    parity = Material("trial", protocols.load("parity"), tuple(documents()), (Judge("a"),), ())
    with pytest.raises(LannerError, match="this format holds nothing else") as refused:
        export_as(parity, name, tmp_path / "out")
    assert "tidy table" in refused.value.next_step
    assert not list(tmp_path.iterdir())


def test_a_protocol_about_the_source_alone_is_no_empty_file(tmp_path: Path) -> None:
    issues = Judgement("a", "marking", "issues", "doc0", "0", (), ["gender"])
    dela = Material("trial", protocols.load("dela"), tuple(documents()), (Judge("a"),), (issues,))
    for name in ("mtme", "appraise_scores"):
        with pytest.raises(LannerError, match="no score to a single output"):
            export_as(dela, name, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_answers_that_a_format_has_no_place_for_are_counted() -> None:
    told = marked()
    comment = Judgement("a", "marking", "comment", "d", "0", ("oak",), "Hm.")
    told = replace(told, judgements=(*told.judgements, comment, replace(comment, segment="1", value=None)))
    assert without_place(told, "native") == {}
    assert without_place(told, "wmt_mqm") == {"errors": 1, "comment": 1}  # the control, and what was written
    assert without_place(told, "mtme") == {"errors": 1, "comment": 1}
    said = [row for row in codebook(told, "mtme") if row["kind"] == "no_place"]
    assert {row["id"]: row["value"] for row in said} == {"errors": 1, "comment": 1}, "on pages and in the API too"
    assert without_place(told, "appraise_scores") == {"comment": 1}
    assert without_place(judged_outputs(), "appraise_scores") == {}
    assert without_place(judged_outputs(), "mtme") == {"holistic": 1}  # the control


def test_appraise_reads_its_own_layout_back(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    assert export_as(judged_outputs(), "appraise_scores", path) == 3
    assert formats.recognise(path) == "appraise_scores"
    first = path.read_text().splitlines()[0].split(",")
    assert first[:7] == ["a", "secret-system-one", "0", "TGT", "eng", "kor", "7"]
    (reading,) = formats.read(path)
    assert sorted(j.value for j in reading.judgements if j.question != "errors") == [3, 7, 8]


def test_numbers_of_which_less_is_better_are_no_scores_of_appraise(tmp_path: Path) -> None:
    """A rank of 1 became the lowest score, and more points of error a higher one; Appraise writes 0 beside errors."""
    path = tmp_path / "scores.csv"
    export_as(marked(), "appraise_scores", path)
    assert {row.split(",")[6] for row in path.read_text().splitlines()} == {"0"}
    (again,) = formats.read(path)
    spans = {(j.segment, *j.systems): len(j.value) for j in again.judgements if j.question == "errors"}
    assert spans["0", "oak"] > 0
    ranks = [Judgement("a", "rating", "rank", "d", "0", (name,), place) for place, name in enumerate(("oak", "elm"), 1)]
    protocol = guessing.guess(ranks, {"rank": "rank"}).protocol
    with pytest.raises(LannerError):
        export_as(replace(marked(), protocol=protocol, judgements=tuple(ranks)), "appraise_scores", tmp_path / "x.csv")
    assert not (tmp_path / "x.csv").exists()


def test_a_name_is_no_formula_and_a_negative_number_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    export_as(judged_outputs("=HYPERLINK(1)"), "appraise_scores", path)
    assert "'=HYPERLINK(1)" in path.read_text()
    (reading,) = formats.read(path)
    assert "=HYPERLINK(1)" in {name for found in reading.judgements for name in (found.judge, *found.systems)}


def test_penalties_become_scores_where_more_is_better_and_have_a_mean(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    export_as(marked(), "mtme", folder)
    human = folder / "human-scores"
    assert (human / "en-de.mqm.seg.score").read_text().split() == [
        "elm",
        "0.0",
        "elm",
        "0.0",
        "oak",
        "-3.0",
        "oak",
        "0.0",
    ]
    assert dict(line.split("\t") for line in (human / "en-de.mqm.sys.score").read_text().splitlines()) == {
        "oak": "-1.5", "elm": "0.0"
    }  # fmt: skip
    assert "oak\t-5.0" in (human / "en-de.a.seg.score").read_text()
    assert '"major"' in (human / "en-de.a.seg.rating").read_text()
    reading = next(found for found in formats.read(folder) if "rating" not in found.name and len(found.judges) > 1)
    again = {(j.judge, j.segment, *j.systems): j.value for j in reading.judgements if j.question == "score"}
    assert (again["mqm", "0", "oak"], again["a", "0", "oak"], again["mqm", "1", "elm"]) == (-3, -5, 0)


def test_a_native_file_says_what_was_asked(tmp_path: Path) -> None:
    export_as(judged_outputs(), "native", tmp_path / "all.jsonl")
    (reading,) = formats.read(tmp_path / "all.jsonl")
    assert reading.protocol == "h_falcon"
