from dataclasses import replace

import pytest

from lanner.studies.reproduce import MISSED, RECOVERED, check, read
from lanner.studies.scenario_world import PART, SETS, World
from lanner.studies.study import Data, load

STUDY = load("castilho2021")


@pytest.fixture(scope="module")
def small() -> Data:
    size = {"documents": 12, "sentences": 5, "judges": 4}
    study = replace(STUDY, reading={**STUDY.reading, **size})
    return read(study, None)


def test_nobody_meets_a_text_in_two_scenarios(small: Data) -> None:
    alone = small.table(PART, question="adequacy_rs").select("judge", "document").unique()
    shown = small.table(PART, question="adequacy_sc").select("judge", "document").unique()
    assert alone.join(shown, on=["judge", "document"]).is_empty()
    assert len(alone) == len(shown) == 4 * 6
    assert {name.partition("-")[0] for name in alone["document"]} == set(SETS)


def test_the_truth_comes_back_in_the_shape_of_the_tables(small: Data) -> None:
    checks = [made for made in check(STUDY, small) if made.cell.simulated]
    tables = {made.cell.where.removeprefix("Simulated judges in the shape of ").partition(",")[0] for made in checks}
    assert tables == {f"Table {k}" for k in range(3, 14)}
    assert all(
        made.value is None and made.result.value is not None and made.result.truth is not None for made in checks
    )
    held = [made for made in checks if made.verdict == RECOVERED]
    assert len(held) >= 0.93 * len(checks)


def test_a_wrong_truth_does_not_come_back(small: Data) -> None:
    """The check can fail: judges who are less reliable than they should be are found out."""
    world = small.kept["world"]
    assert isinstance(world, World)
    surer = {name: {"rs": 0.98, "sc": 0.98, "ds": 0.98} for name in SETS}
    families = {**world.families, "adequacy": {**world.families["adequacy"], "reliability": surer}}
    other = replace(small, kept={"world": replace(world, families=families)})
    checks = [made for made in check(STUDY, other, "Table 3") if made.cell.column == "RS"]
    assert sum(made.verdict == MISSED for made in checks) >= len(checks) / 2
