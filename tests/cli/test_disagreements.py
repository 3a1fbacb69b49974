from __future__ import annotations

from pathlib import Path

import pytest

from adaptive_campaign import made, work
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


def test_every_kind_of_answer_is_shown_with_the_distance_of_its_question(lanner: Command, disputed: str) -> None:
    made = lanner("campaign", "disagreements", disputed, "--question", "skills", "--json").envelope["rows"]
    assert made == [], "both rate the skills alike"
    made = lanner("campaign", "disagreements", disputed, "--question", "sentence", "--json").envelope["rows"]
    assert made == []
    with Store.open(Path("lanner.sqlite")) as store:
        task = campaign.tasks(store, disputed, "ben")[0]
        skills = {**complete("h_falcon")["skills"], "idea_development": "high"}
        campaign.submit_many(store, [Submission(task.id, 0, {"skills": skills}, "again")])
    [row] = lanner("campaign", "disagreements", disputed, "--question", "skills", "--json").envelope["rows"]
    assert [answer.split(":")[0] for answer in row["answers"]] == ["ana", "ben"]
    assert [answer.count(": ") for answer in row["answers"]] == [10, 10], "each of nine skills by its name"
    assert row["distance"] == pytest.approx(2 / 3 / 9, abs=1e-4)


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


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--judges", "ana,bne"], "trial has no person 'bne'."),
        (["--document", "e"], "There is no document 'e'."),
        (["--domain", "news"], "No document is of the domain 'news'."),
    ],
)
def test_whom_and_what_nobody_knows_has_no_disagreements(
    lanner: Command, disputed: str, options: list[str], why: str
) -> None:
    assert why in lanner("campaign", "disagreements", disputed, *options).err


@pytest.mark.parametrize("place", [["d", "1"], ["d", "1", "--system", "gpt"], ["d", "99", "--system", "target"]])
def test_what_nobody_has_judged_is_not_settled(lanner: Command, disputed: str, place: list[str]) -> None:
    ran = lanner("campaign", "settle", disputed, *place, "--answer", "holistic=7")
    assert ran.code
    assert "Nobody has judged" in ran.err or "has no segment '99'" in ran.err
    assert agreed() == {}


def test_two_judges_are_two(lanner: Command, disputed: str) -> None:
    assert lanner("campaign", "disagreements", disputed, "--judges", "ana").code == 2


def test_notes_are_numbered_and_stay(lanner: Command, disputed: str) -> None:
    assert "no notes" in lanner("campaign", "note", disputed).out
    lanner("campaign", "note", disputed, "First.")
    rows = lanner("campaign", "note", disputed, "Second.", "--json").envelope["rows"]
    assert [(row["number"], row["text"]) for row in rows] == [(1, "First."), (2, "Second.")]


# `lanner new --goal` and `lanner campaign decided`, from the first draw to "enough".


def test_what_is_decided_is_printed_and_given_as_json(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        made(store, documents=16)
        work(store, most=12)
    assert "Not yet" in lanner("campaign", "decided", "study").out
    with Store.open(tmp_path / "lanner.sqlite") as store:
        work(store)
    text = lanner("campaign", "decided", "study").out
    assert "Enough" in text or "Ended" in text
    rows = lanner("campaign", "decided", "study", "--json").envelope["rows"]
    pairs = [row for row in rows if row.get("kind") == "pair"]
    assert {row["better"] for row in pairs if row["code"] == "decided"} <= {"birch", "cedar"}
    assert len(pairs) == 3


def test_a_pair_can_be_left_open(lanner: Command, tmp_path: Path) -> None:
    with Store.open(tmp_path / "lanner.sqlite") as store:
        made(store, documents=16)
    text = lanner("campaign", "decided", "study", "--leave-open", "cedar", "birch")
    assert text.code == 0 and "0 of 3 pairs settled, 1 left open" in text.out
    assert "not an open pair" in lanner("campaign", "decided", "study", "--leave-open", "birch", "cedar").err
    rest = [part for other in ("birch", "cedar") for part in ("--leave-open", "alder", other)]
    assert "Ended without reaching the goal" in lanner("campaign", "decided", "study", *rest).out


def test_a_goal_makes_the_design_adaptive(lanner: Command, tmp_path: Path) -> None:
    lines = ["document,segment,source,alder,birch"]
    lines += [f"d{d},{s},Source {s} of {d}.,A {s} of {d}.,B {s} of {d}." for d in range(10) for s in range(2)]
    (tmp_path / "texts.csv").write_text("\n".join(lines), encoding="utf-8")
    rest = ["--texts", "texts.csv", "--protocol", "da", "--judges", "2"]
    lanner("new", "study", *rest, "--goal", "best", "--set", "budget=30")
    with Store.open(tmp_path / "lanner.sqlite") as store, store.reading() as tx:
        found = tx.campaigns.find("study")
        assert found is not None and found.design == "adaptive"
        assert tx.campaigns.plan(found.id)["options"] == {"goal": "best", "budget": 30}
    assert "no goal" in lanner("new", "other", *rest, "--goal", "win").err
    assert "adaptive" in lanner("new", "other", *rest, "--goal", "best", "--design", "pool").err
