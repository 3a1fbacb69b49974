from dataclasses import replace

from lanner.designs.expected import CONTROL_LIMIT, Misses, missed_controls
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


def test_the_limit_of_missed_controls_is_that_of_the_live_page() -> None:
    """8 of 20 are 40 % [22 %, 61 %]: beyond doubt over a limit of 20 %, not over the usual one of 25 %."""
    made = view("h_falcon")
    missed = (Misses("j0", "p", 20, 20, 8, 0), Misses("j1", "p", 20, 20, 0, 0))

    def findings(**settings: float) -> list[str]:
        material = replace(made.material, controls=missed, settings={**made.material.settings, **settings})
        part = section(replace(made, material=material))
        assert part is not None
        return list(part.findings)

    assert findings() == []
    assert findings(control_limit=0.2) == [
        "**Control items were missed too often** by Judge 0 (8 of 20, 40 % [22 %, 61 %]); the limit is 20 %."
    ]
    for limit in (0.2, CONTROL_LIMIT, 3):
        clear = [alarm.judge for alarm in missed_controls({"j0": (8, 20), "j1": (0, 20)}, limit) if alarm.clear]
        assert bool(clear) == bool(findings(control_limit=limit)), limit


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
