import pytest

from lanner.reports.lab.stability import stability
from reports.lab.worlds import answered, lab, parity, scores


def test_systems_far_apart_keep_their_order_with_one_judge() -> None:
    found = stability(lab(scores(title="a", gap=20), scores(title="b", gap=20)))
    assert [value.value for value in found.lines[0].values] == pytest.approx([1.0, 1.0])
    assert {row["what"] for row in found.data} == {"τ of the systems' order"}


def test_labels_by_majority() -> None:
    found = stability(lab(parity()))
    by_side = {row["side"]: row["value"] for row in found.data}
    assert by_side["document"] == 1.0
    assert by_side["sentence"] == 0.5  # one judge for each side: half of the tie


def test_a_single_judge() -> None:
    alone = [answered("da", ["score"], lambda *_: 50.0, judges=("j0",), title=name) for name in "ab"]
    assert stability(lab(*alone)).missing
