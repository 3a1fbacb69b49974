from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lanner import formats, protocols
from lanner.analysis.material import Material
from lanner.errors import LannerError
from lanner.model import Document, Judge, Judgement, Role, Segment
from lanner.reports import exchange
from lanner.reports.exchange import main_score, score_judgements
from web_clients import documents

PROTOCOL = protocols.load("h_falcon")


def material(system: str = "secret-system-one") -> Material:
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


def test_the_score_systems_are_ranked_by() -> None:
    assert main_score(PROTOCOL) == "holistic_score"
    assert [(s.judge, s.value, s.stage, s.question) for s in score_judgements(material(), PROTOCOL)] == [
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
        exchange.write(parity, name, tmp_path / "out")
    assert "tidy table" in refused.value.next_step
    assert not list(tmp_path.iterdir())


def test_a_protocol_about_the_source_alone_is_no_empty_file(tmp_path: Path) -> None:
    issues = Judgement("a", "marking", "issues", "doc0", "0", (), ["gender"])
    dela = Material("trial", protocols.load("dela"), tuple(documents()), (Judge("a"),), (issues,))
    for name in ("mtme", "appraise_scores"):
        with pytest.raises(LannerError, match="no score to a single output"):
            exchange.write(dela, name, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_answers_that_a_format_has_no_place_for_are_counted() -> None:
    told = marked()
    comment = Judgement("a", "marking", "comment", "d", "0", ("oak",), "Hm.")
    told = replace(told, judgements=(*told.judgements, comment, replace(comment, segment="1", value=None)))
    assert exchange.left_out(told, "native") == {}
    assert exchange.left_out(told, "wmt_mqm") == {"errors": 1, "comment": 1}  # the control, and what was written
    assert exchange.left_out(told, "mtme") == {"errors": 1, "comment": 1}
    assert exchange.left_out(told, "appraise_scores") == {"comment": 1}
    assert exchange.left_out(material(), "appraise_scores") == {}
    assert exchange.left_out(material(), "mtme") == {"holistic": 1}  # the control


def test_appraise_reads_its_own_layout_back(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    assert exchange.write(material(), "appraise_scores", path) == 3
    assert formats.recognise(path) == "appraise_scores"
    first = path.read_text().splitlines()[0].split(",")
    assert first[:7] == ["a", "secret-system-one", "0", "TGT", "eng", "kor", "7"]
    (reading,) = formats.read(path)
    assert sorted(j.value for j in reading.judgements if j.question != "errors") == [3, 7, 8]


def test_a_name_is_no_formula_and_a_negative_number_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    exchange.write(material("=HYPERLINK(1)"), "appraise_scores", path)
    assert "'=HYPERLINK(1)" in path.read_text()
    (reading,) = formats.read(path)
    assert "=HYPERLINK(1)" in {name for found in reading.judgements for name in (found.judge, *found.systems)}


def test_penalties_become_scores_where_more_is_better_and_have_a_mean(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    exchange.write(marked(), "mtme", folder)
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
    exchange.write(material(), "native", tmp_path / "all.jsonl")
    (reading,) = formats.read(tmp_path / "all.jsonl")
    assert reading.protocol == "h_falcon"
