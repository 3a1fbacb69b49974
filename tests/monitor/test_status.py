from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest

from lanner import campaign
from lanner.model import Judge, JudgeKind, Judgement
from lanner.monitor import status as status_module
from lanner.monitor.live import LiveCampaigns
from lanner.monitor.status import campaign_status
from lanner.store import Store
from web_clients import complete, documents, open_campaign

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def test_the_corpus_is_counted_by_domain(store: Store) -> None:
    open_campaign(store)
    corpus = campaign_status(store, campaign.get(store, "trial"), None, NOW).corpus
    assert (corpus.documents, corpus.sentences) == (2, 6)
    assert corpus.domains == (("social", 1, 3), ("news", 1, 3))


def test_hours_cost_and_lateness_of_a_judge(store: Store) -> None:
    open_campaign(store, settings={"hourly_rate": 36, "deadline": "2026-11-16"})
    task = campaign.tasks(store, "trial", "J1")[0]
    at = NOW - timedelta(days=2)
    campaign.submit(store, task.id, 0, complete(), submission="one", active=7200.0, answered_at=at, at=at)
    status = campaign_status(store, campaign.get(store, "trial"), LiveCampaigns(store).snapshot(1), NOW)
    first, second = status.people
    assert status.targets.deadline == date(2026, 11, 16)
    assert first.cost == pytest.approx(72)
    assert first.cost_in_all == pytest.approx(72 * first.progress.total)
    assert first.days_late is not None and first.days_late > 0
    assert (second.cost, second.days_late, second.controls) == (0, None, 0)
    assert [(need.code, str(need.title)) for need in status.needs][-1] == ("idle", "Not begun: Judge 2.")


def test_imported_answers_are_counted_as_soon_as_they_are_there(store: Store) -> None:
    open_campaign(store)
    document = documents()[0]
    first, second, third = (segment.id for segment in document.segments)

    def done() -> dict[str, int]:
        status = campaign_status(store, campaign.get(store, "trial"), None, NOW)
        return {judge.seat.judge.id: judge.progress.done for judge in status.people}

    def bring(judge: str, *segments: str) -> None:
        system = tuple(document.segments[0].outputs)[:1]
        rows = [Judgement(judge, "rating", "holistic", document.id, segment, system, 8) for segment in segments]
        campaign.import_judgements(store, "trial", rows)

    assert done() == {"J1": 0, "J2": 0}
    bring("guest", first)
    assert done() == {"J1": 0, "J2": 0, "guest": 1}
    bring("guest", second, third)
    bring("other", second)
    assert done() == {"J1": 0, "J2": 0, "guest": 3, "other": 1}
    task = campaign.tasks(store, "trial", "J1")[0]
    campaign.submit(store, task.id, 0, complete(), submission="one")
    assert done() == {"J1": 1, "J2": 0, "guest": 3, "other": 1}


def test_models_are_not_paid_by_the_hour(store: Store) -> None:
    open_campaign(store, settings={"hourly_rate": 36})
    campaign.add_judges(store, "trial", [Judge("gpt", JudgeKind.MODEL)], design="full")
    task = campaign.tasks(store, "trial", "gpt")[0]
    campaign.submit(store, task.id, 0, complete(), submission="one", active=7200.0, answered_at=NOW, at=NOW)
    status = campaign_status(store, campaign.get(store, "trial"), LiveCampaigns(store).snapshot(1), NOW)
    assert [(judge.seat.judge.id, judge.cost) for judge in status.models] == [("gpt", None)]
    assert status.cost == 0


def test_progress_of_a_large_campaign_is_shown_for_a_while(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for what an organiser changes, which shows at once."""
    open_campaign(store)
    clock = iter([100.0, 100.1, 104.9, 105.0, 105.1, 105.2, 110.2, 110.3])
    monkeypatch.setattr(status_module, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    def done() -> int:
        return campaign_status(store, campaign.get(store, "trial"), None, NOW).people[0].progress.done

    task = campaign.tasks(store, "trial", "J1")[0]
    monkeypatch.setattr(status_module, "_MANY_TASKS", 1)
    assert done() == 0
    campaign.submit(store, task.id, 0, complete(), submission="one")
    assert done() == 0, "counted a moment ago"
    campaign.pause(store, "trial")
    assert done() == 1
    campaign.reopen(store, "trial")
    campaign.submit(store, task.id, 1, complete(), submission="two")
    assert done() == 2
