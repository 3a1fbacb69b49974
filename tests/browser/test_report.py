"""A report opened as a file: axe-core finds nothing in light and dark, tables sort, nothing asks the network."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from lanner.model import JudgeKind
from lanner.reports.build import build
from lanner.reports.comparison import compare
from lanner.reports.rendering import render
from lanner.stats.resample import Resampling
from lanner.studies.reproduce import page as study_page
from lanner.studies.study import Data
from page_inspection import COLOURS, UNCOLOURED, clean
from reports.world import material
from studies.test_reproduce import CHECKS, STUDY

pytestmark = pytest.mark.browser

THINNED = """() => {
  const alike = new Map();
  const own = at => `${at.tagName}.${at.getAttribute('class')}.${at.style.cssText}`;
  const kind = at => at ? kind(at.parentElement) + own(at) : '';
  for (const element of document.querySelectorAll('svg text, td, th, li, p')) {
    const same = kind(element) + element.getAttribute('fill');
    alike.set(same, (alike.get(same) ?? 0) + 1);
    if (alike.get(same) > 2) element.textContent = '';
  }
}"""
"""Two texts of each kind are left: the colours of a thousand others in the same places are the same."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render(build(material("falcon"), resampling=Resampling(n=50))), encoding="utf-8")
    return path


def test_light_and_dark(page: Page, file: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    clean(page, "report", UNCOLOURED)
    page.evaluate(THINNED)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        clean(page, f"report-{scheme}", COLOURS)
    assert asked == [file.as_uri()]


def test_tables_sort_and_figures_have_words(page: Page, file: Path) -> None:
    page.goto(file.as_uri())
    table = page.locator("#table-agreement-context")
    heading = table.get_by_role("columnheader", name="κ")
    heading.get_by_role("button").click()
    order = heading.get_attribute("aria-sort")
    assert order in ("ascending", "descending")
    for figure in page.locator("figure svg").all():
        assert figure.get_attribute("aria-label")
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert not wide


def test_pages_of_studies_and_comparisons(page: Page, tmp_path: Path) -> None:
    compared, _ = compare([(name, material(name)) for name in ("falcon", "h_falcon")], resampling=Resampling(n=50))
    page.set_viewport_size({"width": 390, "height": 900})
    for name, made in (("study", study_page(STUDY, CHECKS, Data())), ("compare", compared)):
        file = tmp_path / f"{name}.html"
        file.write_text(render(made), encoding="utf-8")
        page.goto(file.as_uri())
        clean(page, name)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name


def test_a_report_on_fifty_sentences_takes_six_pages_before_its_appendix(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    whole = material("h_falcon", documents=9, kind=JudgeKind.PERSON)
    file.write_text(render(build(whole, resampling=Resampling(n=50))), encoding="utf-8")
    page.goto(file.as_uri())
    page.evaluate(
        "while (document.getElementById('appendix').nextSibling) "
        "document.getElementById('appendix').nextSibling.remove()"
    )
    page.evaluate("document.getElementById('appendix').remove()")
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) <= 6
