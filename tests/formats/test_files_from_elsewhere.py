"""Files that other tools, offices and languages make, one known study in each: what is read is that study, or the file
is refused with the next step. A file is made from `ROWS` by its entry in `FILES`."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lanner import formats
from lanner.errors import InputError
from lanner.formats import Reading

SOURCES = ["The ferry is late again.", "We waited for an hour.", "Nobody came; we went.", "The harbour was empty."]
OUTPUTS = {
    "oak": ["Die Fähre ist spät.", "Wir warteten lange.", "Niemand kam.", "Der Hafen war leer."],
    "ash": ["Die Fähre kommt spät.", "Eine Stunde Warten.", "Keiner kam.", "Leer war der Hafen."],
}
HEADER = ["judge", "document", "segment", "system", "source", "target", "score"]


def score(judge: str, system: str, place: int) -> int:
    return 41 + 7 * place + 3 * (judge == "ann") + 11 * (system == "oak")


ROWS = [
    (judge, f"d{place // 2 + 1}", place % 2 + 1, system, SOURCES[place], OUTPUTS[system][place])
    for judge in ("ann", "ben")
    for system in OUTPUTS
    for place in range(4)
]
SCORES = [
    score(judge, system, 2 * (int(document[1]) - 1) + segment - 1) for judge, document, segment, system, *_ in ROWS
]


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], mark: str = ",") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def with_scores(write: Callable[[int], Any] = lambda value: value) -> list[tuple[Any, ...]]:
    return [(*row, write(value)) for row, value in zip(ROWS, SCORES, strict=True)]


def without_texts(write: Callable[[int], Any] = lambda value: value) -> list[tuple[Any, ...]]:
    return [(*row[:4], write(value)) for row, value in zip(ROWS, SCORES, strict=True)]


def plain(text: str, encoding: str = "utf-8") -> Callable[[Path], None]:
    return lambda path: path.write_bytes(text.encode(encoding)) and None


def lines(rows: Iterable[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def answers(reading: Reading) -> dict[tuple[str, str, str, str], Any]:
    return {
        (entry.judge, entry.document, entry.segment, "|".join(entry.systems)): entry.value
        for entry in reading.judgements
    }


STUDY = {(row[0], row[1], str(row[2]), row[3]): value for row, value in zip(ROWS, SCORES, strict=True)}
PAIRS = [(source, output) for source, output in zip(SOURCES, OUTPUTS["oak"], strict=True)]


@dataclass(frozen=True)
class File:
    """How it is made, and the answers that stand in it; by default those of the study."""

    name: str
    make: Callable[[Path], None]
    answers: dict[tuple[str, str, str, str], Any] | None = None
    question: str = "score"


def ods(rows: Iterable[Sequence[Any]]) -> Callable[[Path], None]:
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )

    def cell(value: Any) -> str:
        kind = f'"float" office:value="{value}"' if isinstance(value, int) else '"string"'
        return f"<table:table-cell office:value-type={kind}><text:p>{value}</text:p></table:table-cell>"

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    # a spreadsheet program ends every sheet with all the empty rows and columns there could be
    body += '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
    body += 'table:number-columns-repeated="16384"/></table:table-row>'
    content = f'<?xml version="1.0"?><office:document-content{spaces}><office:body><office:spreadsheet>'
    content += f'<table:table table:name="one">{body}</table:table></office:spreadsheet></office:body>'

    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
            archive.writestr("META-INF/manifest.xml", "<manifest/>")
            archive.writestr("content.xml", content + "</office:document-content>")

    return make


def formatted(rows: Iterable[Sequence[Any]], number_format: str, column: int) -> Callable[[Path], None]:
    """A workbook with a title, whose numbers in a column are shown by this format."""

    def make(path: Path) -> None:
        book = openpyxl.Workbook()
        sheet = book.active
        assert sheet is not None
        for row in [["Review of March"], [], *rows]:
            sheet.append(["", *row])
        for cell in sheet.iter_rows(min_row=4, min_col=column + 1, max_col=column + 1):
            cell[0].number_format = number_format
        book.save(path)

    return make


def with_hidden_sheet(rows: Sequence[Sequence[Any]], hidden: Sequence[Sequence[Any]]) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        book = openpyxl.Workbook()
        for title, lines in (("Draft", hidden), ("Final", rows)):
            sheet = book.create_sheet(title)
            for line in lines:
                sheet.append(list(line))
        book.remove(book.worksheets[0])
        book["Draft"].sheet_state = "hidden"
        book.save(path)

    return make


def workbook(rows: Iterable[Sequence[Any]], *merged: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        book = openpyxl.Workbook()
        sheet = book.active
        assert sheet is not None
        for row in rows:
            sheet.append(list(row))
        for area in merged:
            sheet.merge_cells(area)
        book.save(path)

    return make


HEADERS = {
    "ar": "المقيم,المستند,الجملة,النظام,النص الأصلي,الترجمة,الدرجة",
    "cs": "Hodnotitel,Dokument,Segment,Systém,Zdroj,Překlad,Skóre",
    "de": "Bewerter,Dokument,Segment,System,Quelle,Übersetzung,Bewertung",
    "es": "Evaluador,Documento,Segmento,Sistema,Origen,Traducción,Puntuación",
    "fr": "Évaluateur,Document,Segment,Système,Source,Traduction,Note",
    "hi": "मूल्यांकनकर्ता,दस्तावेज़,खंड,सिस्टम,स्रोत,अनुवाद,अंक",
    "it": "Valutatore,Documento,Segmento,Sistema,Originale,Traduzione,Punteggio",
    "ja": "評価者,文書,文番号,システム,原文,訳文,スコア",
    "ko": "평가자,문서,문장,시스템,원문,번역,점수",
    "nl": "Beoordelaar,Document,Segment,Systeem,Brontekst,Vertaling,Score",
    "pl": "Oceniający,Dokument,Segment,System,Źródło,Tłumaczenie,Ocena",
    "pt": "Avaliador,Documento,Segmento,Sistema,Original,Tradução,Nota",
    "ru": "Оценщик,Документ,Сегмент,Система,Оригинал,Перевод,Оценка",
    "sv": "Bedömare,Dokument,Segment,System,Källtext,Översättning,Poäng",
    "tr": "Değerlendirici,Belge,Bölüm,Sistem,Kaynak,Çeviri,Puan",
    "uk": "Оцінювач,Документ,Сегмент,Система,Оригінал,Переклад,Оцінка",
    "zh": "评审员,文档,句段,系统,原文,译文,评分",
    "ar_names": "اسم المقيّم,رقم المستند,رقم الجملة,اسم النظام,النص المصدر,الترجمة الآلية,التقييم",
    "cs_names": "Anotátor,Dokument č.,Věta č.,Název systému,Zdrojový text,Strojový překlad,Známka",
    "de_names": "Name der Bewerterin,Dokument-Nr.,Satz-Nr.,Systemname,Ausgangstext,Maschinelle Übersetzung,Punkte",
    "en_names": "Judge name,Document no.,Segment number,System code,Source text,Machine translation,Points",
    "ja_names": "評価者名,文書番号,文ID,システム名,原文,機械翻訳,評価点",
    "ko_names": "평가자 이름,문서 번호,문장 번호,시스템 이름,원문,기계번역,평가점수",
    "pl_names": "Sędzia,Nr dokumentu,Nr zdania,Silnik,Tekst źródłowy,Tłumaczenie maszynowe,Punkty",
    "ru_names": "Имя эксперта,Номер документа,Номер сегмента,Название системы,Исходный текст,Машинный перевод,Оценка",
    "zh_names": "评估人,文件名,序号,引擎名称,源文,机器译文,得分",
    "ar_plain": "مقيّم,مستند,مقطع,نظام,مصدر,ترجمة,درجة",
    "de_other": "Juror,Datei,Satz,Übersetzer,Ausgangssatz,Zielsatz,Urteil",
    "es_other": "Jueza,Archivo,Oración,Sistema MT,Frase original,Texto traducido,Puntaje",
    "fr_of": "Nom de l'évaluateur,ID du document,N° de la phrase,Nom du système,Texte source,Texte traduit,Notation",
    "ja_other": "判定者,ドキュメント,セグメント,翻訳エンジン,ソーステキスト,ターゲット,スコア",
    "pt_other": "Juíza,Ficheiro,Sentença,Motor de tradução,Texto fonte,Texto alvo,Classificação",
    "zh_other": "打分人,文檔,片段,引擎,源语,目标语,打分",
}
WIDE = {ord(str(digit)): chr(ord("０") + digit) for digit in range(10)}
ARABIC = {ord("."): "٫"} | {ord(str(digit)): chr(ord("٠") + digit) for digit in range(10)}
LABELS = ["Bad", "Poor", "Fair", "Good", "Best"]


def fifths(value: int) -> int:
    return value % 5 + 1


RATINGS = without_texts()
FIFTHS = {key: fifths(value) for key, value in STUDY.items()}
SHORT = ["judge", "document", "segment", "system", "score"]

FILES = [
    *(File(f"{code}.csv", plain(table(row.split(","), with_scores())), question="*") for code, row in HEADERS.items()),
    File("percent.xlsx", formatted([HEADER, *with_scores(lambda value: value / 100)], "0%", len(HEADER))),
    File("percent_places.xlsx", formatted([SHORT, *without_texts(lambda value: value / 100)], "0.00 %", len(SHORT))),
    File("hidden.xlsx", with_hidden_sheet([SHORT, *RATINGS], [SHORT, *without_texts(lambda value: value + 1)])),
    File(
        "facts.csv",  # what no judge disputes is no answer
        plain(table([*HEADER, "wc", "Jahr"], [(*r, len(r[4].split()), 2020 + r[2]) for r in with_scores()])),
    ),
    File("breaks.csv", plain(table([f"{name}\n(see below)" for name in HEADER], with_scores())), question="*"),
    File("wide_digits.csv", plain(table(SHORT, without_texts(lambda value: str(value).translate(WIDE))))),
    File(
        "arabic_digits.csv",
        plain(table(SHORT, without_texts(lambda value: f"{value / 10}".translate(ARABIC)))),
        {key: value / 10 for key, value in STUDY.items()},
    ),
    File(
        "minus.csv",
        plain(table(SHORT, without_texts(lambda value: f"−{value}"))),
        {key: -value for key, value in STUDY.items()},
    ),
    File(
        "halves.csv",
        plain(table(SHORT, without_texts(lambda value: f"{fifths(value)}½"))),
        {key: value + 0.5 for key, value in FIFTHS.items()},
    ),
    *(
        File(
            f"thousands_{name}.csv",
            plain(table(SHORT, without_texts(lambda value, write=write: write(value * 25.5)), ";")),
            {key: value * 25.5 for key, value in STUDY.items()},
        )
        for name, write in (
            ("dots", lambda value: f"{value:,.2f}".translate({ord(","): ".", ord("."): ","})),
            ("spaces", lambda value: f"{value:,.2f}".translate({ord(","): "\u202f", ord("."): ","})),
            ("apostrophes", lambda value: f"{value:,.2f}".replace(",", "’")),
        )
    ),
    File(
        "matrix_with_mean.csv",  # a mean is no judge
        plain(table(["item", "ann", "ben", "Mean"], [(n, n, n + 2, n + 1) for n in range(1, 6)])),
        {(judge, str(n), str(n), ""): n + 2 * (judge == "ben") for judge in ("ann", "ben") for n in range(1, 6)},
    ),
    File(
        "wide_with_mean.csv",
        plain(
            table(
                ["document", "segment", "system", "score_ann", "score_ben", "score_average"],
                [
                    (f"d{n // 2 + 1}", n % 2 + 1, s, score("ann", s, n), score("ben", s, n), 50)
                    for s in OUTPUTS
                    for n in range(4)
                ],
            )
        ),
    ),
    File(
        "ids.csv",  # what numbers the rows is no answer
        plain(
            table([*SHORT, "annotation_id", "AssignmentId"], [(*r, 900 + n, f"A{n}") for n, r in enumerate(RATINGS)])
        ),
    ),
    File(
        "turk.csv",
        plain(
            table(
                ["HITId", "WorkerId", "WorkTimeInSeconds"]
                + [f"Input.{name}" for name in HEADER[1:6]]
                + ["Answer.score"],
                [(f"H{n}", r[0], 30 + n, *r[1:]) for n, r in enumerate(with_scores())],
            )
        ),
    ),
    File("percent.csv", plain(table(HEADER, with_scores(lambda value: f"{value}%")))),
    File(
        "decimal.csv",
        plain(table(HEADER, with_scores(lambda value: f"{value / 10}".replace(".", ",")), ";"), "cp1252"),
        {key: value / 10 for key, value in STUDY.items()},
    ),
    File(
        "thousands.csv",
        plain(table(SHORT, without_texts(lambda value: f"{value * 20:,}"))),
        {key: value * 20 for key, value in STUDY.items()},
    ),
    File(
        "some_places.csv",  # 1,025 beside 1,2: decimals, although some look like thousands
        plain(table(SHORT, without_texts(lambda value: f"{value / 40:g}".replace(".", ",")))),
        {key: value / 40 for key, value in STUDY.items()},
    ),
    File(
        "three_places.csv",
        plain(table(SHORT, without_texts(lambda value: f"{value / 40:.3f}".replace(".", ",")), ";")),
        {key: value / 40 for key, value in STUDY.items()},
    ),
    File("of_five.csv", plain(table(HEADER, with_scores(lambda value: f"{fifths(value)}/5"))), FIFTHS),
    File("named.csv", plain(table(SHORT, without_texts(lambda v: f"{fifths(v)} - {LABELS[fifths(v) - 1]}"))), FIFTHS),
    File("stars.csv", plain(table(SHORT, without_texts(lambda value: "★" * fifths(value)))), FIFTHS),
    File(
        "parts.csv",
        plain(table(SHORT, without_texts(lambda value: f"1/{fifths(value)}"))),
        {key: f"1/{value}" for key, value in FIFTHS.items()},  # no scale: the whole differs
    ),
    File("utf16.tsv", plain(table(HEADER, with_scores(), "\t"), "utf-16")),
    File("bars.csv", plain(table(HEADER, with_scores(), "|"))),
    File("sep.csv", plain("sep=;\n" + table(HEADER, with_scores(), ";"))),
    File("comments.csv", plain("# exported on Monday\n# by a tool\n" + table(HEADER, with_scores()))),
    File("end.csv", plain(table(HEADER, with_scores()) + ",,,,,,\n,,,,,,\n\n")),
    File("comma.csv", plain(table(SHORT, without_texts()).replace("\n", ",\n"))),
    File("spaces.csv", plain(table(["\u200bjudge", "document\u00a0", "seg\u00a0id", *HEADER[3:]], with_scores()))),
    File("sheet.ods", ods([HEADER, *with_scores()])),
    File("table.csv.gz", lambda path: path.write_bytes(gzip.compress(table(HEADER, with_scores()).encode())) and None),
    File("total.xlsx", workbook([["Review"], [], SHORT, *without_texts(), ["Average", None, None, None, 60.5]])),
    File(
        "page.xls",
        plain(
            "<html><body><table>"
            + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in [HEADER, *with_scores()])
            + "</table></body></html>"
        ),
    ),
    File(
        "markdown.md",
        plain("\n".join(f"| {' | '.join(map(str, row))} |" for row in [HEADER, ["---"] * len(HEADER), *with_scores()])),
    ),
    File("long.csv", plain(table([*SHORT[:4], "question", "value"], [(*r[:4], "score", r[4]) for r in RATINGS]))),
    File(
        "crossed.csv",
        plain(
            table(
                ["document", "segment", *(f"{system}_rater{n}" for system in OUTPUTS for n in (1, 2))],
                [
                    (f"d{n // 2 + 1}", n % 2 + 1, *(score(j, s, n) for s in OUTPUTS for j in ("ann", "ben")))
                    for n in range(4)
                ],
            )
        ),
        {({"ann": "rater1", "ben": "rater2"}[key[0]], *key[1:]): value for key, value in STUDY.items()},
    ),
    File(
        "two_rows.xlsx",
        workbook(
            [
                ["document", "segment", "source", "System oak", None, "System ash", None],
                [None, None, None, "Translation", "Score", "Translation", "Score"],
                *(
                    [f"d{n // 2 + 1}", n % 2 + 1, SOURCES[n]]
                    + [cell for s in OUTPUTS for cell in (OUTPUTS[s][n], score("ben", s, n))]
                    for n in range(4)
                ),
            ],
            *("D1:E1", "F1:G1", "A1:A2", "B1:B2", "C1:C2"),
        ),
        {("judge", *key[1:]): value for key, value in STUDY.items() if key[0] == "ben"},
    ),
    File(
        "unknown_names.csv",  # the judge is known by what repeats, the segment by counting up
        plain(table(["Kolo", "Jmeno", "document", "segment", "system", "score"], [("x", *r) for r in RATINGS])),
    ),
    File("count.csv", plain(table(["judge", "document", "Laufend", "system", "score"], without_texts()))),
    File(
        "form.csv",
        plain(
            table(
                ["Timestamp", "Email Address", *(f"Sentence {n}: how good is it?" for n in (1, 2, 3)), "Comments?"],
                [("2024/03/01 9:12:01", f"p{n}@example.org", n, n + 1, 5 - n, "") for n in range(3)],
            )
        ),
        {
            (f"p{n}@example.org", f"Sentence {at}", f"Sentence {at}", ""): (n, n + 1, 5 - n)[at - 1]
            for n in range(3)
            for at in (1, 2, 3)
        },
    ),
    File(
        "prodigy.jsonl",
        plain(
            lines(
                {
                    "text": source,
                    "_input_hash": 100 + n,
                    "_task_hash": 200 + n,
                    "options": [{"id": "good", "text": "good"}],
                    "accept": ["good" if (n + who) % 2 else "bad"],
                    "answer": "accept",
                    "_annotator_id": f"a{who}",
                }
                for who in (0, 1)
                for n, source in enumerate(SOURCES)
            )
        ),
        {
            (f"a{who}", "prodigy", str(n + 1), ""): "good" if (n + who) % 2 else "bad"
            for who in (0, 1)
            for n in range(4)
        },
        "label",
    ),
    File(
        "ratings.jsonl",
        plain(
            lines(
                {
                    "doc": {"id": f"d{place // 2 + 1}", "domain": "news"},
                    "segment": {"index": place % 2 + 1, "text": SOURCES[place]},
                    "hypotheses": [
                        {
                            "system": system,
                            "text": OUTPUTS[system][place],
                            "ratings": [{"rater": who, "score": score(who, system, place)} for who in ("ann", "ben")],
                        }
                        for system in OUTPUTS
                    ],
                }
                for place in range(4)
            )
        ),
    ),
    File(
        "scores_by_judge.jsonl",
        plain(
            lines(
                {
                    **{"document": document, "segment": segment, "system": system, "source": source, "target": target},
                    "score": {
                        who: score(who, system, 2 * (int(document[1]) - 1) + segment - 1) for who in ("ann", "ben")
                    },
                }
                for judge, document, segment, system, source, target in ROWS
                if judge == "ann"
            )
        ),
    ),
    File(
        "scores_by_system.jsonl",
        plain(
            lines(
                {
                    **{
                        "doc_id": f"d{place // 2 + 1}",
                        "seg_id": place % 2 + 1,
                        "src": SOURCES[place],
                        "annotator": who,
                    },
                    "translations": {system: OUTPUTS[system][place] for system in OUTPUTS},
                    "score": {system: score(who, system, place) for system in OUTPUTS},
                }
                for who in ("ann", "ben")
                for place in range(4)
            )
        ),
    ),
    File(
        "potato.jsonl",
        plain(
            lines(
                {"user": f"u{who}", "instance_id": f"i{n}", "label_annotations": {"quality": {str(n + who): "x"}}}
                for who in (0, 1)
                for n in range(3)
            )
        ),
        {(f"u{who}", f"i{n}", f"i{n}", ""): n + who for who in (0, 1) for n in range(3)},
        "quality",
    ),
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_study_is_read(tmp_path: Path, file: File) -> None:
    path = tmp_path / file.name
    file.make(path)
    [reading] = formats.read(path)
    expected = STUDY if file.answers is None else file.answers
    assert answers(reading) == pytest.approx(expected) if _are_numbers(expected) else answers(reading) == expected
    assert file.question in ("*", *{entry.question for entry in reading.judgements}) or file.name == "decimal.csv"
    assert len({entry.question for entry in reading.judgements}) == 1
    segments = [segment for document in reading.documents for segment in document]
    if any(segment.source for segment in segments) and {"oak", "ash"} <= set(segments[0].outputs):
        assert [segment.source for segment in segments] == SOURCES
        assert [segment.outputs["ash"] for segment in segments] == OUTPUTS["ash"]


def _are_numbers(expected: dict[Any, Any]) -> bool:
    return all(isinstance(value, int | float) for value in expected.values())


TEXTS = {
    "documents.json": json.dumps(
        {
            "documents": [
                {"id": f"d{d}", "segments": [{"source": s, "translations": {"oak": t}} for s, t in PAIRS[2 * d :][:2]]}
                for d in (0, 1)
            ]
        }
    ),
    "by_document.json": json.dumps(
        {f"d{d}": [{"source": s, "target": t} for s, t in PAIRS[2 * d :][:2]] for d in (0, 1)}
    ),
    "documents.jsonl": lines(
        {"doc_id": f"d{d}", "sentences": [{"src": s, "mt": t} for s, t in PAIRS[2 * d :][:2]]} for d in (0, 1)
    ),
    "chat.jsonl": lines(
        {
            "id": n,
            "messages": [
                {"role": "system", "content": "Translate."},
                {"role": "user", "content": source},
                {"role": "assistant", "content": target},
            ],
        }
        for n, (source, target) in enumerate(PAIRS)
    ),
    "completions.jsonl": lines(
        {
            "custom_id": f"request-{n}",
            "messages": [{"role": "system", "content": "Translate."}, {"role": "user", "content": source}],
            "response": {"body": {"model": "oak", "choices": [{"message": {"role": "assistant", "content": target}}]}},
        }
        for n, (source, target) in enumerate(PAIRS)
    ),
    "anthropic.jsonl": lines(
        {
            "custom_id": f"request-{n}",
            "source": source,
            "result": {
                "type": "succeeded",
                "message": {
                    "role": "assistant",
                    "model": "oak",
                    "content": [{"type": "thinking", "thinking": "Well."}, {"type": "text", "text": target}],
                },
            },
        }
        for n, (source, target) in enumerate(PAIRS)
    ),
    "gemini.jsonl": lines(
        {
            "key": f"request-{n}",
            "request": {"contents": [{"role": "user", "parts": [{"text": source}]}]},
            "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": target}]}}]},
        }
        for n, (source, target) in enumerate(PAIRS)
    ),
    "responses.jsonl": lines(
        {
            "custom_id": f"request-{n}",
            "source": source,
            "response": {
                "body": {
                    "model": "oak",
                    "output": [
                        {"type": "reasoning", "summary": []},
                        {"type": "message", "content": [{"type": "output_text", "text": target}]},
                    ],
                }
            },
        }
        for n, (source, target) in enumerate(PAIRS)
    ),
    "dialogues.json": json.dumps(
        [
            {"id": n, "conversations": [{"from": "human", "value": source}, {"from": "gpt", "value": target}]}
            for n, (source, target) in enumerate(PAIRS)
        ]
    ),
    "metrics.jsonl": lines(
        {"src": source, "mt": target, "scores": {"bleu": 30.5 + n, "comet": 0.8}}
        for n, (source, target) in enumerate(PAIRS)
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_in_objects(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name], encoding="utf-8")
    [reading] = formats.read(path)
    pairs = [(s.source, *s.outputs.values()) for document in reading.documents for s in document]
    assert pairs == PAIRS
    by_document = ["d0", "d1"] if "document" in name else [name.partition(".")[0]]
    assert [document.id for document in reading.documents] == by_document
    assert not reading.judgements


REPLIES: dict[str, Any] = {
    "openai": {"response": {"body": {"model": "oak", "choices": [{"message": {"content": "Es war kalt."}}]}}},
    "anthropic": {"result": {"message": {"role": "assistant", "content": [{"type": "text", "text": "Es war kalt."}]}}},
    "google": {"response": {"candidates": [{"content": {"parts": [{"text": "Es war kalt."}]}}]}},
}


@pytest.mark.parametrize("provider", REPLIES)
def test_replies_without_their_source_say_so(tmp_path: Path, provider: str) -> None:
    path = tmp_path / "replies.jsonl"
    rows = [{"custom_id": f"request-{n}", **REPLIES[provider]} for n in range(3)]
    path.write_text(lines(rows), encoding="utf-8")
    with pytest.raises(InputError, match="replies, without the texts") as refused:
        formats.read(path)
    assert 'as "source"' in refused.value.next_step
    path.write_text(lines({"source": SOURCES[0], **row} for row in rows), encoding="utf-8")
    [reading] = formats.read(path)
    assert {(s.source, *s.outputs.values()) for d in reading.documents for s in d} == {(SOURCES[0], "Es war kalt.")}


@pytest.mark.parametrize(
    "failure",
    [
        {"response": None, "error": {"code": "batch_expired"}},
        {"response": {"status_code": 500, "body": {"message": "overloaded"}}, "error": None},
        {"response": {"body": {"choices": [{"message": {"content": None, "refusal": "No."}}]}}},
        {"result": {"type": "errored", "error": {"type": "invalid_request"}}},
        {"result": {"type": "succeeded", "message": {"role": "assistant", "content": [], "stop_reason": "refusal"}}},
        {"response": {"promptFeedback": {"blockReason": "SAFETY"}}},
    ],
)
def test_a_failed_request_does_not_move_replies_to_other_sources(tmp_path: Path, failure: dict[str, Any]) -> None:
    path = tmp_path / "replies.jsonl"
    reply = REPLIES["anthropic"] if "result" in failure else REPLIES["openai"]
    rows = [{"custom_id": str(n), "source": SOURCES[n], **(failure if n == 1 else reply)} for n in range(3)]
    path.write_text(lines(rows), encoding="utf-8")
    with pytest.raises(InputError, match="no reply here") as refused:
        formats.read(path)
    assert refused.value.where and refused.value.where.line == 2


def test_folders_with_the_same_file_names(tmp_path: Path) -> None:
    for folder, texts in (("src", SOURCES), ("oak", OUTPUTS["oak"]), ("ref", OUTPUTS["ash"])):
        (tmp_path / folder).mkdir()
        for n in (0, 1):
            content = gzip.compress("".join(f"{text}\n" for text in texts[2 * n :][:2]).encode())
            (tmp_path / folder / f"talk{n}.txt.gz").write_bytes(content)
    [reading] = formats.read(tmp_path)
    assert [(document.id, len(document.segments)) for document in reading.documents] == [("talk0", 2), ("talk1", 2)]
    segments = [segment for document in reading.documents for segment in document]
    assert [(s.source, s.outputs, s.references) for s in segments] == [
        (source, {"oak": oak}, {"ref": ash}) for source, oak, ash in zip(SOURCES, *OUTPUTS.values(), strict=True)
    ]
    (tmp_path / "oak" / "talk1.txt.gz").unlink()
    with pytest.raises(InputError):
        formats.read(tmp_path)


def test_which_part_of_a_name_is_the_judge_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "crossed.csv"
    path.write_text("doc,seg,x_ann,x_ben,y_ann,y_ben\n" + "".join(f"d,{n},1,2,3,{n}\n" for n in range(4)))
    with pytest.raises(InputError, match="which part names the judge is not clear") as refused:
        formats.read(path)
    assert "judge:ann about x=x_ann" in refused.value.next_step
    columns = ",".join(f"judge:{who} about {system}={system}_{who}" for system in "xy" for who in ("ann", "ben"))
    [reading] = formats.read(path, columns=columns)
    assert answers(reading)[("ben", "d", "3", "y")] == 3
    assert len(reading.judgements) == 16


def test_a_spreadsheet_cannot_be_a_bomb(tmp_path: Path) -> None:
    path = tmp_path / "bomb.ods"
    ods([["source", "target"]])(path)
    with zipfile.ZipFile(path) as archive:
        content = archive.read("content.xml").decode()
    row = '<table:table-row table:number-rows-repeated="1000000"><table:table-cell office:value-type="string" '
    row += 'table:number-columns-repeated="16000"><text:p>x</text:p></table:table-cell></table:table-row>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content.replace("</table:table>", f"{row}</table:table>"))
    with pytest.raises(InputError, match="too large"):
        formats.read(path)
