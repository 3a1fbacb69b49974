from pathlib import Path

from cli.command import Command
from lanner import campaign
from lanner.store import Store


def test_progress_per_judge_and_document(lanner: Command, pilot: str) -> None:
    [row] = lanner("campaign", "show", pilot, "--json").envelope["rows"]
    assert (row["judge"], row["items"], row["done"]) == ("ana", 2, 0)
    assert len(lanner("campaign", "show", pilot, "--by", "document", "--json").envelope["rows"]) == 2


def test_what_judges_consented_to_is_shown(lanner: Command, pilot: str, tmp_path: Path) -> None:
    assert "consent" not in lanner("campaign", "show", pilot, "--json").envelope["rows"][0]
    with Store.open(tmp_path / "lanner.sqlite", create=False) as store:
        campaign.consent(store, pilot, "ana", "consent@1.0 0123abcd")
    [row] = lanner("campaign", "show", pilot, "--json").envelope["rows"]
    assert row["consent"].startswith("consent@1.0 0123abcd, 20")


def test_states_are_changed_and_listed(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "set", pilot, "pause").code == 0
    [row] = lanner("campaign", "list", "--json").envelope["rows"]
    assert row["state"] == "paused"
    assert lanner("campaign", "set", "pilott", "open").code == 2


def test_there_is_no_calibration_round(lanner: Command, pilot: str) -> None:
    ran = lanner("campaign", "calibrated", pilot)
    assert ran.code == 4
    assert "no calibration round" in ran.err


def test_the_archive_is_listed_apart(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "archive", pilot).code == 0
    assert lanner("campaign", "list", "--json").envelope["rows"] == []
    [row] = lanner("campaign", "list", "--archived", "--json").envelope["rows"]
    assert row["name"] == pilot
