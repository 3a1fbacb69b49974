from pathlib import Path

import pytest

from cli.command import Command


@pytest.fixture
def pilot(lanner: Command, tmp_path: Path) -> str:
    (tmp_path / "t.csv").write_text(
        "document,segment,source,target\nd,1,One.,Eins.\ne,1,Two.,Zwei.\n", encoding="utf-8"
    )
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana")
    return "pilot"


def test_progress_per_judge_and_document(lanner: Command, pilot: str) -> None:
    [row] = lanner("campaign", "show", pilot, "--json").envelope["rows"]
    assert (row["judge"], row["items"], row["done"]) == ("ana", 2, 0)
    assert len(lanner("campaign", "show", pilot, "--by", "document", "--json").envelope["rows"]) == 2


def test_states_are_changed_and_listed(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "set", pilot, "pause").code == 0
    [row] = lanner("campaign", "list", "--json").envelope["rows"]
    assert row["state"] == "paused"
    assert lanner("campaign", "set", "pilott", "open").code == 2


def test_a_judge_who_comes_later_gets_a_link_and_the_same_texts(lanner: Command, pilot: str) -> None:
    [row] = lanner("campaign", "add-judges", pilot, "Ben", "--json").envelope["rows"]
    assert "/j/" in row["link"]
    judges = lanner("campaign", "show", pilot, "--json").envelope["rows"]
    assert [judge["items"] for judge in judges] == [2, 2]


def test_there_is_no_calibration_round(lanner: Command, pilot: str) -> None:
    ran = lanner("campaign", "calibrated", pilot)
    assert ran.code == 2
    assert "no calibration round" in ran.err
