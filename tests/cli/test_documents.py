from __future__ import annotations

import csv
from pathlib import Path

from analysis.test_material import falcon_folder
from cli.command import Command
from formats.test_judgements import simulated
from lanner.reports.export import export, export_as


def test_a_report_from_a_folder(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    [row] = lanner("report", falcon_folder(tmp_path / "s"), "--out", "out", "--json", "--svg-only").envelope["rows"]
    assert row["tables"] >= 2
    assert "FALCON" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_judge_who_is_not_there(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    ran = lanner("report", falcon_folder(tmp_path / "s"), "--judges", "nobody")
    assert ran.code == 2
    assert "There is no judge 'nobody'" in ran.err


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
    for name in ("wmt_mqm", "appraise_scores"):
        refusal = lanner("export", "mine.csv", "--texts", "--to", name, "--out", "mine.x").err
        assert "mine.x: This format holds judgements alone" in refusal
        assert ".mine.x" not in refusal  # no temporary file
        assert not (tmp_path / "mine.x").exists()
    assert "Which format" in lanner("export", "mine.csv", "--texts", "--out", "x").err


def test_a_campaign_gives_its_texts_to_a_format_without_judgements(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    assert lanner("import", falcon_folder(tmp_path / "s"), "--name", "pilot").code == 0
    assert "--texts" in lanner("export", "pilot", "--to", "table", "--out", "texts.csv").err
    assert lanner("export", "pilot", "--texts", "--to", "table", "--out", "texts.csv").code == 0
    assert "source" in (tmp_path / "texts.csv").read_text(encoding="utf-8").partition("\n")[0]


def test_a_format_that_cannot_say_who_is_left_out_says_so(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    assert lanner("import", falcon_folder(tmp_path / "s"), "--name", "pilot").code == 0
    assert lanner("campaign", "leave-out", "pilot", "judge2", "--reason", "too fast").code == 0
    for name, is_said in (("label_studio", True), ("native", False)):
        ran = lanner("export", "pilot", "--to", name, "--out", f"out.{name}.json", "--identified")
        assert ran.code == 0
        assert ("cannot say who is left out of all results: judge2." in " ".join(ran.out.split())) is is_said


def test_numbers_are_the_same_from_the_export(lanner: Command, tmp_path: Path) -> None:
    made = simulated("h_falcon")
    export_as(made, "native", tmp_path / "whole.jsonl")
    export(made, tmp_path / "table.csv")
    whole = lanner("agreement", tmp_path / "whole.jsonl", "--json").envelope["rows"]
    table = lanner("agreement", tmp_path / "table.csv", "--json").envelope["rows"]
    assert whole
    assert [{**row, "part": ""} for row in table] == [{**row, "part": ""} for row in whole]


def test_guidelines_are_printed_and_written(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "document,segment,source,target\nd,1,One.,Eins.\nd,2,Two.,Zwei.\n", encoding="utf-8"
    )
    lanner("new", "pilot", "--texts", "t.csv", "--protocol", "h_falcon", "--judges", "Ana, Ben")
    ran = lanner("guidelines", "pilot")
    assert "Version 1" in ran.out
    assert "Reference consistency" in ran.out
    assert lanner("guidelines", "pilot", "--out", tmp_path / "g.html").code == 0
    assert "<html" in (tmp_path / "g.html").read_text(encoding="utf-8")
    wrong = lanner("guidelines", "pilot", "--out", tmp_path / "g.pdf")
    assert wrong.code == 2
    assert ".md or .html" in wrong.err
