"""The section on what to improve says what the diagnosis found, and nothing where there is nothing to diagnose."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest

from analysis.test_diagnosis import world
from diagnosed_campaigns import SYSTEMS, texts
from lanner import protocols
from lanner.analysis.diagnosis import Diagnosis, diagnose
from lanner.analysis.material import Material
from lanner.model import Document, Judge, Judgement, Segment
from lanner.reports.parts import Figure, Paragraph, Quotes, Report, Table
from lanner.reports.rendering import write
from lanner.reports.sections.diagnosis import (
    AspectLine,
    DiagnosisEntry,
    Headings,
    SystemMark,
    described,
    draw,
    section,
    sentences,
)
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
    [in_german] = sentences(replace(view, language="de"), result)[0]  # words of the protocol in an English sentence
    assert in_german.startswith("**birch: improve Beziehung und Anrede in social.** It matters in")
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


def test_where_nobody_marked_an_error_nothing_is_compared_or_drawn() -> None:
    """There were an empty picture, an empty table and "0 of 0 comparisons remain after correction"."""
    documents, judge = texts(documents=2), Judge("ana")
    judgements = tuple(
        Judgement("ana", "rating", "errors", document.id, segment.id, (system,), [])
        for document, system in product(documents, SYSTEMS)
        for segment in document
    )
    material = Material("clean", protocols.load("esa"), tuple(documents), (judge,), judgements)
    assert material.protocol is not None
    view = View(material, material.protocol, Resampling(n=200))
    made = described(view, diagnose(material, resampling=view.resampling))
    assert {type(block) for block in made.blocks} == {Paragraph}
    assert any("Nobody marked an error of: minor, major." in block.text for block in made.blocks)


def test_judges_stand_under_the_names_of_the_report(view: View, result: Diagnosis) -> None:
    text = str([block.entries for block in described(view, result).blocks if isinstance(block, Quotes)])
    assert all(name in text for name in view.names.values())


def test_a_protocol_without_skills_or_errors_has_no_such_section() -> None:
    protocol = protocols.load("da")
    judgements = tuple(Judgement("j", "rating", "score", "d", str(k), ("s",), 50) for k in range(3))
    document = Document("d", tuple(Segment(str(k), "x", outputs={"s": "y"}) for k in range(3)))
    assert section(View(Material("m", protocol, (document,), (Judge("j"),), judgements), protocol)) is None


# The picture

MARKS = {"alder": SystemMark(2.5, 2.3, 2.7), "birch": SystemMark(1.4, 1.2, 1.6, ("alder",), weak=True)}
LINES = [
    AspectLine("Terminology control", {"news": DiagnosisEntry(0.71, 85, MARKS)}, "field", "Field"),
    AspectLine("Relational address", {"news": DiagnosisEntry(0.06, 7, {})}, "tenor", "Tenor"),
]


def drawn() -> str:
    words = Headings("matters in", "how well", "too few")
    return str(draw("What to improve", LINES, ["alder", "birch"], {"news": "120 sentences"}, words, ends=(1.0, 3.0)))


def test_every_system_has_a_mark_and_only_the_weak_one_is_filled_and_says_who_is_better() -> None:
    root = ElementTree.fromstring(drawn())
    texts = [node.text for node in root.iter() if node.tag == "text"]
    assert "2.50" in texts
    assert "1.40  < a" in texts
    assert {"71 %", "n 85", "6 %", "too few", "FIELD", "TENOR", "120 sentences"} <= set(texts)
    filled = [node for node in root.iter() if node.get("class") == "fk2"]
    assert len(filled) == 2 + 1  # the legend's two, and birch


def test_marks_stand_where_the_scale_says_and_inside_the_drawing() -> None:
    root = ElementTree.fromstring(drawn())
    hollow = next(node for node in root.iter() if node.get("class") == "fo")
    width, height = (float(root.get(side) or 0) for side in ("width", "height"))
    ticks = {node.text: float(node.get("x") or 0) for node in root.iter("text") if node.text in ("1", "2", "3")}
    assert float(hollow.get("cx") or 0) == ticks["2"] + (ticks["3"] - ticks["2"]) / 2
    for node in root.iter():
        for name, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(node.get(name) or 0) <= limit


def test_many_domains_stand_below_one_another_so_that_the_letters_stay_readable_and_a_page_holds_them() -> None:
    domains = {f"domain {n}": "" for n in range(5)}
    marks = {name: SystemMark(2.0) for name in ("alder", "birch", "cedar")}
    aspects = [AspectLine(f"Aspect {n}", dict.fromkeys(domains, DiagnosisEntry(0.5, 20, marks))) for n in range(9)]
    picture = str(draw("x", aspects, list(marks), domains, Headings("a", "b", "c"), ends=(1.0, 3.0)))
    root = ElementTree.fromstring(picture)
    names = {node.text: (node.get("x"), float(node.get("y") or 0)) for node in root.iter("text")}
    assert [names[f"domain {n}"][0] for n in range(5)] == ["186.0", "522.0", "858.0", "186.0", "522.0"]
    assert names["domain 0"][1] == names["domain 2"][1] < names["domain 3"][1] == names["domain 4"][1]
    assert [node.text for node in root.iter("text")].count("Aspect 8") == 2  # each row of them names the lines
    width, height = (float(root.get(side) or 0) for side in ("width", "height"))
    assert width == 186 + 3 * 336
    assert all(float(node.get("y") or 0) <= height <= 1.4 * width for node in root.iter())


def test_a_cell_can_be_a_link_and_the_one_looked_at_is_framed() -> None:
    cells = {"news": DiagnosisEntry(0.5, 20, {"alder": SystemMark(2.0)}, href='?cell="x"&y', chosen=True)}
    drawing = str(
        draw("x", [AspectLine("Address", cells)], ["alder"], {"news": ""}, Headings("a", "b", "c"), ends=(1.0, 3.0))
    )
    root = ElementTree.fromstring(drawing)
    [link] = [node for node in root.iter() if node.tag == "a"]
    assert link.get("href") == '?cell="x"&y'
    assert link.get("aria-label") == "Address, news"
    assert [node.get("class") for node in root.iter("rect")].count("cell-now") == 1
