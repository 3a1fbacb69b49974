import csv
from pathlib import Path

from analysis.test_material import falcon_folder
from cli.command import Command
from formats.test_judgements import simulated
from lanner.reports import exchange
from lanner.reports.export import export


def test_a_table_with_its_codebook(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    ran = lanner("export", falcon_folder(tmp_path / "s"), "--out", "out.csv")
    assert ran.code == 0
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["label"] for row in csv.DictReader(file) if row["question"] == "context"}
    assert labels == {"local", "extended", "universal"}
    assert (tmp_path / "out.codebook.csv").is_file()


def test_an_unknown_format(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    ran = lanner("export", falcon_folder(tmp_path / "s"), "--out", "x", "--to", "natve")
    assert ran.code == 2
    assert "Did you mean 'native'" in ran.err


def test_what_was_exported_can_be_imported_again(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    assert lanner("export", falcon_folder(tmp_path / "s"), "--out", "all.jsonl", "--to", "native").code == 0
    ran = lanner("import", "all.jsonl", "--name", "again", "--json")
    (row,) = ran.envelope["rows"]
    assert (row["name"], row["kind"]) == ("again", "campaign (falcon_labels)")
    assert lanner("agreement", "again", "-q", "context").code == 0


def test_texts_alone_go_from_one_format_into_another(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("document,source,target\nd,One.,Eins.\n", encoding="utf-8")
    assert "--texts" in lanner("export", "mine.csv", "--to", "tmx", "--out", "mine.tmx").err
    [row] = lanner("export", "mine.csv", "--texts", "--to", "tmx", "--out", "mine.tmx", "--json").envelope["rows"]
    assert row == {"file": "mine.tmx", "documents": 1}
    assert "<seg>Eins.</seg>" in (tmp_path / "mine.tmx").read_text(encoding="utf-8")
    assert "Which format" in lanner("export", "mine.csv", "--texts", "--out", "x").err


def test_a_campaign_gives_its_texts_to_a_format_without_judgements(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    assert lanner("import", falcon_folder(tmp_path / "s"), "--name", "pilot").code == 0
    assert "--texts" in lanner("export", "pilot", "--to", "table", "--out", "texts.csv").err
    assert lanner("export", "pilot", "--texts", "--to", "table", "--out", "texts.csv").code == 0
    assert "source" in (tmp_path / "texts.csv").read_text(encoding="utf-8").partition("\n")[0]


def test_numbers_are_the_same_from_the_export(lanner: Command, tmp_path: Path) -> None:
    made = simulated("h_falcon")
    exchange.write(made, "native", tmp_path / "whole.jsonl")
    export(made, tmp_path / "table.csv")
    whole = lanner("agreement", tmp_path / "whole.jsonl", "--json").envelope["rows"]
    table = lanner("agreement", tmp_path / "table.csv", "--json").envelope["rows"]
    assert whole
    assert [{**row, "part": ""} for row in table] == [{**row, "part": ""} for row in whole]
