from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import click
import pytest

from analysis.test_material import falcon_folder
from cli.command import Command
from data_sets import data_dir
from lanner import formats
from lanner.cli import imports


def test_texts_become_a_corpus_file(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("document,segment,source,target\nd,1,One.,Eins.\nd,2,Two.,Zwei.\n", encoding="utf-8")
    [row] = lanner("import", path, "--json").envelope["rows"]
    assert (row["documents"], row["sentences"], row["answers"]) == (1, 2, 0)
    [document] = [json.loads(line) for line in (tmp_path / "mine.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [segment["source"] for segment in document["segments"]] == ["One.", "Two."]
    said = lanner("import", path, "--force")
    assert "--languages" in said.out + said.err  # nothing says which they are
    said = lanner("import", path, "--force", "--option", "languages=en-de")
    assert "name them with --languages" not in said.out + said.err
    again = lanner("import", path)
    assert again.code == 2
    assert "This file exists already" in again.err
    assert lanner("import", path, "--force").code == 0


def test_columns_that_may_be_translations_are_asked_about(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("document,source,alder,birch\nd,One.,1,2\n", encoding="utf-8")
    ran = lanner("import", "mine.csv")
    assert (ran.out + ran.err).count("Columns: ") == 1
    (hint,) = [line for line in (ran.out + ran.err).splitlines() if "known to hold a translation" in line]
    given = next(word for word in hint.split() if word.startswith("system:"))
    refused = lanner("new", "pilot", "--texts", "mine.jsonl", "--protocol", "h_falcon", "--judges", "Ana")
    assert "which columns hold translations" in refused.err
    assert lanner("import", "mine.csv", "--columns", given, "--force").code == 0
    assert lanner("new", "pilot", "--texts", "mine.jsonl", "--protocol", "h_falcon", "--judges", "Ana").code == 0


def test_a_file_is_never_written_over_by_what_was_read_from_it(lanner: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text('{"src": "One.", "tgt": "Eins."}\n', encoding="utf-8")
    before = path.read_bytes()
    for flags in ((), ("--force",)):
        assert lanner("import", path, *flags).code == 0
        assert path.read_bytes() == before
        assert (tmp_path / "mine-texts.jsonl").is_file()


def test_scores_that_answer_no_protocol_stay_with_their_texts(lanner: Command, tmp_path: Path) -> None:
    """Metric scores are not answers to questions: they are kept in the file, not made a campaign."""
    for name, content in {
        "sources/en-de.txt": "One.\n",
        "documents/en-de.docs": "news\td\n",
        "system-outputs/en-de/oak.txt": "Eins.\n",
        "metric-scores/en-de/chrF-refA.seg.score": "oak\t41.5\n",
    }.items():
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / name).write_text(content, encoding="utf-8")
    [row] = lanner("import", tmp_path / "set", "--json").envelope["rows"]
    assert (row["kind"], row["answers"]) == ("texts and scores", 1)
    assert not (tmp_path / "lanner.sqlite").exists()
    last = (tmp_path / "set.jsonl").read_text(encoding="utf-8").splitlines()[-1]
    assert json.loads(last)["value"] == 41.5


def test_judgements_become_a_campaign(lanner: Command, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    ran = lanner("import", falcon_folder(folder))
    assert ran.code == 0
    assert "lanner report study" in ran.out
    rows = lanner("agreement", "study", "-q", "context", "--json").envelope["rows"]
    assert {row["n"] for row in rows} == {2}


def test_a_wrong_label_names_file_line_and_nearest_and_leaves_the_store_alone(lanner: Command, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    lanner("import", falcon_folder(folder), "--name", "good")
    before = _rows(tmp_path)
    broken = folder / "human" / "evalset" / "judge2.csv"
    broken.write_text(broken.read_text(encoding="utf-8").replace("Universal", "Universel"), encoding="utf-8")
    ran = lanner("import", folder, "--name", "bad")
    assert ran.code == 2
    assert "judge2.csv:3" in ran.err
    assert "Did you mean 'universal'" in ran.err.replace("Universal", "universal")
    assert _rows(tmp_path) == before


def _rows(folder: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "lanner.sqlite") as database:
        tables = ("campaign", "judgement", "document", "judge")
        return [(name, *database.execute(f"SELECT count(*), max(id) FROM {name}").fetchone()) for name in tables]


@pytest.mark.parametrize("option", ["--protocol=da", "--missing=9"])
@pytest.mark.parametrize("header", ["source,system:A", "source,system,output"])
def test_what_is_about_answers_does_nothing_with_texts(
    lanner: Command, tmp_path: Path, option: str, header: str
) -> None:
    (tmp_path / "t.csv").write_text(f"{header}\nOne is here.,A,Eins ist da.\n".replace(",A,", ",", header.count(":")))
    assert f"{option.partition(chr(61))[0]} does nothing" in lanner("import", "t.csv", "--yes", option).err
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_missing_file(lanner: Command, tmp_path: Path) -> None:
    ran = lanner("import", "nothing.csv")
    assert ran.code == 2
    assert "nothing.csv" in ran.err
    assert not (tmp_path / "lanner.sqlite").exists()


def test_a_truncated_jsonl_names_the_line(lanner: Command, tmp_path: Path) -> None:
    whole = {"id": "d", "segments": [{"id": "1", "source": "One."}]}
    (tmp_path / "t.jsonl").write_text(json.dumps(whole) + "\n" + json.dumps(whole)[:25], encoding="utf-8")
    for how in ((), ("--from", "native")):
        ran = lanner("import", "t.jsonl", "--name", "u", *how)
        assert ran.code == 2
        assert "t.jsonl:2" in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.jsonl"]


def test_rows_of_a_document_may_stand_apart(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("document,source\nd,One.\ne,Two.\nd,Three.\n", encoding="utf-8")
    [row] = lanner("import", "t.csv", "--json").envelope["rows"]
    assert (row["documents"], row["sentences"]) == (2, 3)


def test_what_is_noticed_on_the_way_is_told(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("source,target,mood\nOne.,,calm\n,,\nTwo.,Zwei.,\n", encoding="utf-8")
    notes = " ".join(lanner("import", "t.csv", "--json").envelope["notes"])
    assert "system:target=target; kept as they are: mood" in notes
    assert "1 blank row is" in notes and "1 output is empty" in notes and "all rows are one" in notes


def test_guessed_columns_are_shown_and_confirmed(
    lanner: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.csv").write_text("source,target\nOne.,Eins.\n", encoding="utf-8")
    monkeypatch.setattr(imports, "_is_watched", lambda: True)
    asked: list[str] = []

    def answer(question: str, **_: object) -> bool:
        asked.append(question)
        return False

    monkeypatch.setattr(click, "confirm", answer)
    refused = lanner("import", "t.csv")
    assert (refused.code, asked) == (2, ["Is that right?"])
    assert "source=source, system:target=target" in refused.out
    assert "--columns " in refused.err
    assert not (tmp_path / "t.jsonl").exists()
    told = "columns=source=source,system:oak=target"
    assert lanner("import", "t.csv", "--option", told).code == 0
    assert lanner("import", "t.csv", "--yes", "--force").code == 0
    assert len(asked) == 1


def test_a_database_from_the_future_is_left_as_it_is(lanner: Command, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    lanner("import", falcon_folder(folder))
    with sqlite3.connect(tmp_path / "lanner.sqlite") as database:
        database.execute("INSERT INTO lanner_migration VALUES (9999, 'future', 0)")
    database.close()
    before = (tmp_path / "lanner.sqlite").read_bytes()
    ran = lanner("import", folder, "--name", "again")
    assert ran.code == 5
    assert "newer" in ran.err
    assert (tmp_path / "lanner.sqlite").read_bytes() == before


@pytest.mark.data
def test_the_released_folder(lanner: Command) -> None:
    envelope = lanner("import", data_dir("h-falcon"), "--json").envelope
    evalset, subset = envelope["rows"]
    assert (evalset["documents"], evalset["sentences"], evalset["judges"]) == (38, 809, 6)
    assert (subset["sentences"], subset["judges"]) == (298, 2)
    notes = " ".join(envelope["notes"])
    assert "2 answers are flagged: skills repeated" in notes
    assert "9 scores are missing" in notes


def test_every_format_is_listed(lanner: Command) -> None:
    rows = lanner("formats", "--json").envelope["rows"]
    assert {row["name"] for row in rows} == set(formats.titles())
    assert {row["name"] for row in rows if row["written"] == "yes"} == set(formats.titles(writable=True))
    assert "wmt_mqm" in lanner("formats").out


def test_one_says_what_it_can_be_told(lanner: Command) -> None:
    ran = lanner("formats", "table")
    assert ran.code == 0
    assert "--option columns=" in ran.out
    assert lanner("formats", "table", "--json").envelope["rows"][0]["options"] == formats.options("table")


def test_an_unknown_one_names_the_nearest(lanner: Command) -> None:
    ran = lanner("formats", "tabel")
    assert ran.code == 2
    assert "Did you mean 'table'" in ran.err
