"""The files a newcomer has, each in a campaign with two judges by one command; ratings to a report by one command."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.command import Command
from lanner import campaign
from lanner.store import Store
from newcomer_files import NEWCOMER_FILES, TEXTS, Maker, korean


@pytest.mark.parametrize("make", NEWCOMER_FILES, ids=lambda make: make.__name__)
def test_an_own_file_becomes_a_campaign_by_one_command(lanner: Command, tmp_path: Path, make: Maker) -> None:
    items = NEWCOMER_FILES[make]
    texts = [part for path in make(tmp_path) for part in ("--texts", path)]
    ran = lanner("new", "mine", *texts, "--protocol", "da", "--judges", "2", "--json")
    assert ran.code == 0, ran.err
    assert [row["items"] for row in ran.envelope["rows"]] == [items, items]
    assert lanner("import", *make(tmp_path), "--name", "corpus").code == 0


@pytest.mark.parametrize("make", TEXTS, ids=lambda make: make.__name__)
def test_the_texts_are_those_of_the_file(lanner: Command, tmp_path: Path, make: Maker) -> None:
    texts = [part for path in make(tmp_path) for part in ("--texts", path)]
    assert lanner("new", "mine", *texts, "--protocol", "da", "--judges", "2").code == 0
    with Store.open("lanner.sqlite") as store:
        documents = list(campaign.documents(store, "mine"))
    languages, expected = TEXTS[make]
    assert [(d.id, s.source, dict(s.outputs)) for d in documents for s in d] == expected
    assert {f"{d.source_language}-{d.target_language}" for d in documents} == {languages}


def test_the_languages_and_the_encoding_can_be_told_everywhere(lanner: Command, tmp_path: Path) -> None:
    korean(tmp_path)
    lanner("import", "ko.csv", "--languages", "en-ko", "--name", "a")
    assert '"target_language": "ko"' in (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    ran = lanner("import", "ko.csv", "--encoding", "cp949", "--name", "b")
    assert ran.code == 0
    assert "was read as" not in ran.out
    assert "was read as CP949" in lanner("import", "ko.csv", "--name", "c").out
    assert "no encoding called" in lanner("import", "ko.csv", "--encoding", "klingon", "--name", "d").err
    ran = lanner("import", "ko.csv", "--languages", "nonsense", "--name", "e")
    assert ran.code == 2 and "nonsense" in ran.err
    wrong = lanner("new", "x", "--texts", "ko.csv", "--columns", "source=웹", "--protocol", "da", "--judges", "2")
    assert "There is no column '웹'" in wrong.err


RATINGS = "judge,document,segment,system,score\n" + "".join(
    f"{judge},d{d},{s},{system},{1 + (d + s + len(system) + (judge == 'ben') * (d % 2)) % 5}\n"
    for d in range(6)
    for s in range(3)
    for system in ("oak", "ash-tree")
    for judge in ("ann", "ben")
)


@pytest.mark.parametrize("command", ["report", "agreement", "scores", "effort", "export"])
def test_ratings_without_a_protocol_are_analysed_and_the_guess_is_said(
    lanner: Command, tmp_path: Path, command: str
) -> None:
    (tmp_path / "r.csv").write_text(RATINGS)
    more = {"report": ["--svg-only", "--resamples", "50"], "export": ["--out", "x.csv"]}.get(command, [])
    ran = lanner(command, "r.csv", *more)
    if command == "effort":  # nothing was timed
        assert ran.code == 0 and "no item has a time" in ran.out
        return
    assert ran.code == 0, ran.err
    if command != "export":
        assert "No protocol is named" in ran.out


def test_texts_and_judgements_in_one_table(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(
        "judge,document,segment,system,source,target,score\n"
        "ann,d1,1,X,Hello.,Hallo.,80\nben,d1,1,X,Hello.,Hallo.,70\n"
        "ann,d1,1,Y,Hello.,Tag.,60\nben,d1,1,Y,Hello.,Tag.,9\n"
    )
    (row,) = lanner("import", "r.csv", "--json").envelope["rows"]
    assert (row["documents"], row["sentences"], row["judges"], row["answers"]) == (1, 1, 2, 4)
    assert row["kind"] == "campaign (da)"
