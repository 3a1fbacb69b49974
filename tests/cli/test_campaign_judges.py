from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cli.command import Command
from lanner import campaign
from lanner.campaign import Submission
from lanner.cli.campaign_judges import judges_from
from lanner.errors import InputError
from lanner.model import Role
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


LEVELS = ("sentence_level", "local", "extended")


def pilot(lanner: Command, folder: Path) -> None:
    """Two judges who differ on every second sentence of the first document and agree on the second document."""
    rows = "".join(f"d{d},{n},Sentence {d}.{n}.,Satz {d}.{n}.\n" for d in (1, 2) for n in range(1, 13))
    (folder / "t.csv").write_text(f"document,segment,source,target\n{rows}", encoding="utf-8")
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "falcon_labels", "--judges", "Ana, Ben")
    with Store.open(folder / "lanner.sqlite") as store:
        for judge in ("ana", "ben"):
            for task in campaign.tasks(store, "pilot", judge):
                for place, item in enumerate(task.items):
                    number = int(item.segment)
                    differs = item.document == "d1" and number % 2 and judge == "ben"
                    level = LEVELS[(number + bool(differs)) % 3]
                    late = timedelta(days=2 if item.document == "d2" else 0)
                    at = datetime(2026, 3, 1, tzinfo=UTC) + late
                    name = f"{judge}-{task.id}-{place}"
                    sent = Submission(task.id, place, {"context": level}, name, judge=judge, answered_at=at)
                    campaign.submit_many(store, [sent])


def test_the_most_disputed_sentences_are_listed_and_given_again(lanner: Command, tmp_path: Path) -> None:
    pilot(lanner, tmp_path)
    rows = lanner("campaign", "calibrate", "pilot", "--sentences", "4", "--json").envelope["rows"]
    assert len(rows) == 4
    assert all(row["unit"].startswith("d1/") and int(row["unit"].partition("/")[2]) % 2 for row in rows)
    assert all(row["sentence"].startswith("Sentence 1.") for row in rows)
    assert lanner("campaign", "calibrate", "pilot", "--sentences", "4", "--assign").code == 0
    with Store.open(tmp_path / "lanner.sqlite") as store:
        for judge in ("ana", "ben"):
            items = [item for task in campaign.tasks(store, "pilot", judge) for item in task.items]
            again = [item for item in items if item.role is Role.CALIBRATION]
            assert [f"{item.document}/{item.segment}" for item in again] == [row["unit"] for row in rows]


def test_agreement_before_and_after(lanner: Command, tmp_path: Path) -> None:
    pilot(lanner, tmp_path)
    rows = lanner("campaign", "training", "pilot", "--since", "2026-03-02", "--json").envelope["rows"]
    whole = next(row for row in rows if row["question"] == "context" and not row["part"])
    assert (whole["before_items"], whole["after_items"]) == (12, 12)
    assert whole["after"] == 1.0
    assert whole["difference"] > 0.5
    assert {row["part"] for row in rows} >= {"sentence_level", "local"}
    assert "not a date" in lanner("campaign", "training", "pilot", "--since", "soon").err
    assert "Nothing was answered after" in lanner("campaign", "training", "pilot", "--since", "2027-01-01").err


def test_a_new_link_replaces_the_old_one(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    made = lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana", "--json")
    [again] = lanner("links", "pilot", "--judge", "ana", "--json").envelope["rows"]
    assert again["link"] != made.envelope["rows"][0]["link"]


def test_an_unknown_judge(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana")
    ran = lanner("links", "pilot", "--judge", "anna")
    assert ran.code == 2
    assert "Did you mean 'ana'" in ran.err


def test_a_number_names_or_a_file(tmp_path: Path) -> None:
    assert [judge.id for judge in judges_from("2")] == ["judge1", "judge2"]
    assert [(judge.id, judge.name) for judge in judges_from("Ana María, Ben")] == [
        ("ana-mar-a", "Ana María"),
        ("ben", "Ben"),
    ]
    path = tmp_path / "j.csv"
    path.write_text("id,name,language\nj1,Ana,ko\n", encoding="utf-8")
    [judge] = judges_from(str(path))
    assert (judge.id, judge.name, judge.attributes) == ("j1", "Ana", {"language": "ko"})


def test_a_file_without_names(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("who\nana\n", encoding="utf-8")
    with pytest.raises(InputError, match="column id or name"):
        judges_from(str(path))
