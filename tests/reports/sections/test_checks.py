from dataclasses import replace

from lanner.designs.expected import Misses
from lanner.model import Role
from lanner.reports.parts import Table
from lanner.reports.sections.checks import section
from lanner.reports.view import View
from reports.comparison.worlds import QUICK, answered
from reports.test_view import view


def tables(made: View) -> dict[str, Table]:
    found = section(made)
    return {block.id: block for block in found.blocks if isinstance(block, Table)} if found else {}


def test_a_campaigns_missed_controls() -> None:
    made = view("h_falcon")
    missed = (Misses("j0", "p", 10, 10, 4, 1), Misses("j1", "p", 10, 8, 0, 0))
    table = tables(replace(made, material=replace(made.material, controls=missed)))["controls"]
    assert "4 of 18 control items were missed, most by Judge 0 (4 of 10)" in table.caption
    assert [row["share"] for row in table.rows] == ["40 %", "0 %"]


def test_nonsense_in_a_file_has_to_be_ranked_last() -> None:
    material = answered(
        "parity", ["adequacy_of_sentence"],
        lambda q, judge, *_: [1, 2] if judge == "j0" else [1, 1], systems=(("human", "mt"),),
    )  # fmt: skip
    documents = (replace(material.documents[0], meta={"spam": "mt"}), *material.documents[1:])
    judgements = tuple(replace(j, role=Role.CONTROL if j.document == "d0" else Role.MAIN) for j in material.judgements)
    assert material.protocol is not None
    table = tables(View(replace(material, documents=documents, judgements=judgements), material.protocol, QUICK))[
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


def test_nothing_without_either() -> None:
    assert section(view("h_falcon")) is None
