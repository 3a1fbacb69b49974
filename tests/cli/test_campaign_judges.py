from pathlib import Path

from cli.command import Command
from lanner import campaign
from lanner.store import Store


def tasks(judge: str) -> int:
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        return len(campaign.tasks(store, "pilot", judge))


def test_a_judge_who_comes_later_gets_a_link_and_the_same_texts(lanner: Command, pilot: str) -> None:
    [row] = lanner("campaign", "add-judges", pilot, "Ben", "--json").envelope["rows"]
    assert "/j/" in row["link"]
    judges = lanner("campaign", "show", pilot, "--json").envelope["rows"]
    assert [judge["items"] for judge in judges] == [2, 2]


def test_someone_else_takes_over_and_the_old_link_stops_working(lanner: Command, pilot: str) -> None:
    mine = tasks("ana")
    [row] = lanner("campaign", "replace-judge", pilot, "ana", "Cleo", "--json").envelope["rows"]
    assert (row["judge"], row["tasks"]) == ("cleo", mine)
    assert "/j/" in row["link"]
    assert lanner("campaign", "replace-judge", pilot, "ana", "Cleo, Dae").code == 2


def test_a_finished_document_is_reopened(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "reopen", pilot, "ana", "d").code == 4, "nothing is finished yet"
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        task = next(task for task in campaign.tasks(store, pilot, "ana") if task.items[0].document == "d")
        with store.writing() as tx:
            tx.tasks.set_finished(task.id, campaign.now())
        assert campaign.task(store, task.id).finished_at
    [row] = lanner("campaign", "reopen", pilot, "ana", "d", "--json").envelope["rows"]
    assert row["task"] == task.id
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        assert campaign.task(store, task.id).finished_at is None


def test_overlap_gives_only_what_is_missing(lanner: Command, pilot: str) -> None:
    ran = lanner("campaign", "add-overlap", pilot, "--judges", "ana", "--documents", "d, e", "--json")
    assert ran.envelope["rows"][0]["tasks"] == 0
    assert lanner("campaign", "add-overlap", pilot, "--judges", "ana", "--documents", "x").code == 2


def test_a_link_is_revoked(lanner: Command, pilot: str) -> None:
    [row] = lanner("links", pilot, "--judge", "ana", "--json").envelope["rows"]
    secret = row["link"].rpartition("/")[2]
    assert lanner("campaign", "revoke", pilot, "ana").code == 0
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        assert campaign.invitations.lookup(store, secret) is None


def test_forgetting_needs_the_id_written_out(lanner: Command, pilot: str) -> None:
    ran = lanner("campaign", "forget", pilot, "ana")
    assert ran.code == 2 and "--typed" in ran.err
    assert lanner("campaign", "forget", pilot, "ana", "--typed", "ben").code == 2
    [row] = lanner("campaign", "forget", pilot, "ana", "--typed", "ana", "--json").envelope["rows"]
    assert row["called"].startswith("judge-")
    gone = lanner("campaign", "forget", pilot, row["called"], "--answers", "--typed", row["called"], "--json")
    assert gone.envelope["rows"][0]["deleted"] == 0
