from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from analysis.test_context import material  # noqa: F401 (a fixture)
from lanner import protocols
from lanner.analysis.context import context_effects
from lanner.analysis.material import Material
from lanner.reports.parts import Figure, Table
from lanner.reports.sections.documents import context_label, context_needs, context_section, section
from lanner.reports.view import View
from lanner.stats.resample import Resampling
from reports.comparison.worlds import QUICK, answered
from reports.test_view import view


def falling(step: float) -> View:
    """Ten sentences a document, each `step` lower than the one before."""
    answers = answered(
        "da", ["score"], lambda q, j, system, d, s, _: 90.0 - step * s - Random(100 * d + s).random(), sentences=10
    )
    assert answers.protocol is not None
    return View(answers, answers.protocol, QUICK)


def test_a_score_that_falls_is_said_to_fall() -> None:
    made = section(falling(3))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert "falls from the first fifth" in figure.caption
    whole = [row["value"] for row in figure.data if row["judge"] == "all people"]
    assert [a - b for a, b in pairwise(whole)] == pytest.approx([6.0] * 4, abs=0.5)


def test_a_level_score_is_not_said_to_change() -> None:
    made = section(falling(0))
    assert made is not None
    assert "not shown to change" in made.blocks[0].caption  # type: ignore[union-attr]


def test_nothing_where_no_scale_is_asked_in_context() -> None:
    assert section(view("falcon")) is None


def test_issues_and_spans_of_the_survey() -> None:
    made = context_needs(view("context_survey"))
    assert made is not None
    figures = {block.id: block for block in made.blocks if isinstance(block, Figure)}
    assert {"context-issue_shares-reasons", "context-spans-resolved_by"} <= set(figures)
    assert "What hinders translation most is" in figures["context-issue_shares-reasons"].caption
    assert any("What settles a sentence" in said for said in made.findings)
    assert all(figure.data and figure.signature for figure in figures.values())


def test_nothing_where_the_plan_asks_for_nothing() -> None:
    assert context_needs(view("h_falcon")) is None


def test_how_far_texts_depend_on_context_stands_in_a_table_by_domain() -> None:
    made = context_needs(view("falcon"))
    assert made is not None
    [table] = [block for block in made.blocks if isinstance(block, Table)]
    assert table.id == "context-dependence"
    assert next(row["sign"] for row in table.rows) == "needs more than the sentence"
    shares = [row["share"] for row in table.data if row["kind"] == "level"]
    assert shares and all(0 <= share <= 1 for share in shares)


def test_the_section_shows_the_numbers_of_the_analysis(material: Material) -> None:  # noqa: F811
    assert material.protocol is not None
    view = View(material, material.protocol, Resampling(n=200))
    made = context_section(view)
    assert made is not None
    [table] = [block for block in made.blocks if isinstance(block, Table)]
    effects = context_effects(material.counted(), material.protocol, resampling=Resampling(n=200))
    assert [row["misevaluated"] for row in table.data] == [
        effect.misevaluated.value if effect.misevaluated else None for effect in effects
    ]
    assert [row["context"] for row in table.rows if "context" in row][:3] == ["none", "source ±1", "whole"]
    [finding] = made.findings
    assert finding.startswith("**With the context none")


def test_other_campaigns_have_no_such_section(material: Material) -> None:  # noqa: F811
    plain = protocols.load("esa")
    assert context_section(View(replace(material, protocol=plain, judgements=()), plain)) is None


@pytest.mark.parametrize(("name", "label"), [("none", "none"), ("own_3_0", "own ±3,0"), ("source_all", "source ±all")])
def test_a_context_as_it_is_printed(name: str, label: str) -> None:
    assert context_label(name) == label
