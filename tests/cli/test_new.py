from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from cli.command import Command
from lanner.cli.new import settings_from
from lanner.errors import InputError


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text("document,segment,source,target\nd,1,One.,Eins.\nd,2,Two.,Zwei.\n", encoding="utf-8")
    return path


def test_a_campaign_with_links_that_are_stored_hashed(lanner: Command, texts: Path, tmp_path: Path) -> None:
    ran = lanner("new", "pilot", "--texts", texts, "--protocol", "h_falcon", "--judges", "Ana, Ben", "--json")
    rows = ran.envelope["rows"]
    assert [row["judge"] for row in rows] == ["ana", "ben"]
    assert all(row["items"] == 2 for row in rows)
    secrets = [row["link"].rsplit("/", 1)[1] for row in rows]
    assert len(set(secrets)) == 2
    assert all(len(secret) >= 22 for secret in secrets)  # 128 bits
    stored = (
        (tmp_path / "lanner.sqlite").read_bytes() + (tmp_path / "lanner.sqlite-wal").read_bytes()
        if (tmp_path / "lanner.sqlite-wal").exists()
        else (tmp_path / "lanner.sqlite").read_bytes()
    )
    assert not any(secret.encode() in stored for secret in secrets)


def test_the_same_seed_gives_the_same_tasks(lanner: Command, texts: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert lanner("new", name, "--texts", texts, "--protocol", "h_falcon", "--judges", 3, "--seed", 7).code == 0
    with sqlite3.connect(tmp_path / "lanner.sqlite") as database:
        query = """SELECT judge.key, task.position, item.segment, item.systems
        FROM item JOIN task ON item.task = task.id JOIN judge ON task.judge = judge.id
        JOIN campaign ON judge.campaign = campaign.id WHERE campaign.name = ?
        ORDER BY 1, 2, item.position"""
        assert database.execute(query, ("one",)).fetchall() == database.execute(query, ("two",)).fetchall()


def test_judges_from_a_file_keep_their_attributes(lanner: Command, texts: Path, tmp_path: Path) -> None:
    table = "name;native;years;email\nAna María;es;12;ana@example.org\n"  # addresses are for letters, and not kept
    (tmp_path / "judges.csv").write_text(table, encoding="utf-8")
    lanner("new", "pilot", "--texts", texts, "--protocol", "h_falcon", "--judges", tmp_path / "judges.csv")
    with sqlite3.connect(tmp_path / "lanner.sqlite") as database:
        assert database.execute("SELECT attributes FROM judge").fetchone() == ('{"native":"es","years":"12"}',)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--protocol", "h_falcom", "--judges", "2"], "Did you mean 'h_falcon'"),
        (["--protocol", "h_falcon", "--judges", "2", "--design", "ful"], "Did you mean 'full'"),
        (["--protocol", "h_falcon"], "--judges is missing"),
        (["--protocol", "h_falcon", "--judges", "2", "--option", "k"], "NAME=VALUE"),
    ],
)
def test_mistakes_are_said_and_nothing_is_made(
    lanner: Command, texts: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    ran = lanner("new", "pilot", "--texts", texts, *arguments)
    assert ran.code == 2
    assert words in ran.err
    if (tmp_path / "lanner.sqlite").exists():
        with sqlite3.connect(tmp_path / "lanner.sqlite") as database:
            assert database.execute("SELECT count(*) FROM campaign").fetchone() == (0,)


def test_two_campaigns_of_one_name(lanner: Command, texts: Path) -> None:
    arguments = ("new", "pilot", "--texts", texts, "--protocol", "h_falcon", "--judges", 1)
    assert lanner(*arguments).code == 0
    assert lanner(*arguments).code == 2


def test_no_judges_leaves_nothing_behind(lanner: Command, texts: Path, tmp_path: Path) -> None:
    asked = ("new", "pilot", "--texts", texts, "--protocol", "h_falcon", "--judges")
    ran = lanner(*asked, "0")
    assert ran.code == 2 and "There are no judges." in ran.err
    assert lanner(*asked, "3", "--design", "batches").code == 2, "three are no teams of two"
    assert not list(tmp_path.glob("lanner.sqlite*"))


TEXT = "document,segment,source,target\nd,1,One.,Eins.\nd,2,Two.,Zwei.\ne,1,Three.,Drei.\n"


def test_designs_are_listed_with_their_options(lanner: Command) -> None:
    rows = lanner("design", "--json").envelope["rows"]
    assert {"full", "batches", "latin_square", "pairs", "parity", "pool"} <= {row["design"] for row in rows}


def test_the_plan_counts_work_and_cost(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    ran = lanner("design", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", 2, "--rate", 60, "--json")
    people = [row for row in ran.envelope["rows"] if "judge" in row]
    assert [row["items"] for row in people] == [3, 3]
    assert people[0]["cost"] == 3  # three minutes at sixty an hour
    assert not (tmp_path / "lanner.sqlite").exists()


def test_the_plan_counts_what_follows_a_calibration_round(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT + "d2,1,Two.,Zwei.\n", encoding="utf-8")
    (tmp_path / "s.toml").write_text('calibration = ["d2"]\n', encoding="utf-8")
    arguments = ("--texts", "t.csv", "--protocol", "h_falcon", "--judges", 2, "--settings", "s.toml")
    ran = lanner("design", *arguments, "--json")
    assert [row["items"] for row in ran.envelope["rows"] if "judge" in row] == [4, 4]
    assert not any("judged by nobody" in note for note in ran.envelope["notes"])


def test_numbers_that_cannot_be_met_are_refused_with_what_would_work(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    ran = lanner(
        "design", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", 2,
        "--design", "batches", "--option", "judges_per_document=3",
    )  # fmt: skip
    assert ran.code == 2
    assert "3" in ran.err


def test_any_number_of_judges_can_take_turns_at_contexts_and_how_evenly_is_said(
    lanner: Command, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TEXT, encoding="utf-8")
    asked = ("--texts", "t.csv", "--protocol", "da", "--judges", 3, "--contexts", "none; own±1")
    uneven = "The judges cannot be split evenly over the 2 scenarios: a document is judged by 1 to 2 of them in each."
    for option in ((), ("--option", "even_groups=false")):
        ran = lanner("design", *asked, *option, "--json")
        assert ran.code == 0 and uneven in " ".join(ran.envelope["notes"])
    assert uneven in " ".join(lanner("new", "c", *asked, "--json").envelope["notes"])
    refused = lanner("design", *asked, "--option", "even_groups=true")
    assert refused.code == 2 and "Add 1 judge, or leave out 1." in refused.err


def test_a_file_and_options(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('before = ["consent"]\ncalibration = ["d1"]\n')
    assert settings_from(path, "background, consent", "") == {
        "before": ["background", "consent"],
        "calibration": ["d1"],
    }


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("before = [")
    with pytest.raises(InputError, match=r"s\.toml"):
        settings_from(path, "", "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("practise_agreement = 0.8", "Did you mean 'practice_agreement'"),
        ('consent = "We keep everything."', "There is no setting 'consent'"),
        ("practice_agreement = 80", "lies between 0 and 1"),
    ],
)
def test_a_setting_that_nothing_reads_or_that_makes_no_sense_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        settings_from(path, "", "")
    assert reason in str(caught.value)


def test_questionnaires_become_pages_of_the_campaign(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,segment,source,target\nd,1,One.,Eins.\n", encoding="utf-8")
    arguments = ("--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana", "--before", "consent")
    [row] = lanner("new", "pilot", *arguments, "--json").envelope["rows"]
    assert row["tasks"] == 2
    pages = [row["page"] for row in lanner("design", *arguments, "--json").envelope["rows"] if "page" in row]
    assert "rating" in pages
    assert len(pages) == 2
