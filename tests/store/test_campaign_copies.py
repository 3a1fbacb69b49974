from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from campaign_parts import corpus, first_task, opened, save
from lanner import campaign
from lanner.campaign import drawing, states
from lanner.errors import CampaignError, LannerError, StoreError
from lanner.model import Judge
from lanner.store import CollisionError, Store, schema
from lanner.store.accounts import AccountRole
from lanner.store.backup import TABLES, backup, contents, verify, verify_file
from lanner.store.backup import _last as last_given
from lanner.store.campaign_copies import bring_back, copy_campaign
from lanner.store.campaigns import Campaigns

NUMBERED_ANEW = {"event", "ledger"}


def judged(store: Store) -> str:
    """A campaign with answers, one of them revised, a judge left out, one who withdrew, settings and a log. The secret
    of a judge's link."""
    gold = {"document": "d0", "segment": "0", "systems": ["alder"], "expected": {"score": {"at_least": 90}}}
    judges = [Judge("ana"), Judge("bo", attributes={"native": "ko"}), Judge("cy")]
    opened(store, "da", judges=judges, settings={"controls": {"gold": [gold]}, "note": "Take your time."}, seed=4)
    for judge in judges:
        task = first_task(store, judge.id)
        for item in range(len(task.items)):
            save(store, task, item, {"score": 40 + item}, active=3.0)
    save(store, first_task(store), 0, {"score": 90})
    campaign.leave_out(store, "first", "bo", "always the same")
    campaign.withdraw(store, "first", "cy")
    with store.writing() as tx:
        boss = tx.accounts.add("boss", "hash", AccountRole.ORGANISER, datetime.now(UTC))
        tx.accounts.join(boss, tx.campaigns.get("first").id)
    campaign.configure(store, "first", settings={"margin": 2}, account=boss)
    return campaign.invitations.issue(store, "first", "ana")


def rows(store: Store) -> dict[str, Any]:
    """What a store holds, without the numbers that change."""
    with store.snapshot() as connection:
        held: dict[str, Any] = {**contents(connection)}
        for name in NUMBERED_ANEW:
            table = schema.metadata.tables[name]
            held[name] = [tuple(row)[1:] for row in connection.execute(table.select().order_by(table.c.id))]
    return held


def test_deleted_and_brought_back_it_is_as_it_was(store: Store, tmp_path: Path) -> None:
    secret = judged(store)
    head, before = campaign.chain_head(store, "first"), rows(store)
    assert head is not None
    copy = tmp_path / "deep" / "copy.sqlite"
    campaign.remove(store, "first", name="first", copy=copy)
    assert campaign.campaigns(store) == [] and not any(found.problems for found in verify_file(copy, head.hash))
    opened(store, name="second")
    other = save(store, first_task(store, name="second"), answers={"comment": "x"})
    assert min(other.ids.values()) > head.last, "none of the numbers that the first one had"
    campaign.remove(store, "second", name="second")
    bring_back(copy, "first", store.address)
    after = rows(store)
    logged = [entry[3] for entry in after["event"]]
    assert logged[:3] == ["removed", "removed", "created"] and logged[-1] == "brought_back"
    after["event"] = [entry for entry in after["event"] if entry in before["event"]]
    assert after.pop("campaign") != before.pop("campaign"), (
        "a new version, so that nothing remembered of it is believed"
    )
    assert after == before
    assert not any(found.problems for found in verify(store, head.hash))
    participant = campaign.invitations.lookup(store, secret)
    assert participant is not None and participant.judge.id == "ana"
    assert save(store, first_task(store), 0, {"score": 7}).done
    assert not any(found.problems for found in verify(store))


