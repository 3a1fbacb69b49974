from lanner.reports.lab.matching import LABELS, NUMBERS, SETS, matched
from lanner.reports.lab.sides import sides
from reports.lab.worlds import parity, scenarios
from reports.world import material


def test_scenarios_match_by_the_stem_of_the_name() -> None:
    found = matched(sides([("s", scenarios())]))
    assert [(pair.label, pair.questions) for pair in found[:2]] == [
        ("adequacy", ("adequacy_rs", "adequacy_sc")), ("fluency", ("fluency_rs", "fluency_sc")),
    ]  # fmt: skip
    assert all(pair.kind is NUMBERS for pair in found)
    assert matched(sides([("p", parity())]))[0].kind is LABELS


def test_two_protocols_match_by_name_then_by_kind() -> None:
    found = matched(sides([("f", material("falcon")), ("h", material("h_falcon"))]))
    sets = [pair for pair in found if pair.kind is SETS]
    assert [pair.questions for pair in sets] == [("skills", "skills_chosen")]
