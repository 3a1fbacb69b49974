from dataclasses import replace

from lanner.reports.parts import Figure, Table
from lanner.reports.sections.agreement import section
from reports.test_view import view


def test_every_question_has_its_table_and_heat_map() -> None:
    made = section(view())
    assert made is not None
    tables = [block.id for block in made.blocks if isinstance(block, Table)]
    figures = [block.id for block in made.blocks if isinstance(block, Figure)]
    assert tables == ["agreement-context", "agreement-spans", "agreement-skills", "agreement-ratings"]
    assert figures == ["questions", "pairs-context", "pairs-spans", "pairs-skills", "pairs-ratings"]


def test_rows_carry_estimate_interval_and_n() -> None:
    made = section(view())
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
