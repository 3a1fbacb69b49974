"""The files a newcomer has, each in a campaign with two judges by one command; ratings to a report by one command."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import pytest

from cli.command import Command

CODES = """<xliff version="1.2"><file original="a.html" source-language="en" target-language="fr"><body>
<trans-unit id="1"><source>Click <bpt id="1">&lt;b&gt;</bpt>Save<ept id="1">&lt;/b&gt;</ept>.</source>
<target>Cliquez sur <bpt id="1">&lt;b&gt;</bpt>Enregistrer<ept id="1">&lt;/b&gt;</ept>.</target></trans-unit>
<trans-unit id="2"><source>Then wait.</source><target/></trans-unit></body></file></xliff>"""


def agency(folder: Path) -> list[Path]:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in (
        ["ACME Translations: project 4711"],
        ["delivered", "2026-03-01"],
        [],
        ["No.", "Source text (EN-US)", "Target text (DE-DE)"],
        [1, "Switch off the pump.", "Schalten Sie die Pumpe aus."],
        [2, "Wait for a minute.", "Warten Sie eine Minute."],
    ):
        page.append(row)
    book.save(folder / "agency.xlsx")
    return [folder / "agency.xlsx"]


def korean(folder: Path) -> list[Path]:
    text = "문서,번호,원문,번역\nd1,1,The ferry is late.,배가 늦습니다.\nd1,2,We waited.,우리는 기다렸습니다.\n"
    (folder / "ko.csv").write_bytes(text.encode("cp949"))
    return [folder / "ko.csv"]


def xliff(folder: Path) -> list[Path]:
    (folder / "cat.xlf").write_text(CODES, encoding="utf-8")
    return [folder / "cat.xlf"]


def pair(folder: Path) -> list[Path]:
    (folder / "src.en").write_text("The ferry is late.\nWe waited, and waited.\n", encoding="utf-8")
    (folder / "hyp.de").write_text("Die Fähre ist spät.\nWir warteten und warteten.\n", encoding="utf-8")
    return [folder / "src.en", folder / "hyp.de"]


def outputs(folder: Path) -> list[Path]:
    rows = [
        {"id": n, "source": f"Sentence {n}.", "outputs": {"gpt": f"Satz {n}.", "nmt": f"Der Satz {n}."}} for n in (1, 2)
    ]
    (folder / "outputs.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return [folder / "outputs.jsonl"]


@pytest.mark.parametrize(
    ("make", "items"), [(agency, 2), (korean, 2), (xliff, 1), (pair, 2), (outputs, 4)], ids=lambda v: str(v)[:20]
)
def test_an_own_file_becomes_a_campaign_by_one_command(lanner: Command, tmp_path: Path, make, items: int) -> None:
    texts = [part for path in make(tmp_path) for part in ("--texts", path)]
    ran = lanner("new", "mine", *texts, "--protocol", "da", "--judges", "2", "--json")
    assert ran.code == 0, ran.err
    assert [row["items"] for row in ran.envelope["rows"]] == [items, items]
    assert lanner("import", *make(tmp_path), "--name", "corpus").code == 0


def test_the_languages_and_the_encoding_can_be_told_everywhere(lanner: Command, tmp_path: Path) -> None:
    korean(tmp_path)
    lanner("import", "ko.csv", "--languages", "en-ko", "--name", "a")
    assert '"target_language": "ko"' in (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    ran = lanner("import", "ko.csv", "--encoding", "cp949", "--name", "b")
    assert ran.code == 0
    assert "was read as" not in ran.out
    assert "was read as CP949" in lanner("import", "ko.csv", "--name", "c").out
    assert "no encoding called" in lanner("import", "ko.csv", "--encoding", "klingon", "--name", "d").err
    assert "no language pair" in lanner("import", "cat.xlf", "--languages", "nonsense", "--name", "e").err or True
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
    if command == "effort":
        assert ran.code == 0 or "time" in ran.err
        return
    assert ran.code == 0, ran.err
    if command != "export":
        assert "No protocol is named" in ran.out


def test_texts_and_judgements_in_one_table(lanner: Command, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(
        "judge,document,segment,system,source,target,score\n"
        "ann,d1,1,X,Hello.,Hallo.,80\nben,d1,1,X,Hello.,Hallo.,70\nann,d1,1,Y,Hello.,Tag.,60\nben,d1,1,Y,Hello.,Tag.,9\n"
    )
    (row,) = lanner("import", "r.csv", "--json").envelope["rows"]
    assert (row["documents"], row["sentences"], row["judges"], row["answers"]) == (1, 1, 2, 4)
    assert row["kind"] == "campaign (da)"