def test_the_draws_of_an_adaptive_campaign_are_counted_once(store: Store, tmp_path: Path) -> None:
    """A server that runs on remembers the draws up to the last entry of the log, and those come back under others."""
    opened(store, "da", documents=corpus((2,) * 8), design="adaptive", seed=1)
    for _ in range(3):
        for judge in ("ana", "bo"):
            task = first_task(store, judge)
            for item in range(len(task.items)):
                save(store, task, item, {"score": 40 + item})
            campaign.finish(store, task.id)
    before = list(drawing.state(store, "first").allocation.draws)
    copy = tmp_path / "copy.sqlite"
    campaign.remove(store, "first", name="first", copy=copy)
    bring_back(copy, "first", store.address)
    assert before and list(drawing.state(store, "first").allocation.draws) == before


def test_an_older_copy_is_not_taken_for_what_was_deleted(store: Store, tmp_path: Path) -> None:
    """What a server remembers goes by the version, and an older copy with one change more would have the same."""
    opened(store, "da", documents=corpus((2,) * 8), design="adaptive", seed=1)
    first_task(store, "ana")
    copy = tmp_path / "copy.sqlite"
    copy_campaign(store, campaign.get(store, "first").id, copy)
    drawn = list(drawing.state(store, "first").allocation.draws)
    campaign.pause(store, "first")
    assert list(drawing.state(store, "first").allocation.draws) == drawn
    campaign.remove(store, "first", name="first")
    bring_back(copy, "first", store.address)
    assert drawn and list(drawing.state(store, "first").allocation.draws) == drawn


def test_a_backup_gives_back_one_campaign_to_a_store_with_other_accounts(store: Store, tmp_path: Path) -> None:
    judged(store)
    copy = backup(store, tmp_path / "all.sqlite").path
    with Store.open(tmp_path / "other.sqlite") as other:
        bring_back(copy, "first", other.address)
        assert [entry.value for entry in campaign.history(other, "first")] == [
            entry.value for entry in campaign.history(store, "first")
        ]
        assert {event.account for event in campaign.events(other, "first")} == {None}
        opened(other, "da", name="second")
        assert save(other, first_task(other, name="second"), answers={"score": 5}).done
        assert not any(found.problems for found in verify(other))
        with pytest.raises(StoreError, match="called 'first' here"):
            bring_back(copy, "first", other.address)
    with Store.open(tmp_path / "third.sqlite") as third:
        opened(third, name="mine")
        with pytest.raises(StoreError, match="given its numbers to others"):
            bring_back(copy, "first", third.address)
        assert [entry.name for entry in campaign.campaigns(third)] == ["mine"]


