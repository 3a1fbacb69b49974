import sqlite3
from pathlib import Path

import pytest

from cli.command import Command


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
    (tmp_path / "judges.csv").write_text("name,native,years\nAna María,es,12\n", encoding="utf-8")
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
