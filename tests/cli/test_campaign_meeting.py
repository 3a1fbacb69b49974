from pathlib import Path

import pytest

from cli.command import Command
from lanner import campaign
from lanner.campaign import Submission
from lanner.model import JudgeKind
from lanner.store import Store
from web_clients import complete


@pytest.fixture
def disputed(lanner: Command, tmp_path: Path) -> str:
    """Two judges who differ on every sentence of one document."""
    rows = "".join(f"d,{n},Source {n}.,Target {n}.\n" for n in range(1, 13))
    (tmp_path / "t.csv").write_text(f"document,segment,source,target\n{rows}", encoding="utf-8")
    lanner("new", "trial", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana, Ben")
    with Store.open(tmp_path / "lanner.sqlite") as store:
        for judge, score in (("ana", 2), ("ben", 9)):
            task = campaign.tasks(store, "trial", judge)[0]
            for item in range(len(task.items)):
                said = {**complete("h_falcon"), "holistic": score}
                said["skills"] = {**said["skills"], "idea_development": ("low", "high")[item % 2]}
                campaign.submit_many(store, [Submission(task.id, item, said, f"{judge}{item}", active=30.0)])
    return "trial"


def agreed() -> dict[str, object]:
    with Store.open(Path("lanner.sqlite"), create=False) as store:
        kinds = {judge.id: judge.kind for judge in campaign.judges(store, "trial")}
        found = campaign.judgements(store, "trial")
    return {entry.question: entry.value for entry in found if kinds[entry.judge] is JudgeKind.ADJUDICATED}


def test_the_verdict_with_its_checks_progress_and_agreement(lanner: Command, disputed: str) -> None:
    lanner("campaign", "settings", disputed, "hourly_rate=20")
    made = lanner("campaign", "check", disputed, "--json").envelope
    about = [row["about"] for row in made["rows"]]
    assert about.count("check") == 4 and about.count("judge") == 2 and "agreement" in about
    judge = next(row for row in made["rows"] if row["about"] == "judge")
    assert (judge["done"], judge["items"]) == (12, 12)
    assert judge["cost"] == "€2.00"
    holistic = next(row for row in made["rows"] if row.get("question") == "holistic")
    assert holistic["value"] < 0
    printed = lanner("campaign", "check", disputed, "--question", "holistic").out
    assert "An interval appears" in printed, "there is one document only"
    assert "Holistic score" in printed


def test_disagreements_are_listed_and_settled(lanner: Command, disputed: str) -> None:
    made = lanner("campaign", "disagreements", disputed, "--question", "holistic", "--json").envelope["rows"]
    assert len(made) == 12
    assert made[0]["answers"] == ["ana: 2", "ben: 9"]
    first = made[0]
    place = (disputed, first["document"], first["segment"], "--system", first["system"])
    ran = lanner("campaign", "settle", *place, "--answer", "holistic=7", "--note", "Idioms count.", "--guideline")
    assert ran.code == 0, ran.err
    assert agreed() == {"holistic": 7}
    assert len(lanner("campaign", "disagreements", disputed, "--show", "settled", "--json").envelope["rows"]) == 1
    [note] = lanner("campaign", "note", disputed, "--json").envelope["rows"]
    assert (note["number"], note["text"]) == (1, "Idioms count.")


def test_a_judges_answer_is_taken_as_it_is(lanner: Command, disputed: str) -> None:
    [first, *_] = lanner("campaign", "disagreements", disputed, "--json").envelope["rows"]
    place = (disputed, first["document"], first["segment"], "--system", first["system"])
    assert lanner("campaign", "settle", *place, "--answer", "holistic@=ben").code == 0
    assert agreed() == {"holistic": 9}
    assert lanner("campaign", "settle", *place, "--answer", "holistic@=nobody").code == 4


@pytest.mark.parametrize("answer", ["holistic", "holystic=3", "holistic=99"])
def test_what_answers_nothing_is_refused(lanner: Command, disputed: str, answer: str) -> None:
    assert lanner("campaign", "settle", disputed, "d", "1", "--system", "target", "--answer", answer).code == 2
    assert agreed() == {}


def test_two_judges_are_two(lanner: Command, disputed: str) -> None:
    assert lanner("campaign", "disagreements", disputed, "--judges", "ana").code == 2


def test_notes_are_numbered_and_stay(lanner: Command, disputed: str) -> None:
    assert "no notes" in lanner("campaign", "note", disputed).out
    lanner("campaign", "note", disputed, "First.")
    rows = lanner("campaign", "note", disputed, "Second.", "--json").envelope["rows"]
    assert [(row["number"], row["text"]) for row in rows] == [(1, "First."), (2, "Second.")]
