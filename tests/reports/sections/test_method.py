from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from analysis.test_assistance import material, store  # noqa: F401 (fixtures)
from lanner import protocols
from lanner.analysis.assistance import assistance
from lanner.analysis.material import Material, from_file
from lanner.designs.expected import CONTROL_LIMIT, ControlCounts, missed_controls
from lanner.model import Document, Grid, Judge, JudgeKind, Judgement, Role, Scale, Segment
from lanner.reports.build import build
from lanner.reports.parts import Figure, Paragraph, Table
from lanner.reports.rendering import render
from lanner.reports.sections import agreement
from lanner.reports.sections.method import (
    _domains,
    _pace,
    assistance_section,
    check_section,
    details,
    effort_section,
    questionnaire,
    section,
)
from lanner.reports.view import View
from lanner.stats.power import as_run
from lanner.stats.resample import Resampling
from reports.comparison.worlds import QUICK, answered
from reports.test_view import view
from simulated_pages import simulate_page


def test_two_outputs_in_either_order_are_one_item_for_all_judges() -> None:
    """Every other judge saw them swapped: there were twice as many items, of half the judges each."""
    seen = view("sqm", judges=4, documents=3)
    orders = [("oak", "elm"), ("elm", "oak")]
    judges = sorted({j.judge for j in seen.material.judgements})
    answers = [j for j in seen.material.judgements if j.question == "score" and j.systems == ("oak",)]
    swapped = tuple(replace(j, systems=orders[judges.index(j.judge) % 2]) for j in answers)
    made = replace(seen, material=replace(seen.material, judgements=swapped))
    items = len({(j.document, j.segment) for j in swapped})
    text = " ".join(block.text for block in section(made).blocks if isinstance(block, Paragraph))
    assert f"Each of {items} items was judged by 4 judges." in text
    assert as_run(made.material.table, "score").overlap == 4


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
    money = {"hourly_rate": 1250000.5, "currency": "₩"}
    dated = tuple(
        replace(judgement, answered_at=datetime(2026, 3, 1 + place % 9, tzinfo=UTC))
        for place, judgement in enumerate(made.material.judgements)
    )
    drawn = replace(made.material, judgements=dated, settings={"design": "latin_square", "seed": 7, **money})
    blocks = section(replace(made, material=drawn)).blocks
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert "assigned by the design “latin square” (seed 7)" in text
    assert "Each of 72 items was judged by 3 judges." in text
    assert "Judges were paid 1250000.5 ₩ an active hour." in text
    assert "Answers were given from 1 March 2026 to 9 March 2026." in text
    west = replace(made.material, judgements=dated, settings={"time_zone": "America/New_York"})
    blocks = section(replace(made, material=west)).blocks
    assert any("from 28 February 2026 to 8 March" in block.text for block in blocks if isinstance(block, Paragraph))
    asked = next(block for block in details(replace(made, material=drawn)).blocks if isinstance(block, Table))
    assert asked.rows[0]["n"] == "72"
    assert "answered most often: chosen skills and rating comment (144), least: context level, " in asked.caption
    assert any("one of: sentence level, local" in str(row["answer"]) for row in asked.rows)


def test_a_comparison_is_one_item_in_whichever_order_it_was_shown() -> None:
    """Two orders of a pair counted as two items, each judged by a part of the judges."""
    protocol, document = protocols.load("parity"), Document("d", (Segment("1", "S"),))
    answers = tuple(
        Judgement(judge, "adequacy_document", "adequacy_of_document", "d", "", systems, [1, 2])
        for judge, systems in (("ann", ("a", "b")), ("bob", ("b", "a")), ("cem", ("b", "a")))
    )
    judges = tuple(Judge(judgement.judge) for judgement in answers)
    blocks = section(View(Material("p", protocol, (document,), judges, answers), protocol)).blocks
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert "Each of 1 item was judged by 3 judges." in text


