from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from analysis.test_context import material  # noqa: F401 (a fixture)
from lanner import protocols
from lanner.analysis.context import context_effects
from lanner.analysis.material import Material
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from lanner.reports.parts import Figure, Table
from lanner.reports.sections.texts import (
    context_label,
    context_needs,
    context_section,
    document_section,
    label_section,
    linked_marks,
    marked_passages,
)
from lanner.reports.view import View
from lanner.stats.resample import Resampling
from reports.comparison.worlds import QUICK, answered
from reports.test_view import view


def test_shares_of_a_fixed_number_of_labels_add_up_to_it() -> None:
    made = label_section(view())
    assert made is not None
    figures = {block.id: block for block in made.blocks if isinstance(block, Figure)}
    assert set(figures) == {"labels-context", "labels-skills"}
    news = [row["share"] for row in figures["labels-skills"].data if (row["domain"], row["judge"]) == ("news", "j0")]
    assert sum(news) == pytest.approx(3)
    drawn = figures["labels-skills"].svg
    assert "Judge 0, " in drawn and drawn.count("<circle") > 20, "judges are drawn under their names"
    assert "On context level, people chose **" in made.findings[0]


def test_a_grid_is_read_by_what_was_not_left_at_not_relevant() -> None:
    made = label_section(view("h_falcon"))
    assert made is not None
    ids = [block.id for block in made.blocks if isinstance(block, Figure)]
    assert ids == ["labels-skills_chosen", "how-many-skills_chosen"]


PROTOCOL = protocols.load("esa")
QUESTION = next(q for _, q in PROTOCOL.questions if q.kind == "spans")


def test_of_labels_chosen_equally_often_all_are_named() -> None:
    given = ["local", "global"]
    made = answered("falcon", ["context"], lambda q, j, system, d, s, stage: given[(d + s) % 2], sentences=2)
    assert made.protocol is not None
    part = label_section(View(made, made.protocol, QUICK))
    assert part is not None
    assert part.findings == ["On context level, people chose **local for 50 % and global for 50 % of the items**."]


def marked_view(*marks: tuple[str, str, list[str]]) -> View:
    """Marks as (judge, segment, severities)."""
    text = Document("d", tuple(Segment(str(n), "Source", outputs={"oak": "Target"}) for n in range(1, 5)), "en", "de")
    answers = tuple(
        Judgement(
            judge, PROTOCOL.stages[0].id, QUESTION.id, "d", segment, ("oak",),
            [{"side": "target", "start": 0, "end": 3, "text": "Tar", "severity": one} for one in severities],
        )
        for judge, segment, severities in marks
    )  # fmt: skip
    return View(Material("m", PROTOCOL, (text,), (Judge("j"), Judge("k"), Judge("l")), answers), PROTOCOL)


EXTRA = (("l", "1", ["major"]), ("l", "2", ["major"]))


def test_how_often_and_how_severe() -> None:
    made = marked_passages(marked_view(("j", "1", ["major", "minor"]), ("j", "2", []), ("k", "1", ["minor"])))
    assert made is not None
    table, figure = made.blocks
    assert isinstance(table, Table) and isinstance(figure, Figure)
    assert {row["judge"]: (row["items"], row["marked"], row["marks"]) for row in table.data} == {
        "j": (2, 1, 2), "k": (1, 1, 1),
    }  # fmt: skip
    assert "of their items" not in table.caption and not made.findings, "two items are no ground for a sentence"
    assert {row["severity"]: row["marks"] for row in figure.data} == {"major": 1, "minor": 2}


def test_a_single_kind_needs_no_bar() -> None:
    made = marked_passages(marked_view(("j", "1", ["major"]), ("k", "1", ["major"]), ("k", "2", [])))
    assert made is not None and len(made.blocks) == 1
    segments = [("j", str(n), ["major"] if n < 3 else []) for n in range(1, 5)]
    many = marked_passages(marked_view(*segments, *(("k", n, kinds) for _, n, kinds in segments), *EXTRA))
    assert many is not None
    assert many.findings == ["Something was marked on **60 % of 10 answers** (errors)."]


def test_of_few_marks_and_of_none_no_share_is_nought() -> None:
    sentences = [[*["0"] * 11], ["1", *["0"] * 299]]
    for marks, told in zip(
        sentences, ("Nothing was marked on **11 ", "Something was marked on **1 of 300 "), strict=True
    ):
        answers = [("j", str(n), ["major"] if mark == "1" else []) for n, mark in enumerate(marks, start=1)]
        made = marked_passages(marked_view(*answers))
        assert made is not None
        assert [sentence.partition("answers")[0] for sentence in made.findings] == [told]


