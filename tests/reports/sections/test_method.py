from __future__ import annotations

from dataclasses import replace
from random import Random

from lanner import protocols
from lanner.analysis.material import Material
from lanner.model import Grid, Judge, JudgeKind, Judgement, Scale
from lanner.protocols.answers import simulate_page
from lanner.reports.parts import Paragraph, Table
from lanner.reports.sections.method import details, questionnaire, section
from lanner.reports.view import View
from lanner.stats.resample import Resampling
from reports.test_view import view


def test_who_what_and_how_in_a_paragraph() -> None:
    seen = view(kind=JudgeKind.PERSON)
    made = seen.agreements[0].headline
    seen.signature(made)
    blocks = section(seen).blocks
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert text.startswith("3 judges worked with FALCON (falcon@1.0)")
    assert "24 sentences in 4 documents (English to German, with outputs of 2 systems)" in text
    assert "leaving out one document at a time" in text, "as the signature says"
    assert "resamples" not in text and "seed" not in text, "nothing was drawn"
    assert made.interval is not None and made.interval.method == "jackknife-t"


def test_who_judged_how_much_and_what_was_asked() -> None:
    made = view(kind=JudgeKind.PERSON)
    material = replace(made.material, settings={"design": "latin_square", "seed": 7})
    blocks = section(replace(made, material=material)).blocks
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert "assigned by the design “latin square” (seed 7)" in text
    assert "Each of 72 items was judged by 3 judges." in text
    asked = next(block for block in details(replace(made, material=material)).blocks if isinstance(block, Table))
    assert asked.rows[0]["n"] == "72"
    assert any("one of: sentence level, local" in str(row["answer"]) for row in asked.rows)


def test_simulated_judges_are_said_first() -> None:
    first = section(view()).blocks[0]
    assert isinstance(first, Paragraph)
    assert "simulated" in first.text


def test_the_table_of_texts_adds_up() -> None:
    _, table = [block for block in details(view()).blocks if isinstance(block, Table)]
    assert [row["sentences"] for row in table.rows] == [12, 12, 24]


def test_what_happened_to_the_data_is_said() -> None:
    made = view()
    material = replace(made.material, notes=("One judge has withdrawn; 6 answers were deleted.",))
    blocks = section(replace(made, material=material)).blocks
    assert any("One judge has withdrawn; 6 answers" in block.text for block in blocks if isinstance(block, Paragraph))


def test_the_account_of_intervals_is_written_from_signatures_alone() -> None:
    seen = replace(view(kind=JudgeKind.PERSON), resampling=Resampling(n=300, seed=5, method="percentile"))
    for agreement in seen.agreements[:2]:
        seen.signature(agreement.headline)
    text = " ".join(block.text for block in section(seen).blocks if isinstance(block, Paragraph))
    assert "quantiles of resampled documents (300 resamples, seed 5)" in text
    assert "No interval could be computed." in " ".join(
        block.text for block in section(view()).blocks if isinstance(block, Paragraph)
    )


def test_who_is_left_out_and_why_is_said() -> None:
    seen = view(kind=JudgeKind.PERSON)
    made = replace(seen, material=replace(seen.material, left_out={"j1": "four times as fast as the others"}))
    text = " ".join(block.text for block in section(made).blocks if isinstance(block, Paragraph))
    assert "Judge 1 is left out of every result: four times as fast as the others." in text
    assert text.startswith("2 judges worked")


def test_texts_that_are_not_known_are_not_counted_as_none() -> None:
    seen = view(kind=JudgeKind.PERSON)
    text = section(replace(seen, material=replace(seen.material, documents=()))).blocks[0].text  # type: ignore[union-attr]
    assert "0 sentences" not in text and "()" not in text


def test_statements_are_averaged_and_choices_counted() -> None:
    protocol = protocols.load("post_task")
    judges = tuple(Judge(f"j{n}") for n in range(4))
    answers = []
    for place, judge in enumerate(judges):
        for page in protocol.pages:
            for question, value in simulate_page(protocol, page, rng=Random(place)).items():
                found = protocol.find(question)
                assert found is not None
                answers.append(Judgement(judge.id, found[0].id, question, "", "", (), value))
    made = questionnaire(View(Material("q", protocol, (), judges, tuple(answers)), protocol))
    assert made is not None
    tables = {block.id: block for block in made.blocks if isinstance(block, Table)}
    asked = [q.id for _, q in protocol.questions if isinstance(q, Scale)]
    assert len(tables["statements"].rows) >= len(asked)
    assert all(row["n"] == 4 for row in tables["statements"].rows)
    assert "questionnaires by people" in tables["statements"].signature
    assert "highest on" in tables["statements"].caption


def test_the_interval_of_an_average_stays_on_its_scale() -> None:
    protocol = protocols.load("post_task")
    stage, grid = next((stage, q) for stage, q in protocol.questions if isinstance(q, Grid))
    points = [option.value for option in grid.options if option.value is not None]
    ends = [option.id for option in grid.options][-2:]
    answers = tuple(
        Judgement(f"j{n}", stage.id, grid.id, "", "", (), {grid.rows[0].id: option}) for n, option in enumerate(ends)
    )
    made = questionnaire(View(Material("q", protocol, (), (Judge("j0"), Judge("j1")), answers), protocol))
    assert made is not None
    [table] = made.blocks
    assert isinstance(table, Table)
    [row] = table.data
    assert min(points) <= row["low"] < row["mean"] < row["high"] <= max(points)
    assert "highest" not in table.caption, "two judges are no ground for a sentence"


def test_a_protocol_that_asks_about_texts_only() -> None:
    assert questionnaire(view("falcon")) is None