def test_how_models_were_asked_is_said_in_words() -> None:
    """Everything that is kept with a model judge stood there as it is stored, in brackets and braces."""
    people = view(kind=JudgeKind.PERSON)
    kept = {
        "models": ["owl"],
        "servers": ["http://127.0.0.1:1/v1"],
        "temperature": [0.0],
        "sampling": [{}],
        "template": "judge-4",
        "shown": {"context": "own±2", "language": "en"},
        "calls": "pages",
        "samples": 3,
        "rule": "majority",
        "swap": True,
    }
    one, two, three = (judge.id for judge in people.judges)
    judges = (
        Judge(one, attributes={"native": "ko"}),
        Judge(two, JudgeKind.MODEL, attributes=kept),
        Judge(three, JudgeKind.MODEL, attributes=kept | {"models": ["owl", "jay"]}),
    )
    blocks = section(replace(people, material=replace(people.material, judges=judges))).blocks
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert "Native of the judges: ko (1)." in text
    assert (
        f"{two} (owl) and {three} (owl and jay) answered the prompt judge-4, context own±2, asked for temperature "
        "0, asked by pages, 3 samples by majority, both orders of a pair."
    ) in text
    assert not set("[]{}") & set(text.split("Intervals")[0]) and "127.0.0.1" not in text


def test_simulated_judges_are_said_first() -> None:
    first = section(view()).blocks[0]
    assert isinstance(first, Paragraph)
    assert "simulated" in first.text


def test_the_table_of_texts_adds_up() -> None:
    _, table = [block for block in details(view()).blocks if isinstance(block, Table)]
    assert [row["sentences"] for row in table.rows] == [12, 12, 24]


def test_what_happened_to_the_data_is_said() -> None:
    made = view()
    noted = replace(made.material, notes=("One judge has withdrawn; 6 answers were deleted.",))
    blocks = section(replace(made, material=noted)).blocks
    assert any("One judge has withdrawn; 6 answers" in block.text for block in blocks if isinstance(block, Paragraph))


def test_the_account_of_intervals_is_written_from_signatures_alone() -> None:
    seen = replace(view(kind=JudgeKind.PERSON), resampling=Resampling(n=300, seed=5, method="percentile"))
    for entry in seen.agreements[:2]:
        seen.signature(entry.headline)
    text = " ".join(block.text for block in section(seen).blocks if isinstance(block, Paragraph))
    assert "quantiles of resampled documents (300 resamples, seed 5)" in text
    assert "No interval could be computed." in " ".join(
        block.text for block in section(replace(view())).blocks if isinstance(block, Paragraph)
    ), "a view of which nothing has been printed yet"


def test_who_is_left_out_and_why_is_said() -> None:
    seen = view(kind=JudgeKind.PERSON)
    made = replace(seen, material=replace(seen.material, left_out={"j1": "four times as fast as the others"}))
    text = " ".join(block.text for block in section(made).blocks if isinstance(block, Paragraph))
    assert "Judge 1 is left out of every result: four times as fast as the others." in text
    assert text.startswith("2 judges worked")
    assert "576 answers were given, 192 of them by judges who are left out." in text


def test_answers_are_counted_of_the_judges_who_are_counted() -> None:
    seen = view(kind=JudgeKind.PERSON)
    left_out = replace(seen, material=replace(seen.material, left_out={"j1": "four times as fast as the others"}))
    everyone, others = (details(made).blocks[0] for made in (seen, left_out))
    assert isinstance(everyone, Table) and isinstance(others, Table)
    assert [row["n"] for row in everyone.rows[:1]] == ["72"] and everyone.signature.endswith("judges 3")
    assert [row["n"] for row in others.rows[:1]] == ["48"] and others.signature.endswith("judges 2")


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
    narrow = questionnaire(View(Material("q", protocol, (), judges, tuple(answers)), protocol, Resampling(level=0.9)))
    assert narrow is not None
    for table in (block for block in narrow.blocks if isinstance(block, Table)):
        widths = [
            [row["high"] - row["low"] for row in each.data if row["low"] is not None]
            for each in (table, tables[table.id])
        ]
        assert widths[0] != widths[1]


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


def tables(made: View) -> dict[str, Table]:
    found = check_section(made)
    return {block.id: block for block in found.blocks if isinstance(block, Table)} if found else {}


