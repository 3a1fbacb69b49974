from __future__ import annotations

import pytest

from analysis.test_assistance import material, store  # noqa: F401 (fixtures)
from lanner import protocols
from lanner.analysis.assistance import assistance
from lanner.analysis.material import Material
from lanner.reports.build import build
from lanner.reports.parts import Paragraph, Table
from lanner.reports.sections import agreement
from lanner.reports.sections.assistance import section
from lanner.reports.view import View
from lanner.stats.resample import Resampling

FEW = Resampling(n=100)


@pytest.fixture(scope="module")
def view(material: Material) -> View:  # noqa: F811
    assert material.protocol is not None
    return View(material, material.protocol, FEW)


def test_the_section_shows_the_numbers_of_the_analysis(view: View) -> None:
    made = section(view)
    assert made is not None
    (result,) = assistance(view.material, resampling=FEW)
    fates, compared = [block for block in made.blocks if isinstance(block, Table)]
    assert [row["value"] for row in fates.data] == [one.value for one in result.models[0].fates.values()]
    differences = [row["value"] for row in compared.data if row["items"] == "difference"]
    assert differences == [one.difference.value for one in (*result.comparisons, *result.judges)]
    assert compared.rows[1]["what"] == "Seconds" and compared.signature
    (text,) = [block.text for block in made.blocks if isinstance(block, Paragraph)]
    assert "marks of gemba" in text and "t 95% by document" in text
    (finding,) = made.findings
    assert "follow it more" in finding


def test_the_section_on_agreement_says_that_it_is_inflated(view: View) -> None:
    made = agreement.section(view)
    assert made is not None
    texts = [block.text for block in made.blocks if isinstance(block, Paragraph)]
    assert any("inflates their agreement" in text and "instead of" in text for text in texts)


def test_it_stands_in_the_report_and_not_in_that_of_others(view: View) -> None:
    report = build(view.material, resampling=FEW)
    assert "assistance" in [part.id for part in report.sections]
    plain = protocols.load("esa")
    bare = Material("x", plain, (), (), ())
    assert section(View(bare, plain, FEW)) is None
