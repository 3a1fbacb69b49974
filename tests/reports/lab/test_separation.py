from lanner.reports.lab.separation import separation
from reports.lab.worlds import lab, parity, scores


def test_a_clear_and_a_blind_protocol() -> None:
    found = separation(lab(scores(title="clear", gap=20), scores(title="blind", gap=0)))
    pairs, clusters, hours, rate = found.lines
    assert [value.text for value in pairs.values] == ["3 of 3", "0 of 3"]
    assert [value.value for value in clusters.values] == [3, 1]
    assert (rate.values[0].value or 0) * (hours.values[0].value or 0) == 3
    assert {row["clear"] for row in found.data} == {True}


def test_without_scores() -> None:
    assert "no score that ranks systems" in separation(lab(parity())).missing
