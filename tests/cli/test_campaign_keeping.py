from pathlib import Path

import pytest

from cli.command import Command
from lanner import campaign, formats
from lanner.model import Document, Judge, JudgeKind, Segment
from lanner.store import Store


def test_settings_are_shown_changed_and_taken_away(lanner: Command, pilot: str) -> None:
    ran = lanner("campaign", "settings", pilot, "hourly_rate=21.5", "deadline=2026-12-01", "--title", "Ours", "--json")
    rows = {row["setting"]: row["value"] for row in ran.envelope["rows"]}
    assert (rows["title"], rows["hourly_rate"], rows["deadline"]) == ("Ours", 21.5, "2026-12-01")
    rows = {row["setting"] for row in lanner("campaign", "settings", pilot, "deadline=", "--json").envelope["rows"]}
    assert "deadline" not in rows and "hourly_rate" in rows


@pytest.mark.parametrize("change", ["deadline=soon", "hourly_rate=much", "minimum_agreement=2", "deadline"])
def test_settings_that_make_no_sense_are_refused(lanner: Command, pilot: str, change: str) -> None:
    assert lanner("campaign", "settings", pilot, change).code == 2


def test_a_setting_that_nothing_reads_is_refused_and_can_be_removed(lanner: Command, pilot: str) -> None:
    refused = lanner("campaign", "settings", pilot, "practise_agreement=0.8")
    assert refused.code == 2
    assert "Did you mean 'practice_agreement'?" in refused.err
    frozen = lanner("campaign", "settings", pilot, "calibration=d0")
    assert frozen.code == 2 and "decided when a campaign is created" in frozen.err
    assert lanner("campaign", "settings", pilot, "practise_agreement=").code == 0
    rows = {row["setting"] for row in lanner("campaign", "settings", pilot, "--json").envelope["rows"]}
    assert "practise_agreement" not in rows and "calibration" not in rows


def test_into_the_archive_and_out(lanner: Command, pilot: str) -> None:
    lanner("campaign", "archive", pilot)
    assert lanner("campaign", "archive", pilot, "--out").code == 0
    assert len(lanner("campaign", "list", "--json").envelope["rows"]) == 1


def test_a_duplicate_is_a_draft_with_the_same_judges_or_others(lanner: Command, pilot: str) -> None:
    [row] = lanner("campaign", "duplicate", pilot, "second", "--json").envelope["rows"]
    assert row == {"name": "second", "state": "draft"}
    lanner("campaign", "duplicate", pilot, "third", "--judges", "Ben, Chi")
    lanner("campaign", "duplicate", pilot, "fourth", "--no-judges")
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        found = {name: [j.id for j in campaign.judges(store, name)] for name in ("second", "third", "fourth")}
    assert found == {"second": ["ana"], "third": ["ben", "chi"], "fourth": []}


def test_deleting_needs_the_name_and_keeps_a_copy_that_can_be_read(lanner: Command, pilot: str) -> None:
    assert lanner("campaign", "delete", pilot).code == 2
    [row] = lanner("campaign", "delete", pilot, "--typed", pilot, "--json").envelope["rows"]
    assert Path(row["copy"]).stat().st_size
    assert lanner("campaign", "list", "--json").envelope["rows"] == []
    assert lanner("import", row["copy"]).code == 0


def test_without_a_copy_nothing_is_deleted(lanner: Command, pilot: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    ran = lanner("campaign", "delete", pilot, "--typed", pilot, "--folder", tmp_path / "taken" / "below")
    assert ran.code == 4 and "Nothing was deleted" in ran.err
    assert len(lanner("campaign", "list", "--json").envelope["rows"]) == 1


def test_a_models_marks_are_offered_in_the_same_campaign(lanner: Command, tmp_path: Path) -> None:
    model = Judge("gemba", kind=JudgeKind.MODEL)
    segments = (Segment("1", "eins", {"alder": "one two", "birch": "two one"}),)
    texts = [Document(f"d{n}", segments, "de", "en") for n in range(4)]
    with Store.open(tmp_path / "lanner.sqlite") as store:
        campaign.create(store, "both", texts, "esa", [model, Judge("ana")])
        campaign.open(store, "both")
        mark = {"side": "target", "start": 0, "end": 3, "severity": "minor"}
        for task in campaign.tasks(store, "both", "gemba"):
            campaign.submit(store, task.id, 0, {"errors": [mark], "score": 50}, submission=str(task.id))
    assert "no judge 'gamba'" in lanner("campaign", "prefill", "both", "gamba").err
    ran = lanner("campaign", "prefill", "both", "gemba", "--unassisted", "0.5", "--json")
    assert ran.envelope["rows"] == [{"name": "both", "model": "gemba", "marks": 4, "unassisted": 4}]
    formats.write("native", tmp_path / "texts", texts)
    new = ("new", "more", "--texts", "texts", "--protocol", "esa", "--judges", "2")
    assert "whose marks" in lanner(*new, "--prefill", "gemba").err
    assert lanner(*new, "--prefill", "gemba@both").code == 0
    with Store.open(tmp_path / "lanner.sqlite") as store:
        assert campaign.get(store, "more").settings["prefill"] == {"model": "gemba", "from": "both"}
