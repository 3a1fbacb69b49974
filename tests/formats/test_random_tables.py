"""One known corpus of ratings in tables of every dress: words of ten languages, one row per answer or a column for each
judge or system, with texts or without, titles above, totals and remarks below, encodings, separators, ways to write
numbers, missing cells, rows and columns in any order, other columns. What is read must be the corpus; a refusal is no
wrong number, but there may be few of them."""

from __future__ import annotations

import csv
import io
import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import openpyxl

from lanner import formats
from lanner.errors import InputError
from lanner.formats import Reading

TABLES = 1500 if os.environ.get("LANNER_FUZZ") else 30
REFUSED_AT_MOST = 0.01

ROLES = ("document", "segment", "system", "judge", "score", "source", "target", "comment", "total")
WORDS = {
    "english": ("document", "segment", "system", "judge", "score", "source", "target", "comment", "Total"),
    "short": ("doc_id", "seg_id", "sys", "rater", "rating", "src", "hyp", "note", "Mean"),
    "german": ("Dokument", "Segment", "System", "Gutachter", "Bewertung", "Quelle", "Ziel", "Kommentar", "Summe"),
    "french": ("document", "segment", "système", "annotateur", "note", "source", "traduction", "commentaire", "Total"),
    "spanish": (
        *("documento", "segmento", "sistema", "evaluador", "puntuación", "original", "traducción"),
        *("comentario", "Total"),
    ),
    "polish": ("dokument", "segment", "system", "oceniający", "ocena", "źródło", "tłumaczenie", "komentarz", "Suma"),
    "russian": (
        *("документ", "сегмент", "система", "оценщик", "оценка", "оригинал", "перевод"),
        *("комментарий", "Итого"),
    ),
    "korean": ("문서", "번호", "시스템", "평가자", "점수", "원문", "번역", "비고", "합계"),
    "japanese": ("文書", "番号", "システム", "評価者", "評価", "原文", "訳文", "コメント", "合計"),
    "chinese": ("文档", "序号", "系统", "评审", "分数", "原文", "译文", "备注", "总计"),
}
ENCODINGS = {
    "english": ("cp1252",),
    "short": ("cp850",),
    "german": ("cp1252", "cp850", "mac_roman"),
    "french": ("cp1252", "cp850"),
    "spanish": ("cp1252",),
    "polish": ("cp1250", "iso8859_2", "cp852"),
    "russian": ("cp1251", "koi8_r", "cp866"),
    "korean": ("cp949",),
    "japanese": ("cp932", "euc_jp"),
    "chinese": ("gb18030",),
}
SOURCES = ("The ferry was late again.", "We waited for an hour.", "Nobody came home with us.", "It went on raining.")
TARGETS = {
    "english": ("The ferry was late.", "We waited an hour.", "Nobody came home.", "It rained all day."),
    "german": ("Die Fähre kam spät.", "Wir warteten über eine Stunde.", "Niemand kam.", "Es regnete schön weiter."),
    "french": (
        "Le bac était en retard.",
        "On a attendu près d'une heure.",
        "Personne n'est rentré.",
        "Il a plu, déjà.",
    ),
    "spanish": ("El barco llegó tarde.", "Esperamos más de una hora.", "Nadie volvió, ¿no?", "Llovió todo el día."),
    "polish": ("Prom się spóźnił.", "Czekaliśmy całą godzinę.", "Nikt nie wrócił.", "Cały dzień padało, później też."),
    "russian": ("Паром опоздал.", "Мы ждали целый час.", "Никто не вернулся домой.", "Весь день шёл дождь."),
    "korean": ("배가 늦었습니다.", "한 시간을 기다렸습니다.", "아무도 오지 않았습니다.", "하루 종일 비가 왔습니다."),
    "japanese": ("フェリーは遅れました。", "一時間待ちました。", "誰も帰りませんでした。", "一日中雨でした。"),
    "chinese": ("渡轮晚点了。", "我们等了一个小时。", "没有人回家。", "下了一整天的雨。"),
}
TARGETS["short"] = TARGETS["german"]
JUDGES, SYSTEMS, DOCUMENTS = ("ann", "ben", "cleo"), ("GPT-4", "nmt_base"), ("d1", "d2")
COMMA_AND_POINT = str.maketrans(",.", ".,")
NUMBERS: dict[str, tuple[Callable[[random.Random], float], Callable[[float], str]]] = {
    "whole": (lambda rng: rng.randint(0, 100), str),
    "steps": (lambda rng: rng.randint(1, 5), str),
    "point": (lambda rng: rng.randint(0, 200) / 2, lambda value: f"{value:.1f}"),
    "comma": (lambda rng: rng.randint(0, 200) / 2, lambda value: f"{value:.1f}".replace(".", ",")),
    "1,250.5": (lambda rng: rng.randint(0, 6000) + 0.5, lambda value: f"{value:,.1f}"),
    "1.250,5": (lambda rng: rng.randint(0, 6000) + 0.5, lambda value: f"{value:,.1f}".translate(COMMA_AND_POINT)),
    "1 250": (lambda rng: rng.randint(0, 6000), lambda value: f"{value:,}".replace(",", "\u00a0")),
    "percent": (lambda rng: rng.randint(0, 100), lambda value: f"{value}%"),
}
Key = tuple[str, str, str, str]
"""Judge, document, segment, system."""


@dataclass(frozen=True)
class RandomTable:
    """A table on disk, and what it holds."""

    path: Path
    answers: dict[Key, float]
    texts: dict[str, tuple[str, dict[str, str]]]
    """Source and outputs of each segment; empty where the table has none."""
    dress: str


