"""The section on what to improve says what the diagnosis found, and nothing where there is nothing to diagnose."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.test_diagnosis import world
from lanner import protocols
from lanner.analysis.diagnosis import Diagnosis, diagnose
from lanner.analysis.material import Material
from lanner.model import Document, Judge, Judgement, Segment
from lanner.reports.html import write
from lanner.reports.parts import Figure, Quotes, Report, Table
from lanner.reports.sections.diagnosis import described, section, sentences
from lanner.reports.view import View
from lanner.stats.resample import Resampling


@pytest.fixture(scope="module")
def view() -> View:
    material = world({("birch", "relational_address", "social"): 1.3})
    assert material.protocol is not None
    return View(material, material.protocol, Resampling(n=200))


@pytest.fixture(scope="module")
def result(view: View) -> Diagnosis:
    return diagnose(view.material, resampling=view.resampling)


def test_what_to_mend_is_named_with_its_numbers_and_sentences(view: View, result: Diagnosis, tmp_path: Path) -> None:
    made = section(view)
    assert made is not None
    [finding] = made.findings
    assert finding.startswith("**birch: improve relational address in social.** It matters in")
    assert "Better: " in finding and "alder by" in finding and "cedar by" in finding
    cell = result.cell("birch", "relational_address", "social")
    assert f"{cell.quality.value:.2f}" in finding
    tables = {block.id: block for block in made.blocks if isinstance(block, Table)}
    assert {"diagnosis-cells", "diagnosis-differences"} <= set(tables)
    assert len(tables["diagnosis-cells"].data) == 9 * 3 * 3
    [figure] = [block for block in made.blocks if isinstance(block, Figure)]
    assert "&lt; a c" in figure.svg
    [quotes] = [block for block in made.blocks if isinstance(block, Quotes)]
    assert len(quotes.entries) == 3
    write(Report("t", "k", "b", made.findings, [made]), tmp_path, pictures=False)
    assert (tmp_path / "tables" / "diagnosis-cells.tex").exists()
    assert (tmp_path / "tables" / "diagnosis-cells.csv").exists()


def test_systems_of_which_nothing_is_shown_stand_together_with_what_it_would_have_taken() -> None:
    material = world({}, documents=3)
    assert material.protocol is not None
    result = diagnose(material)
    shortfall = result.shortfall
    assert shortfall is not None
    findings, [text] = sentences(View(material, material.protocol), result)
    assert not findings
    assert text.startswith("**alder, birch, cedar**: No skill is shown to be worse")
    assert f"On {shortfall.contrast.documents} documents and with {result.tests} comparisons" in text
    assert f"{shortfall.needed:.1f} standard errors" in text and f"has {shortfall.reached:.1f}: " in text
    assert f"{shortfall.cell.system} behind {shortfall.contrast.other}" in text


def test_judges_stand_under_the_names_of_the_report(view: View, result: Diagnosis) -> None:
    text = str([block.entries for block in described(view, result).blocks if isinstance(block, Quotes)])
    assert all(name in text for name in view.names.values())


def test_a_protocol_without_skills_or_errors_has_no_such_section() -> None:
    protocol = protocols.load("da")
    judgements = tuple(Judgement("j", "rating", "score", "d", str(k), ("s",), 50) for k in range(3))
    document = Document("d", tuple(Segment(str(k), "x", outputs={"s": "y"}) for k in range(3)))
    assert section(View(Material("m", protocol, (document,), (Judge("j"),), judgements), protocol)) is None
