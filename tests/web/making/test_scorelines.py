from __future__ import annotations

from pathlib import Path

import pytest

from lanner import formats, protocols
from lanner.errors import LannerError
from lanner.material import Material
from lanner.model import Judge, Judgement, Role
from lanner.web.making.scorelines import appraise_csv, main_score, score_judgements
from visiting import documents

PROTOCOL = protocols.load("h_falcon")


def material(**more: object) -> Material:
    def said(judge: str, segment: str, value: int, role: Role = Role.MAIN) -> Judgement:
        return Judgement(judge, "rating", "holistic", "doc0", segment, ("secret-system-one",), value, role)

    given = (said("a", "0", 7), said("a", "1", 3), said("b", "0", 8, Role.CONTROL))
    return Material("trial", PROTOCOL, tuple(documents()), (Judge("a"), Judge("b")), given)


def test_the_score_systems_are_ranked_by() -> None:
    assert main_score(PROTOCOL) == "holistic_score"
    assert [(s.judge, s.value, s.stage, s.question) for s in score_judgements(material())] == [
        ("a", 7.0, "segment", "score"),
        ("a", 3.0, "segment", "score"),
        ("b", 8.0, "segment", "score"),
    ]


def test_a_protocol_without_one_number_says_so() -> None:
    bare = PROTOCOL.model_copy(update={"analyses": (), "scores": (), "stages": protocols.load("falcon").stages[:2]})
    with pytest.raises(LannerError, match="single number"):
        main_score(bare)


def test_appraise_reads_its_own_layout_back(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(appraise_csv(material()), encoding="utf-8")
    assert formats.recognise(path) == "appraise_scores"
    first = path.read_text().splitlines()[0].split(",")
    assert first[:7] == ["a", "secret-system-one", "0", "TGT", "eng", "kor", "7"]
    (reading,) = formats.read(path)
    assert sorted(j.value for j in reading.judgements if j.question != "errors") == [3, 7, 8]
