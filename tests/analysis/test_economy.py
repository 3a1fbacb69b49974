"""An adaptive campaign from its first draw to its stop: what is decided is true, and what more would buy is said."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adaptive_campaign import made, score, texts, work
from campaign_parts import NOW
from lanner import campaign
from lanner.analysis.economy import GoalOutcome, economy, score_interval, score_text, with_answers
from lanner.analysis.material import from_campaign
from lanner.model import Judge, JudgeKind
from lanner.monitor.live import LiveCampaigns
from lanner.protocols import load
from lanner.reports.export import codebook, export
from lanner.stats.goals import LOOKS, Goal, GoalKind, State, forecast, start, take_look
from lanner.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "study.db") as opened:
        yield opened


def test_a_campaign_runs_to_its_stop_and_finds_the_truth(store: Store) -> None:
    made(store)
    work(store)
    now = economy(store, "study")
    assert now.enough and now.ended
    states = {(pair.first, pair.second): pair for pair in now.pairs}
    assert states["alder", "birch"].better == "birch"
    assert states["alder", "cedar"].better == "cedar"
    assert now.judgements < now.all_judgements
    assert now.unused == now.all_judgements - now.judgements
    assert [one.system for one in now.systems][-1] == "alder"
    pair = states["alder", "birch"]
    assert pair.low is not None and pair.high is not None and pair.low < -20 < pair.high
    alder = next(one for one in now.systems if one.system == "alder")
    birch = next(one for one in now.systems if one.system == "birch")
    assert alder.documents < birch.documents, "a settled system is shown no more"


def test_the_means_of_a_complete_campaign_are_the_plain_means(store: Store) -> None:
    made(store, documents=12, goal="precision:0.01")
    work(store)
    for one in economy(store, "study").systems:
        truth = np.mean([score(d.id, s.id, one.system) for d in texts(12) for s in d])
        assert one.value == pytest.approx(truth)
        assert one.plain == pytest.approx(truth)


def test_a_campaign_for_precision_shows_no_wider_interval_than_was_asked_for(store: Store) -> None:
    made(store, documents=60, goal="precision:2.2")
    work(store)
    now = economy(store, "study")
    assert now.enough and now.documents < 60
    for one in now.systems:
        assert one.low is not None and one.high is not None
        assert (one.high - one.low) / 2 <= 2.2


def test_intervals_are_about_what_the_goal_is_about(tmp_path: Path) -> None:
    widths, shares = [], []
    for these_documents in (False, True):
        with Store.open(tmp_path / f"{these_documents}.db") as store:
            made(store, these_documents=these_documents)
            work(store, most=36, looks=False)
            now = economy(store, "study")
        ends = [(one.low, one.high) for one in (*now.pairs, *now.systems)]
        widths.append([high - low for low, high in ends if low is not None and high is not None])
        shares.append(now.documents / now.all_documents)
    assert shares[0] == shares[1] >= 0.5
    usual, narrow = np.array(widths)
    assert len(usual) == 6
    assert narrow / usual == pytest.approx(np.sqrt(1 - shares[0]), rel=0.1), "the draws that are left to chance alone"


def test_a_few_very_bad_documents_are_said_to_make_intervals_too_narrow(store: Store) -> None:
    made(store, goal="precision:0.01", documents=24)
    work(store)
    now = economy(store, "study")
    rows = pd.DataFrame(
        [(name, d.id, score(d.id, s.id, name)) for d in texts(24) for s in d for name in TRUE_MEANS],
        columns=["system", "document", "score"],
    )
    found = []
    for _, own in rows.groupby("system"):
        each = own.groupby("document").score.agg(["sum", "size"])
        left = each["sum"] - each["size"] * own.score.mean()
        found.append((left**3).mean() / (left**2).mean() ** 1.5)
    assert now.skewness == pytest.approx(np.median(found)) and not now.is_skewed
    assert replace(now, skewness=-2.0).is_skewed
    assert not replace(now, skewness=-2.0, goal=Goal(GoalKind.RANK)).is_skewed


def test_what_the_next_hundred_would_bring_is_said(store: Store) -> None:
    made(store, documents=30)
    work(store, most=30)
    now = economy(store, "study")
    assert not now.enough
    assert now.forecast is not None and now.judgements_left is not None
    assert 0 <= now.forecast.low <= now.forecast.expected <= now.all_judgements
    for pair in now.open:
        assert pair.chance is not None and 0 <= pair.chance <= 1
    assert now.minutes == pytest.approx(20 / 60)


def test_work_to_the_end_counts_every_judge_of_a_document(store: Store) -> None:
    made(store, documents=30, judges_per_document=2)
    work(store, most=60)
    now = economy(store, "study")
    current, _ = with_answers(store, "study")
    alone = forecast(now.goal, current.answers(), current.standing, more=50)  # fifty by one judge are a hundred by two
    assert now.forecast is not None and alone is not None
    assert now.forecast.expected == pytest.approx(2 * alone.expected)
    assert now.forecast.chances == alone.chances
    assert now.all_judgements == 2 * 3 * sum(len(document.segments) for document in texts(30))  # by three systems


def test_a_document_that_more_judges_share_by_chance_is_counted(store: Store) -> None:
    made(store, documents=12, goal="precision:0.01", overlap=0.5)
    work(store, most=3)
    once = 3 * sum(len(document.segments) for document in texts(12))
    assert economy(store, "study").all_judgements == round(1.5 * once)
    work(store)
    now = economy(store, "study")
    assert now.judgements > once
    assert now.judgements <= now.all_judgements


def test_a_budget_bounds_judgements_and_hours_alike(store: Store) -> None:
    made(store, documents=30, budget=80)
    work(store, most=30)
    now = replace(economy(store, "study"), first=NOW)
    left = 80 - now.judgements
    assert now.forecast is not None and now.forecast.low < left < now.forecast.expected
    assert now.judgements_left == (left, now.forecast.low, left)
    later = NOW + timedelta(days=4)
    assert now.finish(NOW) is None, "there is no day to go by"
    assert now.finish(later) == later + timedelta(days=4 * left / now.judgements)


def test_predictions_of_a_model_in_the_campaign_are_used(store: Store) -> None:
    made(store, documents=12)
    campaign.add_judges(store, "study", [Judge("machine", kind=JudgeKind.MODEL)], design="full", options={})
    question = next(q.id for _, q in load("da").questions)
    for task in campaign.tasks(store, "study", "machine"):
        for at, item in enumerate(task.items):
            value = score(item.document, item.segment, item.systems[0])
            campaign.submit(store, task.id, at, {question: value}, submission=f"m{task.id}-{at}", at=NOW)
        campaign.finish(store, task.id, at=NOW)
    allocation, _ = with_answers(store, "study")
    assert allocation.predictions is not None
    assert allocation.predictions.shape == (12, 3)
    assert not allocation.complete, "a model's answers are no judgement of people"


def test_agreement_above_a_minimum_is_a_goal(store: Store) -> None:
    made(store, goal="agreement:0.5", judges_per_document=2)
    work(store, spread=5)
    now = economy(store, "study")
    assert now.goal.kind is GoalKind.AGREEMENT
    assert now.enough
    assert now.agreement is not None and now.agreement[1] > 0.5
    assert now.documents < now.all_documents


def test_the_last_look_waits_for_the_second_judge(store: Store) -> None:
    """With three documents it was taken when the first judge was done: agreement was never looked at again."""
    made(store, goal="agreement:0.3", judges_per_document=2, documents=3)
    work(store, ("ana",))
    assert economy(store, "study").outcome is GoalOutcome.RUNNING, "all is drawn, and half of it is out"
    work(store, ("bo",), spread=5)
    now = economy(store, "study")
    assert now.look == LOOKS and now.agreement is not None and now.agreement[1] > 0.3
    assert now.outcome is GoalOutcome.REACHED


def test_a_campaign_that_is_closed_has_ended(store: Store) -> None:
    made(store, goal="precision:0.01")
    work(store, most=30)
    assert economy(store, "study").outcome is GoalOutcome.RUNNING
    campaign.close(store, "study")
    assert economy(store, "study").outcome is GoalOutcome.ENDED


def test_small_scores_keep_their_zero_and_unknown_ones_are_empty() -> None:
    assert (score_text(0.5), score_text(-63.0), score_text(None)) == ("0.50", "−63.00", "")
    assert (score_interval(-0.5, 0.25), score_interval(None, 1.0)) == ("[−0.50, 0.25]", "")


TRUE_MEANS = {
    name: float(np.mean([score(document.id, segment.id, name) for document in texts() for segment in document]))
    for name in ("alder", "birch", "cedar")
}
"""What the complete campaign would say, from the truth that the simulated judges report."""


def test_the_best_is_found_and_never_beaten(store: Store) -> None:
    made(store, goal="best")
    work(store)
    now = economy(store, "study")
    best = max(TRUE_MEANS, key=lambda name: TRUE_MEANS[name])
    losers = {pair.second if pair.better == pair.first else pair.first for pair in now.pairs if pair.better}
    assert now.enough and best not in losers
    assert "alder" in losers, "20 points worse than both others"
    assert now.judgements < now.all_judgements


def test_which_of_two_is_better_is_decided_as_the_truth_has_it(store: Store) -> None:
    made(store, goal="better:alder,birch")
    work(store)
    now = economy(store, "study")
    (pair,) = now.pairs
    assert now.enough and (pair.state, pair.better) == (State.DECIDED, "birch")
    assert {one.system for one in now.systems if one.documents} == {"alder", "birch"}, "nobody else is shown"
    true = TRUE_MEANS["alder"] - TRUE_MEANS["birch"]
    assert pair.low is not None and pair.high is not None and pair.low < true < pair.high
    shown = sum(len(list(document)) for document in texts()) * 2
    assert now.judgements < shown == now.all_judgements


@pytest.mark.parametrize(("goal", "holds"), [("not-worse:cedar,alder,5", True), ("not-worse:alder,cedar,5", False)])
def test_not_worse_is_shown_only_where_it_is_true(store: Store, goal: str, holds: bool) -> None:
    first, second = goal.partition(":")[2].split(",")[:2]
    assert (TRUE_MEANS[first] > TRUE_MEANS[second] - 5) is holds
    made(store, goal=goal)
    work(store)
    (pair,) = economy(store, "study").pairs
    assert (pair.state is State.DECIDED) is holds
    assert pair.better == "", "what is not much worse need not be better"


def test_the_numbers_can_be_made_again_from_the_export_alone(store: Store, tmp_path: Path) -> None:
    """The lines of docs/adaptive.md give the page's scores, and a difference taken their way gives its differences."""
    made(store, documents=30)
    work(store, most=70)
    with store.reading() as tx:
        drawn = tx.events.of(campaign.get(store, "study").id, kinds=("document_drawn",))
    chances = [event.detail["probability"] for event in drawn]
    assert any(abs(chance * (30 - at) - 1) > 0.01 for at, chance in enumerate(chances)), "all were drawn evenly"
    export(from_campaign(store, "study"), tmp_path / "pilot.csv")
    lines = (Path(__file__).parents[2] / "docs" / "adaptive.md").read_text(encoding="utf-8")
    recount = lines.partition("```py\n")[2].partition("```")[0].replace("documents=200", "documents=30")
    names: dict[str, Any] = {}
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(io.StringIO()):
        exec(recount, names)
    now = economy(store, "study")
    items = names["items"]
    for one in now.systems:
        assert one.value == pytest.approx(names["weighted_mean"](items[items.system == one.system]), rel=1e-9)
    assert any(one.value != pytest.approx(one.plain, rel=1e-4) for one in now.systems)
    wide = items.pivot(index=["draw", "draw_probability", "segment"], columns="system", values="score")
    for pair in now.pairs:
        both = (wide[pair.first] - wide[pair.second]).dropna().rename("score").reset_index()
        assert pair.value == pytest.approx(names["weighted_mean"](both), rel=1e-9)
    columns = {row["id"]: row["meaning"] for row in codebook(from_campaign(store, "study"))}
    assert {"draw", "draw_probability"} <= set(columns)
    assert "of 30 documents were drawn" in columns["study"]


