import re
from dataclasses import replace

import pytest

from lanner.analysis.material import Material
from lanner.errors import LannerError
from lanner.model import JudgeKind
from lanner.reports.build import build
from lanner.reports.html import render
from reports.world import material


@pytest.mark.parametrize("name", ["falcon", "h_falcon"])
def test_a_report_from_judgements(name: str) -> None:
    report = build(material(name))
    ids = [section.id for section in report.sections]
    both = [
        "method",
        "agreement",
        "systems",
        "diagnosis",
        "labels",
        "effort",
        "questions-and-texts",
        "pairs",
        "disputed",
    ]
    both += ["correlations", "comments"]
    appendix = [section.id for section in report.sections if section.appendix]
    assert appendix == ids[-len(appendix) :], "what is looked up stands last"
    own = {"falcon": {"disagreements", "marks", "contexts"}, "h_falcon": {"explained", "along", "coefficients"}}[name]
    assert [section for section in ids if section not in (*own, "numbers")] == both
    folded = {table.id for section in report.sections if section.id == "numbers" for table in section.blocks}
    assert "diagnosis-cells" in folded or name == "falcon", "the numbers of a figure are looked up, not read"
    assert own <= set(ids)
    assert "simulated" in report.findings[0]
    assert any("greement of people" in sentence or "People show" in sentence for sentence in report.findings)
    text = render(report)
    for part in (*report.tables, *report.figures):
        assert f'id="{part.id}"' in text


def test_one_judge_is_said_not_hidden() -> None:
    report = build(material("falcon", judges=1))
    assert any("cannot be computed yet" in sentence for sentence in report.findings)


def test_unknown_protocol() -> None:
    with pytest.raises(LannerError, match="not known what was asked"):
        build(Material("x", None, (), (), ()))


@pytest.mark.parametrize("name", ["falcon", "h_falcon", "esa", "scenarios", "mqm", "sqm", "da"])
def test_two_items_are_no_ground_for_any_sentence(name: str) -> None:
    """Whatever a report says by itself needs as many items as the live page asks for before it speaks."""
    whole = material(name, judges=2, documents=1, kind=JudgeKind.PERSON)
    few = replace(whole, judgements=tuple(j for j in whole.judgements if j.segment in ("0", "1")))
    report = build(few)
    numbers = [sentence for sentence in report.findings if re.search(r"\d", sentence)]
    assert numbers == [], "a finding with a number rests on two items"
    captions = " ".join(part.caption for part in (*report.tables, *report.figures))
    for phrase in (
        "go together best",
        "Most used by people",
        "finds most",
        "of their items",
        "The largest coefficient",
    ):
        assert phrase not in captions
