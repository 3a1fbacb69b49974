import csv
from pathlib import Path

from cli.command import Command
from test_material import falcon_folder


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
    assert (row["name"], row["kind"]) == ("again", "campaign (falcon)")
    assert lanner("agreement", "again", "-q", "context").code == 0
