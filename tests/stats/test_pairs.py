from __future__ import annotations

import numpy as np

from lanner.stats import pairs
from lanner.stats.estimate import estimate
from lanner.stats.pairs import pair_plan
from lanner.stats.resample import Resampling
from lanner.stats.selection import ratings
from rated import table

JUDGES = [["a", "b", "a", None], ["a", "a", None, "b"], [None, "b", None, "b"]]


def share(sums):
    with np.errstate(invalid="ignore"):
        return sums[:, :, 1] / sums[:, :, 0]


def planned(each):
    rated = ratings(table(JUDGES))
    same = (rated.pairs.first == rated.pairs.second).astype(float)
    return pair_plan("same", rated, 2, [(0, 1.0), (1, same)], share, each=each, reason=lambda _a, _b: "why not")


def test_each_pair_has_its_value_its_counts_and_its_reason():
    plan = planned(each=True)
    assert plan.value().tolist() == [0.5, 1.0, 0.5]
    assert [dict(o) for o in plan.outcomes] == [
        {"judge": "j0", "other": "j1"}, {"judge": "j0", "other": "j2"}, {"judge": "j1", "other": "j2"},
    ]  # fmt: skip
    assert [c["items"] for c in plan.counts] == [2, 1, 2]
    assert plan.reasons == ("why not",) * 3


def test_the_mean_counts_every_pair_alike():
    plan = planned(each=False)
    assert plan.value().tolist() == [2 / 3]
    assert plan.settings["mean_over"] == "3 pairs"
    (result,) = estimate(plan, Resampling(method="none"))
    assert result.counts["items"] == 3


def test_judges_who_share_nothing_make_no_pairs():
    rated = ratings(table([["a", None], [None, "b"]]))
    plan = pair_plan("same", rated, 2, [(0, 1.0), (1, np.zeros(0))], share)
    assert np.isnan(plan.value()).all()
    assert pair_plan("same", rated, 2, [(0, 1.0)], share, each=True).outcomes == ()


def test_a_crowd_gets_a_value_and_a_word_of_warning_but_no_interval(monkeypatch):
    monkeypatch.setattr(pairs, "_MOST", 5)
    (result,) = estimate(planned(each=False), Resampling())
    assert result.value == 2 / 3
    assert result.interval is None
    assert "3 pairs of judges are too many" in result.notes[-1]
    assert "share 2 items or fewer" in result.notes[0]
    assert all(r.interval is None for r in estimate(planned(each=True), Resampling()))
