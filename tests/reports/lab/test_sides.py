import pytest

from lanner.analysis.material import Material
from lanner.errors import InputError
from lanner.model import Unit
from lanner.reports.lab.sides import item_key, shared, sides
from reports.lab.worlds import parity, scenarios, scores


def test_scenarios_of_one_protocol_are_sides() -> None:
    found = sides([("x", scenarios())])
    assert [side.name for side in found] == ["isolated", "in context"]
    assert [side.units for side in found] == [{Unit.ISOLATED}, {Unit.IN_CONTEXT}]
    assert set(found[0].table["question"]) >= {"adequacy_rs", "fluency_rs"}
    assert "adequacy_sc" not in set(found[0].table["question"])
    assert found[1].people == ["j2", "j3"]


def test_items_that_all_judged_are_kept() -> None:
    one, other = scores(title="a", gap=10), scores(title="b", gap=10)
    few = Material(
        "b", other.protocol, other.documents[:5], other.judges, tuple(j for j in other.judgements if j.document < "d5")
    )
    found, n = shared(sides([("a", one), ("b", few)]))
    assert n == 5 * 3 * 3
    assert {len(side.by_people.select("document").unique()) for side in found} == {5}
    assert item_key(found) == ["document", "segment", "system"]


def test_where_hardly_anything_is_shared_each_keeps_its_items() -> None:
    found, n = shared(sides([("p", parity())]))
    assert n < 10
    assert len(found[0].by_people) == 8 * 3 * 2


def test_the_measure_is_what_the_plan_ranks_by() -> None:
    [one, _] = sides([("a", scores(title="a", gap=1)), ("b", scores(title="b", gap=1))])
    assert one.measure is not None
    assert one.measure.of == "score"


def test_one_thing_alone_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="only one thing"):
        sides([("a", scores(title="a", gap=1))])
    with pytest.raises(InputError, match="not known what was asked"):
        sides([("a", Material("a", None, (), (), ())), ("b", scores(title="b", gap=1))])