def test_a_campaigns_missed_controls() -> None:
    made = view("h_falcon")
    missed = (ControlCounts("j0", "p", 10, 10, 4, 1), ControlCounts("j1", "p", 10, 8, 0, 0))
    table = tables(replace(made, material=replace(made.material, controls=missed)))["controls"]
    assert "4 of 18 control items were missed, the largest share by Judge 0 (4 of 10)" in table.caption
    assert [row["share"] for row in table.rows] == ["40 %", "0 %"]
    missed = tuple(ControlCounts(judge, "p", 10, 10, 4 * (judge != "j2"), 0) for judge in ("j0", "j1", "j2"))
    table = tables(replace(made, material=replace(made.material, controls=missed)))["controls"]
    assert "the largest share by Judge 0 (4 of 10) and Judge 1 (4 of 10)." in table.caption


def test_the_limit_of_missed_controls_is_that_of_the_live_page() -> None:
    """8 of 20 are 40 % [22 %, 61 %]: beyond doubt over a limit of 20 %, not over the usual one of 25 %."""
    made = view("h_falcon")
    missed = (ControlCounts("j0", "p", 20, 20, 8, 0), ControlCounts("j1", "p", 20, 20, 0, 0))

    def findings(**settings: float) -> list[str]:
        changed = replace(made.material, controls=missed, settings={**made.material.settings, **settings})
        part = check_section(replace(made, material=changed))
        assert part is not None
        return list(part.findings)

    assert findings() == []
    assert findings(control_limit=0.2) == [
        "**Control items were missed too often** by Judge 0 (8 of 20, 40 % [22 %, 61 %]); the limit is 20 %."
    ]
    for limit in (0.2, CONTROL_LIMIT, 3):
        clear = [alarm.judge for alarm in missed_controls({"j0": (8, 20), "j1": (0, 20)}, limit) if alarm.clear]
        assert bool(clear) == bool(findings(control_limit=limit)), limit
    missed = (ControlCounts("j0", "p", 20, 20, 18, 0), ControlCounts("j1", "p", 20, 20, 6, 0))
    assert "Judge 1 (6 of 20, 30 % [15 %, 52 %]) missed more as well, but chance may explain it." in findings()[0]


def test_nonsense_in_a_file_has_to_be_ranked_last() -> None:
    answers = answered(
        "parity", ["adequacy_of_sentence"],
        lambda q, judge, *_: [1, 2] if judge == "j0" else [1, 1], systems=(("human", "mt"),),
    )  # fmt: skip
    documents = (replace(answers.documents[0], meta={"spam": "mt"}), *answers.documents[1:])
    judgements = tuple(replace(j, role=Role.CONTROL if j.document == "d0" else Role.MAIN) for j in answers.judgements)
    assert answers.protocol is not None
    table = tables(View(replace(answers, documents=documents, judgements=judgements), answers.protocol, QUICK))[
        "controls"
    ]
    assert {row["judge"]: (row["missed"], row["ties"]) for row in table.data} == {"j0": (0, 0), "j1": (3, 3)}


def test_judges_against_themselves() -> None:
    made = view("h_falcon")
    again = tuple(replace(j, role=Role.REPEAT) for j in made.material.judgements if j.document in ("d0", "d1"))
    both = replace(made.material, judgements=(*made.material.judgements, *again))
    table = tables(replace(made, material=both))["repeats"]
    assert {row["value"] for row in table.data} == {1.0}
    assert "all judges" in {row["judge"] for row in table.rows}
    called_all = both.pseudonymised({"j0": "all"})  # a judge may be called so
    rows = tables(replace(made, material=called_all))["repeats"].rows
    assert [row["judge"] for row in rows[:4]] == ["all judges", "all", "Judge 1", "Judge 2"]


def test_nothing_without_either() -> None:
    assert check_section(view("h_falcon")) is None


def test_items_a_minute_by_judge_and_domain() -> None:
    made = effort_section(view("h_falcon"))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert {(row["judge"], row["domain"]) for row in figure.data} >= {("j0", "all"), ("j0", "news"), ("j2", "social")}