def test_of_an_even_number_of_marks_the_median_lies_in_the_middle() -> None:
    seen = marked_view(("j", "1", ["major"]), ("j", "2", ["major"]))
    first, second = seen.material.judgements
    answers = (first, replace(second, value=[{**second.value[0], "end": 10}]))
    made = marked_passages(replace(seen, material=replace(seen.material, judgements=answers)))
    assert made is not None
    [table] = made.blocks
    assert isinstance(table, Table)
    assert table.data[0]["median_length"] == (3 + 10) / 2
    assert table.rows[0]["median_length"] == "6.5"


def test_what_is_said_of_marks_is_said_of_people_alone() -> None:
    """A model that marks everything stands in the table; no sentence pools it with people."""
    people = [(judge, str(n), ["major"] if n == 1 else []) for judge in "jkl" for n in range(1, 5)]
    model = [("m", str(n), ["minor"]) for n in range(1, 5)]
    seen = marked_view(*people, *model)
    judges = (*seen.material.judges, Judge("m", JudgeKind.MODEL))
    made = marked_passages(replace(seen, material=replace(seen.material, judges=judges)))
    assert made is not None
    assert [sentence.partition("answers")[0] for sentence in made.findings] == ["Something was marked on **25 % of 12 "]
    assert "m" in {row["judge"] for row in made.blocks[0].data}  # type: ignore[union-attr]


def test_nothing_marked_and_nothing_to_mark() -> None:
    made = marked_passages(marked_view(("j", "1", [])))
    assert made is not None and len(made.blocks) == 1
    assert marked_passages(view("h_falcon")) is None


PROTOCOL_LINKED = protocols.load("mqm_linked")
QUESTION_LINKED = next(q for _, q in PROTOCOL_LINKED.questions if q.kind == "spans")


def view_linked(spans: dict[str, list[dict[str, object]]]) -> View:
    text = Document("d", tuple(Segment(str(n), "S", outputs={"oak": "T"}) for n in range(1, 6)), "en", "de")
    stage = PROTOCOL_LINKED.stages[0].id
    answers = tuple(
        Judgement("j", stage, QUESTION_LINKED.id, "d", segment, ("oak",), marks) for segment, marks in spans.items()
    )
    return View(Material("m", PROTOCOL_LINKED, (text,), (Judge("j"),), answers), PROTOCOL_LINKED)


def mark(category: str, link: str | None = None) -> dict[str, object]:
    span: dict[str, object] = {"side": "target", "start": 0, "end": 1, "text": "T", "category": category}
    return span | ({"link": {"segment": link}} if link else {})


def test_where_marks_lead_and_how_far() -> None:
    category = QUESTION_LINKED.categories[0].id  # type: ignore[union-attr]
    made = linked_marks(view_linked({"4": [mark(category, "1"), mark(category)], "2": [mark(category, "3")], "5": []}))
    assert made is not None
    [table] = made.blocks
    assert isinstance(table, Table)
    [row] = table.data
    assert (row["marks"], row["linked"], row["back"], row["on"], row["median_distance"]) == (3, 2, 1, 1, 2)
    assert "2 marks of 3 (67 %)" in table.caption


def test_nothing_where_nothing_can_be_linked_or_was_marked() -> None:
    assert linked_marks(view("falcon")) is None
    assert linked_marks(view_linked({"1": []})) is None


def falling(step: float) -> View:
    """Ten sentences a document, each `step` lower than the one before."""
    answers = answered(
        "da", ["score"], lambda q, j, system, d, s, _: 90.0 - step * s - Random(100 * d + s).random(), sentences=10
    )
    assert answers.protocol is not None
    return View(answers, answers.protocol, QUICK)


def test_a_score_that_falls_is_said_to_fall() -> None:
    made = document_section(falling(3))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert "falls from the first fifth" in figure.caption
    whole = [row["value"] for row in figure.data if row["judge"] == "all people"]
    assert [a - b for a, b in pairwise(whole)] == pytest.approx([6.0] * 4, abs=0.5)


def test_models_that_judge_alone_are_not_called_people() -> None:
    seen = falling(3)
    machines = tuple(replace(judge, kind=JudgeKind.MODEL) for judge in seen.material.judges)
    made = document_section(replace(seen, material=replace(seen.material, judges=machines)))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert {row["judge"] for row in figure.data} == {"all models", "j0", "j1"}
    assert "rows main items by models" in figure.signature
    assert "interval jackknife-t" in figure.signature and "resamples" not in figure.signature, "nothing was drawn"


def test_a_level_score_is_not_said_to_change() -> None:
    made = document_section(falling(0))
    assert made is not None
    assert "not shown to change" in made.blocks[0].caption  # type: ignore[union-attr]


def test_nothing_where_no_scale_is_asked_in_context() -> None:
    assert document_section(view("falcon")) is None


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