def test_the_price_of_leaving_a_judge_out_counts_pairs_as_looks_decide_them(store: Store) -> None:
    made(store, documents=30, overlap=0.6)
    work(store, most=80)
    now = economy(store, "study")
    price = LiveCampaigns(store).leaving_out(1, "cy")
    assert price is not None and price.pairs is not None and price.pairs_without is not None
    decided = {(one.better, one.second if one.better == one.first else one.first) for one in now.pairs if one.better}
    assert decided == set(price.pairs.decided) and price.pairs.pairs == 3
    kept = {
        (winner, loser)
        for winner, loser in (("birch", "alder"), ("cedar", "alder"))
        if (winner, loser) in price.pairs_without.decided
    }
    assert kept == set(price.pairs_without.decided), "nothing is decided against the truth"
    campaign.leave_out(store, "study", "cy", "for a test")
    others, _ = with_answers(store, "study")
    look = len(others.complete) * LOOKS // 30
    assert look < now.look, "fewer documents are finished without them"
    again = take_look(now.goal, others.answers(), start(now.goal, others.systems), look)
    names = others.systems
    assert set(price.pairs_without.decided) == {
        (names[winner], names[sum(pair) - winner])
        for pair, winner in zip(again.pairs, again.winners, strict=True)
        if winner >= 0
    }