def random_table(seed: int, folder: Path) -> RandomTable:
    rng = random.Random(seed)
    language, style, shape = (
        rng.choice(list(WORDS)),
        rng.choice(list(NUMBERS)),
        rng.choice(["long", "judges", "systems"]),
    )
    word = dict(zip(ROLES, WORDS[language], strict=True))
    has_texts, mark = rng.random() < 0.5, rng.choice([",", ";", "\t", "|", ",", ";", "xlsx"])
    missing, empty = rng.choice([0, 0, 0.1]), rng.choice(["", "NA", "-", "n/a"])
    draw, show = NUMBERS[style]
    segments = [str(number) for number in range(1, len(SOURCES) + 1)]
    keys = [(j, d, s, y) for j in JUDGES for d in DOCUMENTS for s in segments for y in SYSTEMS]
    answers = {key: draw(rng) for key in keys if rng.random() >= missing}
    texts = {
        segment: (source, {SYSTEMS[0]: target, SYSTEMS[1]: f"{target} Ok."})
        for segment, source, target in zip(segments, SOURCES, TARGETS[language], strict=True)
    }

    def cell(judge: str, document: str, segment: str, system: str) -> Any:
        value = answers.get((judge, document, segment, system))
        if value is None:
            return empty
        return value if mark == "xlsx" and style in ("whole", "steps", "point") else show(value)

    rows: list[dict[str, Any]] = []
    judges, systems = (JUDGES if shape != "judges" else ("",)), (SYSTEMS if shape != "systems" else ("",))
    for document, segment, judge, system in product(DOCUMENTS, segments, judges, systems):
        row: dict[str, Any] = {word["document"]: document, word["segment"]: int(segment)}
        row |= {word["judge"]: judge} if judge else {}
        row |= {word["system"]: system} if system else {}
        source, outputs = texts[segment]
        if has_texts:
            row |= {word["source"]: source, **({word["target"]: outputs[system]} if system else outputs)}
        if shape == "long":
            row[word["score"]] = cell(judge, document, segment, system)
        for name in JUDGES if shape == "judges" else SYSTEMS if shape == "systems" else ():
            place = (name, document, segment, system) if shape == "judges" else (judge, document, segment, name)
            row[f"{word['score']}_{name}"] = cell(*place)
        rows.append(row)
    others = rng.sample(["id", "remark", "date", "batch"], rng.randint(0, 2))
    for number, row in enumerate(rows, 1):
        values = {"id": number, "date": f"2026-03-0{number % 9 + 1}", "batch": "A", "remark": rng.choice(["", "ok"])}
        row |= {word["comment"] if name == "remark" else name: values[name] for name in others}
    rng.shuffle(rows)
    names = list(rows[0])
    rng.shuffle(names)
    lines: list[list[Any]] = [["ACME 4711"], ["Delivered in March"]][: rng.randint(0, 2)]
    lines += [[]] if lines and rng.random() < 0.5 else []
    lines += [names, *([row[name] for name in names] for row in rows)]
    lines += [[word["total"]]] if rng.random() < 0.25 else []
    lines += [[], ["Rated by hand in spring"]] if rng.random() < 0.2 else []
    path, encoding = _write(rng, folder, lines, len(names), mark, ENCODINGS[language])
    dress = f"{seed}: {language}, {style}, {shape}, {mark!r}, {encoding}, {others}, missing {missing} {empty!r}"
    return RandomTable(path, answers, texts if has_texts else {}, dress)


def _write(
    rng: random.Random, folder: Path, lines: list[list[Any]], width: int, mark: str, encodings: tuple[str, ...]
) -> tuple[Path, str]:
    if mark == "xlsx":
        path = folder / "t.xlsx"
        book = openpyxl.Workbook()
        for line in lines:
            book.active.append(line or [None])  # type: ignore[union-attr]
        book.save(path)
        return path, ""
    path, buffer = folder / "t.csv", io.StringIO()
    csv.writer(buffer, delimiter=mark).writerows([*line, *[""] * (width - len(line))] for line in lines)
    encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16", *encodings])
    try:
        path.write_bytes(buffer.getvalue().encode(encoding))
    except UnicodeEncodeError:
        encoding = "utf-8"
        path.write_bytes(buffer.getvalue().encode(encoding))
    return path, encoding


def numbers(reading: Reading) -> dict[str, dict[Key, float]]:
    """What was answered with numbers, by question."""
    by_question: dict[str, dict[Key, float]] = {}
    for entry in reading.judgements:
        if isinstance(entry.value, int | float):
            key = (entry.judge, entry.document, entry.segment, "|".join(entry.systems))
            by_question.setdefault(entry.question, {})[key] = entry.value
    return by_question


def test_ratings_in_any_dress_come_back(tmp_path: Path) -> None:
    refused: Counter[str] = Counter()
    for seed in range(TABLES):
        table = random_table(seed, tmp_path)
        try:
            [reading] = formats.read(table.path)
        except InputError as error:
            refused[error.what] += 1
            continue
        assert list(numbers(reading).values()) == [table.answers], table.dress
        texts = {segment.id: (segment.source, dict(segment.outputs)) for text in reading.documents for segment in text}
        assert not table.texts or texts == table.texts, table.dress
    print(f"{refused.total()} of {TABLES} tables were refused: {dict(refused)}")
    assert refused.total() <= REFUSED_AT_MOST * TABLES
