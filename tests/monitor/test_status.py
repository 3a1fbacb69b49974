from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from adaptive_campaign import made, work
from lanner import campaign
from lanner.analysis.economy import economy
from lanner.campaign.drawing import leave_open
from lanner.model import Judge, JudgeKind, Judgement
from lanner.monitor import status as status_module
from lanner.monitor.live import LiveCampaigns
from lanner.monitor.snapshot import JudgePace, JudgeProgress, joint_finish
from lanner.monitor.status import campaign_status
from lanner.protocols import load
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


def test_a_campaign_says_who_left_work_that_nobody_has_taken_over(store: Store) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0]
    campaign.submit(store, task.id, 0, complete(), submission="one", active=60.0, at=NOW)

    def needed() -> tuple[list[tuple[str, str]], tuple[str, str]]:
        status = campaign_status(store, campaign.get(store, "trial"), LiveCampaigns(store).snapshot(1), NOW)
        [finish] = [check for check in status.verdict.checks if check.code == "finish"]
        needs = [(need.code, f"{need.title} {need.more}") for need in status.needs if need.code in ("idle", "stuck")]
        return needs, (str(finish.value), str(finish.why))

    campaign.withdraw(store, "trial", "J2")
    items = sum(len(entry.items) for entry in campaign.tasks(store, "trial", "judge-2"))
    open_ = f"{items} items are open. Let someone else take over, or create a new link."
    assert needed() == (
        [("stuck", f"judge-2 cannot go on: the link is revoked. {open_}")],
        ("not yet", "link revoked: judge-2"),
    )
    campaign.replace_judge(store, "trial", "judge-2", Judge("J3"))
    needs, (_, why) = needed()
    assert needs == [("idle", "Not begun: J3. ")]
    assert "revoked" not in why


def test_numbers_that_name_somebody_who_was_erased_since_are_not_shown(store: Store) -> None:
    open_campaign(store)
    old = LiveCampaigns(store).snapshot(1)
    entry = campaign.get(store, "trial")
    assert campaign_status(store, entry, old, NOW, chosen=old).ready
    campaign.leave_out(store, "trial", "J2", "too fast")
    left_out = LiveCampaigns(store).snapshot(1)
    campaign.erase(store, "trial", "J2")
    for numbers in (old, left_out):
        status = campaign_status(store, entry, numbers, NOW, chosen=numbers)
        assert not status.ready
        assert "J2" not in {*status.snapshot.left_out, *status.snapshot.people, *status.chosen.people}


def test_the_live_page_waits_for_nobody_who_is_left_out_and_counts_as_the_command_does(store: Store) -> None:
    open_campaign(store)
    for task in campaign.tasks(store, "trial", "J1"):
        for item in range(len(task.items)):
            campaign.submit(store, task.id, item, complete(), submission=f"{task.id} {item}", active=60.0, at=NOW)
    last = campaign.tasks(store, "trial", "J2")[0]
    campaign.submit(store, last.id, 0, complete(), submission="one", active=60.0, at=NOW)

    def counts() -> tuple[int, int]:
        status = campaign_status(store, campaign.get(store, "trial"), LiveCampaigns(store).snapshot(1), NOW)
        progress = campaign.progress(store, "trial")
        assert (status.done, status.total) == (progress.whole.done, progress.items)
        return status.done, status.total

    items = sum(len(task.items) for task in campaign.tasks(store, "trial", "J1"))
    assert counts() == (items + 1, 2 * items)
    campaign.leave_out(store, "trial", "J2", "stopped coming")
    assert counts() == (items + 1, items + 1)


def test_work_without_any_times_has_no_hours_no_cost_and_no_end(store: Store) -> None:
    """They were 0 seconds for 0.00, and the end was "being counted" for ever."""
    open_campaign(store, settings={"hourly_rate": 36})
    task = campaign.tasks(store, "trial", "J1")[0]
    campaign.submit(store, task.id, 0, complete(), submission="one")
    status = campaign_status(store, campaign.get(store, "trial"), LiveCampaigns(store).snapshot(1), NOW)
    first, second = status.people
    assert (first.progress.has_no_times, first.cost, status.cost) == (True, None, None)
    assert (second.progress.has_no_times, second.cost) == (False, 0)
    finish = next(check for check in status.verdict.checks if check.code == "finish")
    assert str(finish.why) == "how long items take is not known"


def test_imported_answers_are_counted_as_soon_as_they_are_there(store: Store) -> None:
    open_campaign(store)
    document = documents()[0]
    first, second, third = (segment.id for segment in document.segments)

    def done() -> dict[str, int]:
        status = campaign_status(store, campaign.get(store, "trial"), None, NOW)
        return {judge.participant.judge.id: judge.progress.done for judge in status.people}

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
    assert [(judge.participant.judge.id, judge.cost) for judge in status.models] == [("gpt", None)]
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


def finish_check(store: Store, name: str, *, counted: bool = True) -> tuple[str, str, str]:
    entry = campaign.get(store, name)
    snapshot = LiveCampaigns(store).snapshot(entry.id) if counted else None
    verdict = campaign_status(store, entry, snapshot, NOW).verdict
    check = next(check for check in verdict.checks if check.code == "finish")
    return str(check.value), check.tone, str(check.why)


