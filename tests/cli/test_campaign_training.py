from datetime import UTC, datetime, timedelta
from pathlib import Path

from cli.command import Command
from lanner import campaign
from lanner.campaign import Submission
from lanner.model import Role
from lanner.store import Store

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
