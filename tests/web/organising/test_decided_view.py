"""How the numbers of an adaptive campaign are set on its page."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from adaptive_campaign import made, work
from lanner.analysis.economy import economy
from lanner.stats.goals import parse_goal
from lanner.store import Store
from lanner.web.organising import decided_view


def test_work_left_and_agreement_are_said_where_they_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "s.db") as store:
        made(store, documents=20)
        work(store, most=10)
        now = economy(store, "study")
        shown = decided_view.decided_page(store, "study")
        assert (shown.panel.work_left is None) == (now.judgements_left is None)
        assert shown.agreement is None
        agreed = replace(now, agreement=(0.5, 0.25, 0.75))
        monkeypatch.setattr(decided_view, "economy", lambda *_given: agreed)
        assert decided_view.decided_page(store, "study").agreement == (".500", ".250", ".750", "0")


def test_what_the_next_hundred_judgements_would_buy(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        made(store, documents=40)
        work(store, most=36)
        now = economy(store, "study")
        shown = decided_view.decided_page(store, "study")
    assert now.open and now.forecast is not None
    assert shown.panel.next_hundred is not None
    assert [share for _, _, share, _ in shown.panel.next_hundred.pairs] == sorted(
        (round(100 * pair.chance) for pair in now.open), reverse=True
    )
    close = next(pair for pair in now.open if {pair.first, pair.second} == {"birch", "cedar"})
    assert close.given_up > 0.05, "two points apart: giving up is no decision"
    assert close.chance + close.given_up <= 1
    assert f"{100 * close.given_up:.0f}" in shown.panel.next_hundred.pairs[0][3]
    together = sum(pair.chance for pair in now.open)
    assert shown.panel.next_hundred.together == f"{together:.1f}"
    assert shown.panel.next_hundred.hours == f"{100 * 20 / 3600:.1f}", "judges here take 20 seconds"
    steps = now.forecast.course
    for one, other in pairwise(steps):
        assert all(before <= after + 1e-9 for before, after in zip(one, other, strict=True)), "they only grow"
    _, found, lost = steps[-1]
    assert 0.9 * len(now.open) <= found + lost <= len(now.open) + 1e-9
    assert lost > close.given_up - 0.2, "given up later, if not by the next hundred: no decision either"
    assert str(shown.course).count("<circle") == len(steps)
    assert shown.tells_given_up and str(shown.course).count("given-up") == 1


def test_the_ladder_shows_ranks_that_the_settled_pairs_allow(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        made(store, documents=20)
        work(store)
        now = economy(store, "study")
        shown = decided_view.decided_page(store, "study")
    order = [system.system for system in now.systems]
    better = {frozenset((pair.first, pair.second)): pair.better for pair in now.pairs}
    allowed = [
        ranking
        for ranking in permutations(order)
        if all(
            not winner or ranking.index(winner) < ranking.index(next(iter(both - {winner})))
            for both, winner in better.items()
        )
    ]
    for system in order:
        ranks = [ranking.index(system) + 1 for ranking in allowed]
        assert now.rank_ranges[system] == (min(ranks), max(ranks))
    assert all(system in str(shown.panel.ladder) for system in order)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("rank:2", "every pair of systems is decided, or within ±2"),
        ("best", "every system but the best is beaten by another"),
        ("better:alder,birch", "it is decided which of alder and birch is better"),
        ("not-worse:birch,alder,3", "birch is shown to be at most 3 worse than alder"),
        ("precision:1.5", "every mean is known to ±1.5"),
        ("agreement:0.5", "the interval of agreement lies above 0.5"),
    ],
)
def test_the_goal_in_words(goal: str, words: str) -> None:
    plain = decided_view._enough_when(parse_goal(goal)).replace("\u2068", "").replace("\u2069", "")
    assert plain == words