def test_many_judges_have_a_row_each() -> None:
    made = effort_section(view("da", judges=8))
    assert made is not None
    [figure] = made.blocks
    assert isinstance(figure, Figure)
    assert figure.svg.count("<circle") == 8
    assert "items a minute" in made.findings[0]


def test_the_slowest_are_all_named() -> None:
    paces = [("j0", "news", 1.0), ("j0", "talk", 1.0), ("j1", "news", 1.0), ("j1", "talk", 1.0), ("j2", "news", 2.0)]
    rows = [{"judge": j, "domain": domain, "value": v, "n": 20, "pooled": False} for j, domain, v in paces]
    made = view("h_falcon")
    assert _pace(made, [rows[0], rows[2], rows[4]]) == "1.0 (Judge 0 and Judge 1) to 2.0 (Judge 2) items a minute"
    assert _domains(made, rows) == " No domain is slower than another (news and talk)."
    faster = {"j0": 3.0, "j1": 3.0}
    more = [{"judge": j, "domain": "web", "value": value, "n": 20, "pooled": False} for j, value in faster.items()]
    assert _domains(made, [*rows, *more]) == " The slowest domains for every judge are news and talk."
    assert _domains(made, [*rows[:3], {**rows[3], "value": 1.5}]) == (
        " No domain is the slowest for everybody (news and talk, by judge)."
    )


def test_no_times_were_kept() -> None:
    made = view("h_falcon")
    bare = tuple(replace(judgement, active_seconds=None) for judgement in made.material.judgements)
    assert effort_section(replace(made, material=replace(made.material, judgements=bare))) is None


FEW = Resampling(n=100)


@pytest.fixture(scope="module")
def assisted_view(material: Material) -> View:  # noqa: F811
    assert material.protocol is not None
    return View(material, material.protocol, FEW)


def test_the_section_shows_the_numbers_of_the_analysis(assisted_view: View) -> None:
    made = assistance_section(assisted_view)
    assert made is not None
    (result,) = assistance(assisted_view.material, resampling=FEW)
    fates, compared = [block for block in made.blocks if isinstance(block, Table)]
    assert [row["value"] for row in fates.data] == [one.value for one in result.models[0].fates.values()]
    differences = [row["value"] for row in compared.data if row["items"] == "difference"]
    assert differences == [one.difference.value for one in (*result.comparisons, *result.judges)]
    assert compared.rows[1]["what"] == "Seconds" and compared.signature
    (text,) = [block.text for block in made.blocks if isinstance(block, Paragraph)]
    assert "marks of gemba" in text and "t 95% by document" in text
    (finding,) = made.findings
    assert "follow it more" in finding


def test_the_section_on_agreement_says_that_it_is_inflated(assisted_view: View) -> None:
    made = agreement.section(assisted_view)
    assert made is not None
    texts = [block.text for block in made.blocks if isinstance(block, Paragraph)]
    assert any("inflates their agreement" in text and "instead of" in text for text in texts)


def test_it_stands_in_the_report_and_not_in_that_of_others(assisted_view: View) -> None:
    report = build(assisted_view.material, resampling=FEW)
    assert "assistance" in [part.id for part in report.sections]
    plain = protocols.load("esa")
    bare = Material("x", plain, (), (), ())
    assert assistance_section(View(bare, plain, FEW)) is None


def test_nothing_is_said_of_how_judges_were_asked_where_no_protocol_says_it(tmp_path: Path) -> None:
    """A table of answers tells neither what was on the screen nor where its scales end."""
    path = tmp_path / "own.csv"
    rows = [f"d{d},{s},{j},{1 + (d + n) % 5},{d % 3}\n" for d in range(6) for n, s in enumerate("ab") for j in "xy"]
    path.write_text("doc,system,annotator,fluency,errors\n" + "".join(rows), encoding="utf-8")
    (own,) = from_file(path)
    text = render(build(own, resampling=Resampling(n=20)))
    assert "what judges saw and how they were asked is not known" in text
    assert "6 items in 6 documents" in text
    for invented in ("document in view", "unknown language", "sentence in context", "6 sentences", ">0 to 5<"):
        assert invented not in text, invented
