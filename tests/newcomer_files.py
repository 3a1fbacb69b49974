"""The files that a newcomer has on disk, for every way in: the command line and the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import openpyxl

Maker = Callable[[Path], list[Path]]
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


NEWCOMER_FILES: dict[Maker, int] = {agency: 2, korean: 2, xliff: 1, pair: 2, outputs: 4}
"""Each with how many items one judge has of it."""
