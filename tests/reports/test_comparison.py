from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from data_sets import released
from lanner.reports.comparison import QUESTIONS, compare
from lanner.reports.parts import without_marks
from lanner.reports.rendering import render, write
from lanner.stats.resample import Resampling
from reports.comparison.worlds import QUICK, parity, scenarios, scores


def test_one_table_one_figure_a_question_one_paragraph(tmp_path: Path) -> None:
    page, rows = compare(
        [("a", scores(title="a", gap=20)), ("b", scores(title="b", gap=5))], resampling=QUICK, hourly=30
    )
    assert len(page.tables) == 1
    assert len(page.findings) == 1
    answered = [section for section in page.sections if section.id.startswith("question-")]
    assert all(len([b for b in section.blocks if b in page.figures]) == 1 for section in answered)
    left = next(section for section in page.sections if section.id == "left")
    assert len(answered) + len(left.blocks) == len(QUESTIONS)
    assert all("Not answered here" in block.text for block in left.blocks)  # type: ignore[union-attr]
    assert json.dumps(rows)
    assert write(page, tmp_path, pictures=False).read_text(encoding="utf-8").count("<figure") == len(page.figures)


def test_asterisks_in_a_name_make_nothing_strong() -> None:
    sides = [("**a**", scores(title="a", gap=20)), ("b", scores(title="b", gap=5))]
    page, _ = compare(sides, resampling=QUICK)
    shown = render(page)
    assert "<b>a</b>" not in shown and "**a** and b compared" in shown
    assert any("**a**" in without_marks(sentence) for sentence in page.findings)


def test_intervals_of_another_level_say_which() -> None:
    sides = [("a", scores(title="a", gap=20)), ("b", scores(title="b", gap=5))]
    page, _ = compare(sides, resampling=replace(QUICK, level=0.9))
    assert not re.search(r"95\W?%", page_text := render(page).split("</style>")[1])
    assert "90\N{NO-BREAK SPACE}%" in page_text


@pytest.mark.parametrize("made", [parity, scenarios])
def test_scenarios_of_one_campaign(made: object) -> None:
    page, rows = compare([("x", made())], resampling=QUICK)  # type: ignore[operator]
    assert {row["question"] for row in rows} == {question.__name__ for question in QUESTIONS}
    assert " against " in page.title


def find(rows: list[dict[str, object]], question: str, side: str, measure: str) -> dict[str, object]:
    return next(r for r in rows if r["question"] == question and r["side"] == side and measure in str(r["measure"]))


@pytest.mark.data
def test_falcon_against_h_falcon() -> None:
    parts = released("h-falcon")
    _, rows = compare(list(parts.items()), resampling=Resampling(n=200))
    later = find(rows, "agreement", "H-FALCON", "skills")
    assert later["difference"] == pytest.approx(0.10, abs=0.01)
    assert later["p"] < 0.01  # type: ignore[operator]
    assert (
        find(rows, "cost", "H-FALCON", "Seconds")["value"]
        > find(rows, "cost", "FALCON, labels only", "Seconds")["value"]
    )  # type: ignore[operator]
    assert find(rows, "prediction", "H-FALCON", "skills + sentence (judge3)")["value"] == pytest.approx(
        0.608, abs=0.001
    )
    assert find(rows, "scoring", "H-FALCON", "sum")["value"] == pytest.approx(0.499, abs=0.001)


@pytest.mark.data
def test_documents_against_sentences() -> None:
    [part] = released("parity").values()
    page, rows = compare([("parity", part.matching("^[^U]"))], resampling=Resampling(n=200))
    shares = [find(rows, "preferences", side, "Adequacy")["value"] for side in ("sentence", "document")]
    assert shares == pytest.approx([86 / 189, 104 / 178])
    assert "104 of 178 for human, p = .038" in page.findings[0]


@pytest.mark.data
def test_esa_against_mqm() -> None:
    parts = released("esa-appraise")
    made = [("ESA", parts["240315rc5ESA"]), ("MQM", parts["240315rc5MQM"])]
    _, rows = compare(made, resampling=Resampling(n=200), hourly=40)
    slower = find(rows, "cost", "MQM", "Seconds")
    assert slower["difference"] < 0  # type: ignore[operator]
    assert slower["p"] < 0.01  # type: ignore[operator]
    assert find(rows, "same_scores", "MQM", "Pearson")["value"] < -0.25  # type: ignore[operator]
    told = [find(rows, "separation", side, "told apart")["value"] for side in ("ESA", "MQM")]
    assert all(0 < pairs < 78 for pairs in told)  # type: ignore[operator]