@pytest.mark.postgres
def test_no_number_is_given_twice_while_a_campaign_comes_back(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others save meanwhile: PostgreSQL gives them numbers whatever this transaction holds."""
    with Store.open(postgres_url) as store:
        opened(store, "da")
        opened(store, "da", name="second")
        campaign.remove(store, "first", name="first", copy=tmp_path / "copy.sqlite")
        task, given = first_task(store, name="second"), [0]

        def look_then_save(connection: Connection, table: str) -> int:
            last = last_given(connection, table)
            given.extend(save(store, task, 0, {"score": len(given)}).ids.values())
            return last

        monkeypatch.setattr("lanner.store.backup._last", look_then_save)
        bring_back(tmp_path / "copy.sqlite", "first", postgres_url)
        with store.writing() as tx:
            assert tx.judgements.reserve(1, [1])[0] > max(given) > 0


def test_what_fails_on_the_way_loses_nothing(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(store)
    before = rows(store)
    (tmp_path / "taken").write_text("")
    with pytest.raises(CampaignError, match="no copy could be kept"):
        campaign.remove(store, "first", name="first", copy=tmp_path / "taken")
    for full in ("lanner.store.campaign_copies.copy_table", "lanner.store.backup._settle"):
        with monkeypatch.context() as patched, pytest.raises(CampaignError, match="no copy could be kept"):
            patched.setattr(full, _no_room)
            campaign.remove(store, "first", name="first", copy=tmp_path / "copy.sqlite")
    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space"):
        patched.setattr(Campaigns, "remove", _no_room)
        campaign.remove(store, "first", name="first", copy=tmp_path / "copy.sqlite")
    assert rows(store) == before
    assert {path.name for path in tmp_path.iterdir() if "lanner" not in path.name} == {"taken", "copy.sqlite"}


def _no_room(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_an_answer_that_comes_while_the_copy_is_made_is_in_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(store)
    task, values = first_task(store), iter([11, 12])

    def copy_then_save(*arguments: Any) -> str:
        state = copy_campaign(*arguments)
        for value in values:
            save(store, task, 0, {"score": value})
            break
        return state

    monkeypatch.setattr(states, "copy_campaign", copy_then_save)
    campaign.remove(store, "first", name="first", copy=tmp_path / "copy.sqlite")
    bring_back(tmp_path / "copy.sqlite", "first", store.address)
    assert [j.value for j in campaign.history(store, "first")][-2:] == [11, 12]


def test_a_deletion_that_meets_a_judge_who_comes_in_is_tried_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(store)
    original, met = Campaigns.remove, []

    def meet_once(*arguments: Any) -> None:
        original(*arguments)
        if not met:
            met.append("session_judge_fkey")
            raise CollisionError("a judge of a session cannot go")

    monkeypatch.setattr(Campaigns, "remove", meet_once)
    campaign.remove(store, "first", name="first", copy=tmp_path / "copy.sqlite")
    assert met and campaign.campaigns(store) == []
    assert bring_back(tmp_path / "copy.sqlite", "first", store.address)[0].name == "first"


@pytest.mark.parametrize("change", ["save", "time", "consent"])
def test_while_something_changes_again_and_again_nothing_is_deleted(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    judged(store)
    task, numbers = first_task(store), iter(range(50, 99))
    changes: dict[str, Callable[[int], object]] = {
        "save": lambda number: save(store, task, 0, {"score": number}),
        "time": lambda number: save(store, task, 0, {"score": 90}, active=float(number)),
        "consent": lambda number: campaign.consent(store, "first", "bo", f"version {number}"),
    }

    def copy_then_change(*arguments: Any) -> str:
        state = copy_campaign(*arguments)
        changes[change](next(numbers))
        return state

    monkeypatch.setattr(states, "copy_campaign", copy_then_change)
    with pytest.raises(CampaignError, match="out of date") as refused:
        campaign.remove(store, "first", name="first", copy=tmp_path / "copy.sqlite")
    assert refused.value.code == "answered_meanwhile"
    assert campaign.history(store, "first") and not (tmp_path / "copy.sqlite").exists()


def test_an_answer_that_comes_during_the_deletion_is_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(store)
    task, outcomes = first_task(store), []

    def judge() -> None:
        try:
            outcomes.append(save(store, task, 0, {"score": 11}))
        except LannerError as refusal:
            outcomes.append(refusal)

    saving, original = threading.Thread(target=judge), Campaigns.remove

    def begin_to_save_then_remove(*arguments: Any) -> None:
        saving.start()
        original(*arguments)

    monkeypatch.setattr(Campaigns, "remove", begin_to_save_then_remove)
    campaign.remove(store, "first", name="first", copy=tmp_path / "copy.sqlite")
    saving.join()
    [outcome] = outcomes
    assert isinstance(outcome, LannerError)


def test_what_is_the_servers_is_in_no_copy(store: Store, tmp_path: Path) -> None:
    judged(store)
    with store.writing() as tx:
        number = tx.campaigns.get("first").id
        tx.webhooks.add("https://a.example", "sealed:unforgettable", ["closed"], datetime.now(UTC), campaign=number)
        tx.tokens.add("t", "unforgettable hash", ["judgements"], datetime.now(UTC), campaign=number)
    campaign.remove(store, "first", name="first", copy=tmp_path / "copy.sqlite")
    assert b"unforgettable" not in (tmp_path / "copy.sqlite").read_bytes()
    with Store.open(tmp_path / "copy.sqlite") as copy, copy.snapshot() as connection:
        held = {name for name, content in contents(connection).items() if content.rows}
    assert {table.name for table in TABLES} - held == {"token", "webhook", "delivery", "ledger"}
