from dataclasses import replace

from lanner.analysis import agreements
from lanner.model import Role
from lanner.reports.parts import Figure, Paragraph, Table
from lanner.reports.sections.agreement import calibration, details, section
from reports.test_view import view


def test_every_question_has_its_table_and_heat_map() -> None:
    made = section(view())
    assert made is not None
    tables = [block.id for block in made.blocks if isinstance(block, Table)]
    figures = [block.id for block in made.blocks if isinstance(block, Figure)]
    assert tables == ["agreement", "without-each-judge"]
    found = details(view())
    assert found is not None
    pairs = [block.id for block in found.blocks if isinstance(block, Table)]
    assert pairs == ["agreement-context", "agreement-spans", "agreement-skills", "agreement-ratings"]
    assert figures == ["questions", "pairs-context"]
    others = [block.id for block in found.blocks if isinstance(block, Figure)]
    assert others == ["pairs-spans", "pairs-skills", "pairs-ratings"]


def test_rows_carry_estimate_interval_and_n() -> None:
    made = details(view())
    assert made is not None
    table = next(block for block in made.blocks if isinstance(block, Table))
    row = next(row for row in table.rows if row.get("pair") == "Judge 0 – Judge 1")
    assert row["n"] == 24
    assert str(row["ci"]).startswith("[")
    assert table.data[0]["low"] < table.data[0]["value"] < table.data[0]["high"]
    assert "n" in table.signature


def test_no_empty_axis_where_judges_share_nothing() -> None:
    made = view(judges=2)
    places = {"j0": "d0", "j1": "d1"}
    apart = tuple(j for j in made.material.judgements if j.document == places[j.judge])
    found = section(replace(made, material=replace(made.material, judgements=apart)))
    assert found is not None
    assert not [block for block in found.blocks if isinstance(block, Figure | Table)]
    assert "cannot be told" in found.findings[0]


def test_nothing_to_say_with_one_judge() -> None:
    assert section(view(judges=1)) is None


def test_the_table_shows_what_the_analysis_computes_and_the_weakest_row() -> None:
    seen = view("h_falcon")
    made = section(seen)
    assert made is not None
    table = next(block for block in made.blocks if isinstance(block, Table) and block.id == "agreement")
    oracle = {entry.plan.id: entry for entry in agreements(seen.counted(), seen.protocol)}
    for row in table.data:
        assert row["value"] == oracle[str(row["question"])].headline.value
    skills = next(row for row in table.data if row["question"] == "skills")
    weakest = oracle["skills"].weakest
    assert weakest is not None and skills["weakest"] == weakest.measure.row
    assert "weakest" in made.findings[0]


def test_agreement_without_each_judge_names_the_careless_one() -> None:
    seen = view("h_falcon", judges=4, documents=6)
    order = [option.id for option in seen.protocol.find("skills")[1].options]  # type: ignore[union-attr, index]
    careless = tuple(
        replace(
            j, value={row: order[n % len(order)] for n, row in enumerate(j.value)} if isinstance(j.value, dict) else 5
        )
        if j.judge == "j3" and j.question in ("skills", "holistic", "sentence")
        else j
        for j in seen.material.judgements
    )
    made = section(replace(seen, material=replace(seen.material, judgements=careless)))
    assert made is not None
    table = next(block for block in made.blocks if isinstance(block, Table) and block.id == "without-each-judge")
    changes = {str(row["without"]): row["change"] for row in table.data if row["question"] == "holistic"}
    assert max(changes, key=lambda judge: changes[judge]) == "j3"
    assert "without Judge 3" in table.caption


def test_a_calibration_round_stands_next_to_the_main_items_and_counts_nowhere_else() -> None:
    seen = view("h_falcon")
    assert calibration(seen) is None
    rounds = tuple(replace(j, role=Role.CALIBRATION) if j.document == "d0" else j for j in seen.material.judgements)
    other = replace(seen, material=replace(seen.material, judgements=rounds))
    made = calibration(other)
    assert made is not None
    (table,) = made.blocks
    assert isinstance(table, Table)
    n = {row["round"]: row["n"] for row in table.data if row["question"] == "holistic"}
    assert n == {"calibration": 12, "main": 36}


def test_no_sentence_is_said_of_two_items() -> None:
    seen = view("h_falcon", judges=2, documents=2)
    few = tuple(j for j in seen.material.judgements if j.segment == "0" and j.systems == ("oak",))
    made = section(replace(seen, material=replace(seen.material, judgements=few)))
    assert made is not None
    assert not [sentence for sentence in made.findings if "α" in sentence]


def test_two_documents_give_no_verdict_and_five_do() -> None:
    for documents, few in ((2, True), (4, True), (5, False)):
        made = section(view("h_falcon", judges=3, documents=documents))
        assert made is not None
        [sentence] = [sentence for sentence in made.findings if "agreement of people" in sentence]
        assert (f"on {documents} documents: **too few for a verdict**" in sentence) == few


def test_judges_who_cannot_be_compared_get_a_sentence_and_no_empty_matrix() -> None:
    seen = view("sqm", judges=3)
    alike = tuple(replace(j, value=1) for j in seen.material.judgements if isinstance(j.value, int | float))
    assert alike, "answers that can be made alike"
    made = section(replace(seen, material=replace(seen.material, judgements=alike)))
    assert made is not None
    assert [block.text for block in made.blocks if isinstance(block, Paragraph) and "No two judges" in block.text]
    assert not [block for block in made.blocks if isinstance(block, Figure) and block.id.startswith("pairs-")]