def test_a_pool_is_complete_when_nothing_is_free_any_more(store: Store) -> None:
    """Judges who have done all they took are not the end of a pool, on no page and in no command."""
    people = [Judge("J1"), Judge("J2")]
    campaign.create(store, "pool", documents(), load("da"), people, design="pool", seed=1, at=NOW)
    campaign.open(store, "pool", at=NOW)
    everything = sum(len(document.segments) * len(document.segments[0].outputs) for document in documents())
    done = 0
    while task := campaign.next_task(store, "pool", "J1"):
        for at in range(len(task.items)):
            question = next(question.id for _, question in load("da").questions)
            campaign.submit(store, task.id, at, {question: 50}, submission=f"{task.id}-{at}", at=NOW, active=10.0)
        campaign.finish(store, task.id, at=NOW)
        done += len(task.items)
        progress = campaign.progress(store, "pool")
        assert (progress.whole.done, progress.items, progress.free) == (done, everything, everything - done)
        assert progress.done_of_all == f"{done} of {everything}"
        assert sum(part.items for part in progress.documents) == everything
        status = campaign_status(store, campaign.get(store, "pool"), None, NOW)
        assert (status.done, status.total) == (done, everything)
        with store.reading() as tx:
            assert tx.progress.totals()[campaign.get(store, "pool").id][:2] == (everything, done)
        value, tone, why = finish_check(store, "pool", counted=False)
        if done < everything:
            assert (tone, why.endswith("nobody has taken yet")) == ("none", True)
            assert finish_check(store, "pool")[0] != "complete"
    assert done == everything
    assert (value, tone, why) == ("complete", "ok", "all texts assigned are judged")


def test_a_pool_is_done_when_all_who_work_have_shared_what_is_free(store: Store) -> None:
    """Two judges with an hour a day each, 60 s an item, 240 free items: two days."""
    one = JudgeProgress("a", 60, 60, (), JudgePace(), 3600.0, 0.0, 1.0, None)
    two = JudgeProgress("b", 30, 60, (), JudgePace(), 1800.0, 1800.0, 1.0, None)
    assert joint_finish([one, two], 240, NOW) == NOW + timedelta(days=(4 + 0.5) / 2)
    assert joint_finish([replace(one, done=0, active=0.0)], 240, NOW) is None


ON_ONE_DATABASE = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
"""For what does not depend on where rows lie: the log of a campaign is read on both in the tests of the store."""


@ON_ONE_DATABASE
def test_an_adaptive_campaign_is_complete_when_it_has_reached_its_goal_and_not_before(store: Store) -> None:
    made(store, documents=24, goal="better:birch,alder")
    while work(store, most=7):
        now = economy(store, "study")
        progress = campaign.progress(store, "study")
        value, tone, why = finish_check(store, "study")
        if now.enough:
            break
        assert value != "complete"
        assert tone != "bad"
        assert why.endswith("judgements to come"), why
        assert progress.done_of_all.startswith(f"{now.judgements} of at most ")
        assert now.judgements < progress.items <= now.all_judgements
        live = LiveCampaigns(store).snapshot(1).decisions
        assert live is not None
        assert (live.outcome, live.judgements, live.settled) == ("running", now.judgements, now.decided)
    assert now.enough
    assert (value, tone, why) == ("enough", "ok", "the goal is reached")
    assert progress.undrawn == 0


@ON_ONE_DATABASE
def test_a_look_that_is_taken_without_new_answers_changes_what_the_live_page_says(store: Store) -> None:
    made(store, documents=16, goal="rank:2")
    work(store, most=20)
    live = LiveCampaigns(store)
    before = live.snapshot(1)
    assert before.decisions is not None and before.decisions.states["open"]
    first, second = next((pair.first, pair.second) for pair in economy(store, "study").open)
    leave_open(store, "study", first, second)
    after = live.snapshot(1)
    assert after.decisions is not None
    assert after.decisions.states["left"] == 1
    assert after.stamp == before.stamp


@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/Los_Angeles"])
def test_how_late_a_judge_will_be_is_counted_in_the_days_of_the_deadline(store: Store, zone: str) -> None:
    open_campaign(store, settings={"deadline": "2026-11-16", "time_zone": zone})
    task = campaign.tasks(store, "trial", "J1")[0]
    at = NOW - timedelta(days=2)
    campaign.submit(store, task.id, 0, complete(), submission="one", active=7200.0, answered_at=at, at=at)
    snapshot = LiveCampaigns(store).snapshot(1)
    differ = set()
    for minutes in range(0, 120, 30):
        status = campaign_status(store, campaign.get(store, "trial"), snapshot, NOW + timedelta(minutes=minutes))
        judge = status.people[0]
        assert judge.progress.finish is not None
        there = judge.progress.finish.astimezone(ZoneInfo(zone)).date()
        [finish] = [check for check in status.verdict.checks if check.code == "finish"]
        assert (judge.days_late, finish.value) == ((there - date(2026, 11, 16)).days, there)
        differ.add(there != judge.progress.finish.astimezone(UTC).date())
    assert differ == {True, False}
