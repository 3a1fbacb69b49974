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


def columns_named_by_language(folder: Path) -> list[Path]:
    text = "EN,DE\nThe ferry is late.,Die Fähre ist spät.\nWe waited.,Wir warteten.\n"
    (folder / "glossary.csv").write_text(text, encoding="utf-8")
    return [folder / "glossary.csv"]


def pair_of_one_name(folder: Path) -> list[Path]:
    (folder / "news.en").write_text("The ferry is late.\nWe waited.\n", encoding="utf-8")
    (folder / "news.de").write_text("Die Fähre ist spät.\nWir warteten.\n", encoding="utf-8")
    return [folder / "news.en", folder / "news.de"]


def merged_documents(folder: Path) -> list[Path]:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in (
        ["Document", "Source", "Target"],
        ["talk", "The ferry is late.", "Die Fähre ist spät."],
        [None, "We waited.", "Wir warteten."],
        ["letter", "Nobody came.", "Niemand kam."],
    ):
        page.append(row)
    page.merge_cells("A2:A3")
    book.save(folder / "merged.xlsx")
    return [folder / "merged.xlsx"]


NEWCOMER_FILES: dict[Maker, int] = {agency: 2, korean: 2, xliff: 1, pair: 2, outputs: 4}
"""Each with how many items one judge has of it."""

Texts = list[tuple[str, str, dict[str, str]]]
TEXTS: dict[Maker, tuple[str, Texts]] = {
    agency: (
        "en-US-de-DE",
        [
            ("agency", "Switch off the pump.", {"Target text (DE-DE)": "Schalten Sie die Pumpe aus."}),
            ("agency", "Wait for a minute.", {"Target text (DE-DE)": "Warten Sie eine Minute."}),
        ],
    ),
    korean: (
        "und-und",
        [
            ("d1", "The ferry is late.", {"번역": "배가 늦습니다."}),
            ("d1", "We waited.", {"번역": "우리는 기다렸습니다."}),
        ],
    ),
    xliff: (
        "en-fr",
        [
            ("a.html", "Click {1}Save{/1}.", {"target": "Cliquez sur {1}Enregistrer{/1}."}),
            ("a.html", "Then wait.", {}),
        ],
    ),
    pair: (
        "en-de",
        [
            ("src", "The ferry is late.", {"hyp": "Die Fähre ist spät."}),
            ("src", "We waited, and waited.", {"hyp": "Wir warteten und warteten."}),
        ],
    ),
    outputs: (
        "und-und",
        [("outputs", f"Sentence {n}.", {"gpt": f"Satz {n}.", "nmt": f"Der Satz {n}."}) for n in (1, 2)],
    ),
    columns_named_by_language: (
        "en-de",
        [
            ("glossary", "The ferry is late.", {"target": "Die Fähre ist spät."}),
            ("glossary", "We waited.", {"target": "Wir warteten."}),
        ],
    ),
    pair_of_one_name: (
        "en-de",
        [
            ("news", "The ferry is late.", {"de": "Die Fähre ist spät."}),
            ("news", "We waited.", {"de": "Wir warteten."}),
        ],
    ),
    merged_documents: (
        "und-und",
        [
            ("talk", "The ferry is late.", {"Target": "Die Fähre ist spät."}),
            ("talk", "We waited.", {"Target": "Wir warteten."}),
            ("letter", "Nobody came.", {"Target": "Niemand kam."}),
        ],
    ),
}
"""What stands in each file: the language pair, and documents with sources and outputs."""
