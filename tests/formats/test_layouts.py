"""Tables as people have them: a known corpus with known answers, laid out at random, must come back."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lanner import formats
from lanner.errors import InputError
from lanner.model import Judgement
from property_examples import examples

SENTENCES = [
    ("The ferry is late again.", "배가 또 늦습니다."),
    ("We waited for an hour, in the rain.", "우리는 비를 맞으며 한 시간을 기다렸습니다."),
    ("Nobody came; we went home.", "아무도 오지 않아서 집에 갔습니다."),
    ('She said: "Not today."', "그녀는 오늘은 안 된다고 말했습니다."),
    ("The harbour was empty.", "항구는 비어 있었습니다."),
    ("Two gulls sat on the pier.", "갈매기 두 마리가 부두에 앉아 있었습니다."),
]
HEADERS: dict[str, dict[str, str]] = {
    "plain": {},
    "short": {"document": "doc_id", "segment": "seg_id", "source": "src", "output": "hyp", "judge": "rater"},
    "korean": {
        **{"document": "문서", "segment": "번호", "source": "원문", "output": "번역", "judge": "평가자"},
        **{"system": "시스템", "score": "점수"},
    },
    "german": {"document": "Dokument", "source": "Quelle", "output": "Übersetzung", "judge": "Bewerter"},
    "agency": {"source": "Source text (EN-US)", "output": "Target text (KO)", "segment": "No."},
    "shouted": {"document": "DOCUMENT", "source": "SOURCE", "output": "MT", "judge": "ANNOTATOR", "score": "SCORE"},
}


@dataclass(frozen=True)
class Corpus:
    documents: dict[str, list[str]]
    systems: tuple[str, ...]
    judges: tuple[str, ...]
    questions: tuple[str, ...]
    answers: dict[tuple[str, str, str, str, str], int]

    def source(self, document: str, segment: str) -> str:
        return SENTENCES[self._place(document, segment)][0]

    def output(self, document: str, segment: str, system: str) -> str:
        return f"{SENTENCES[self._place(document, segment)][1]} ({self.systems.index(system) + 1})"

    def _place(self, document: str, segment: str) -> int:
        return (list(self.documents).index(document) * 3 + self.documents[document].index(segment)) % len(SENTENCES)

    @property
    def items(self) -> list[tuple[str, str]]:
        return [(document, segment) for document, segments in self.documents.items() for segment in segments]


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    documents = {
        f"d{n + 1}": [str(s + 1) for s in range(draw(st.integers(1, 3)))] for n in range(draw(st.integers(1, 2)))
    }
    systems = tuple(["GPT-4", "nmt_base", "Online B"][: draw(st.integers(1, 3))])
    judges = tuple(["ann", "ben", "carla"][: draw(st.integers(2, 3))])
    questions = draw(st.sampled_from([("score",), ("adequacy", "fluency")]))
    keys = [(j, d, s, y, q) for j, (d, ss), y, q in product(judges, documents.items(), systems, questions) for s in ss]
    values = draw(st.lists(st.integers(1, 5), min_size=len(keys), max_size=len(keys)))
    return Corpus(documents, systems, judges, questions, dict(zip(keys, values, strict=True)))


@dataclass(frozen=True)
class Layout:
    texts: bool
    systems: str  # wide, long
    judges: str  # none, long, wide
    questions: str  # wide, long
    header: str
    kind: str
    title: bool


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    judges = draw(st.sampled_from(["none", "long", "wide"]))
    texts = judges == "none" or draw(st.booleans())
    systems = draw(st.sampled_from(["wide", "long"])) if texts and judges != "wide" else "long"
    kind = draw(st.sampled_from(["csv", "tsv", "semicolon", "xlsx", "jsonl", "cp949", "utf-16"]))
    return Layout(
        texts,
        systems,
        judges,
        draw(st.sampled_from(["wide", "long"])) if judges == "long" and systems == "long" else "wide",
        draw(st.sampled_from(sorted(HEADERS))),
        kind,
        kind in ("xlsx", "csv") and draw(st.booleans()),
    )


def rows_of(corpus: Corpus, layout: Layout) -> list[dict[str, Any]]:
    """The rows of the corpus in a layout, with plain names."""
    rows: list[dict[str, Any]] = []
    judges = corpus.judges if layout.judges == "long" else ("",)
    systems = corpus.systems if layout.systems == "long" else ("",)
    questions = corpus.questions if layout.questions == "long" else ("",)
    for (document, segment), judge, system, question in product(corpus.items, judges, systems, questions):
        row: dict[str, Any] = {"document": document, "segment": int(segment)}
        if layout.texts:
            row["source"] = corpus.source(document, segment)
        if system:
            row["system"] = system
            if layout.texts:
                row["output"] = corpus.output(document, segment, system)
        else:
            row |= {f"output:{name}": corpus.output(document, segment, name) for name in corpus.systems}
        if judge:
            row["judge"] = judge
        if layout.judges == "long" and question:
            row |= {"question": question, "score": corpus.answers[judge, document, segment, system, question]}
        elif layout.judges == "long":
            for asked, name in product(corpus.questions, corpus.systems if not system else (system,)):
                row[asked if system else f"{asked}_{name}"] = corpus.answers[judge, document, segment, name, asked]
        elif layout.judges == "wide":
            for asked, name in product(corpus.questions, corpus.judges):
                row[f"{asked}_{name}"] = corpus.answers[name, document, segment, system, asked]
        rows.append(row)
    return rows


def write(path: Path, rows: list[dict[str, Any]], layout: Layout) -> None:
    words = HEADERS[layout.header]
    header = [words.get(name, name) for name in rows[0]]
    lines = [list(row.values()) for row in rows]
    match layout.kind:
        case "xlsx":
            book = openpyxl.Workbook()
            page = book.active
            assert page is not None
            if layout.title:
                page.append(["ACME Translations: project 4711"])
                page.merge_cells("A1:C1")
                page.append([])
            for line in [header, *lines]:
                page.append(line)
            book.create_sheet("Notes").append(["Nothing to see here."])
            book.save(path)
        case "jsonl":
            content = [json.dumps(dict(zip(header, line, strict=True)), ensure_ascii=False) for line in lines]
            path.write_text("\n".join(content) + "\n", encoding="utf-8")
        case kind:
            buffer = io.StringIO()
            if layout.title:
                buffer.write("Project 4711, delivered\n\n")
            mark = {"tsv": "\t", "semicolon": ";"}.get(kind, ",")
            quoting = csv.QUOTE_ALL if kind == "tsv" else csv.QUOTE_MINIMAL
            csv.writer(buffer, delimiter=mark, quoting=quoting).writerows([header, *lines])
            encoding = kind if kind in ("cp949", "utf-16") else "utf-8"
            path.write_bytes(buffer.getvalue().encode(encoding, errors="replace"))


def key(found: Judgement) -> tuple[str, str, str, str, str]:
    (system,) = found.systems
    return found.judge, found.document, found.segment, system, found.question


@settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpora(), layouts())
def test_a_table_in_any_layout_comes_back(corpus: Corpus, layout: Layout) -> None:
    if layout.kind == "cp949" and layout.header == "german":
        return  # Korean code pages have no umlauts
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("t.xlsx" if layout.kind == "xlsx" else "t.csv")
        write(path, rows_of(corpus, layout), layout)
        (reading,) = formats.read(path)
    assert {d.id: [s.id for s in d] for d in reading.documents} == corpus.documents
    if layout.texts:
        for document in reading.documents:
            for segment in document:
                assert segment.source == corpus.source(document.id, segment.id)
                assert dict(segment.outputs) == {
                    name: corpus.output(document.id, segment.id, name) for name in corpus.systems
                }
    if layout.judges == "none":
        assert reading.judgements == ()
        return
    found = {key(judgement): judgement.value for judgement in reading.judgements}
    questions = {"점수": "score"}
    asked = {heading: question for question, heading in reading.questions.items()}
    assert len(reading.judgements) == len(corpus.answers)
    assert found == {
        (*place, asked.get(HEADERS[layout.header].get(q, q), asked.get(q, questions.get(q, q)))): value
        for (*place, q), value in corpus.answers.items()
    }


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("Source text (EN-US),Target text (DE-DE)", "The pump is off.,Die Pumpe ist aus."),
        ("원문,번역", "The pump is off.,펌프가 꺼졌습니다."),
        ("Quelle,Ziel", "The pump is off.,Die Pumpe ist aus."),
        ("doc_id,seg_id,src,hyp", "d,1,The pump is off.,Die Pumpe ist aus."),
        ("English,German", "The pump is off.,Die Pumpe ist aus."),
        ("EN,DE-AT", "The pump is off.,Die Pumpe ist aus."),
        ("id,source,DeepL,GPT-4", "1,The pump is off.,Die Pumpe ist aus.,Die Pumpe wurde abgestellt."),
        ("原文,訳文", "The pump is off.,ポンプは止まっています。"),
        ("исходный текст,перевод", "The pump is off.,Насос выключен."),
        ("Texte source,Traduction automatique", "The pump is off.,La pompe est arrêtée."),
    ],
)
def test_headers_in_other_words(tmp_path: Path, header: str, row: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n{row}\n{row.replace('pump', 'lamp').replace('1,', '2,', 1)}\n", encoding="utf-8")
    (reading,) = formats.read(path)
    first = reading.documents[0].segments[0]
    assert first.source == "The pump is off."
    assert list(first.outputs.values()) == row.partition("The pump is off.,")[2].split(",")


def test_languages_in_headers_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Source (EN-US),Target [ko]\nOne.,하나.\n", encoding="utf-8")
    assert formats.read(path)[0].documents[0].language_pair == "en-US-ko"
    assert formats.read(path, languages="de-fr")[0].documents[0].language_pair == "de-fr"


def test_columns_of_unknown_names_are_proposed_and_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("alpha,beta\nThe pump is off today.,Die Pumpe ist heute aus.\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        formats.read(path, "table")
    assert "--columns source=alpha,system:beta=beta" in caught.value.next_step
    (reading,) = formats.read(path, columns="source=alpha,system:beta=beta")
    assert dict(reading.documents[0].segments[0].outputs) == {"beta": "Die Pumpe ist heute aus."}


def test_guesses_show_how_sure_they_are(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Quelltext (de),GPT-4\nEin längerer Satz.,A longer sentence.\n", encoding="utf-8")
    note = formats.read(path)[0].notes[0]
    assert "source=Quelltext (de) (95% sure)" in note
    assert "system:GPT-4=GPT-4 (60% sure)" in note


def test_an_excel_file_as_an_agency_sends_it(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.append(["ACME Translations – Project 4711"])
    page.merge_cells("A1:D1")
    page.append(["Delivered", "2026-03-01"])
    page.append([])
    page.append(["No.", "Document", "Source text (EN-US)", "Target text (DE-DE)"])
    for number in range(1, 5):
        page.append(
            [number, "Manual" if number in (1, 3) else None, f"Switch off pump {number}.", f"Pumpe {number} aus."]
        )
    page["B7"] = "Brochure"
    page.merge_cells("B5:B6")
    page.merge_cells("B7:B8")
    page.append(["Total: 4 segments"])
    book.create_sheet("Glossary").append(["Term", "Begriff"])
    book.save(tmp_path / "agency.xlsx")
    (reading,) = formats.read(tmp_path / "agency.xlsx")
    assert {d.id: [s.id for s in d] for d in reading.documents} == {"Manual": ["1", "2"], "Brochure": ["3", "4"]}
    assert reading.documents[0].language_pair == "en-US-de-DE"
    assert "The header is on line 4" in " ".join(reading.notes)
    formats.write("native", tmp_path / "a.jsonl", reading.documents)
    assert formats.read(tmp_path / "a.jsonl")[0].documents == reading.documents


def test_sheets_with_the_same_columns_are_documents(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for at, name in enumerate(("news", "talk")):
        page = book.active if at == 0 else book.create_sheet()
        assert page is not None
        page.title = name
        page.append(["source", "target"])
        page.append([f"A text about {name}.", f"Ein Text über {name}."])
    book.save(tmp_path / "t.xlsx")
    (reading,) = formats.read(tmp_path / "t.xlsx")
    assert [document.id for document in reading.documents] == ["news", "talk"]


def test_judge_with_true_and_false_says_what_is_to_be_judged(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("segment,source,target,judge\n1,One.,Eins.,true\n2,Two.,Zwei.,false\n3,Three.,Drei.,FALSE\n")
    assert [s.judged for s in formats.read(path)[0].documents[0]] == [True, False, False]


def test_second_answers_roles_and_times(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "rater,item,score,timestamp,role\na,1,4,2026-03-01T10:00:00,main\n"
        "a,1,5,yesterday,\na,2,3,01.03.2026 10:05,control\n"
    )
    (reading,) = formats.read(path)
    assert [str(j.role) for j in reading.judgements] == ["main", "repeat", "control"]
    assert [j.flags for j in reading.judgements] == [(), ("unreadable_time",), ()]
    assert reading.judgements[2].answered_at is not None
    assert "(line 3)" in " ".join(reading.notes)


def test_texts_that_contradict_each_other_are_flagged(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "judge,segment,system,source,target,score\na,1,X,One.,Eins.,4\nb,1,X,Uno.,Ein.,5\n", encoding="utf-8"
    )
    (reading,) = formats.read(path)
    (segment,) = reading.documents[0].segments
    assert set(segment.flags) == {"source_differs", "output_differs"}
    assert (segment.source, dict(segment.outputs)) == ("One.", {"X": "Eins."})
    assert "another source text" in " ".join(reading.notes)
    assert "another translation" in " ".join(reading.notes)


def test_references_and_documents_that_contradict_each_other_are_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "document,segment,system,domain,source,target,reference\n"
        "d,1,X,news,One.,Eins.,Eins!\nd,1,Y,law,One.,Ein.,Uno!\nd,2,X,,Two.,Zwei.,Zwei!\n",
        encoding="utf-8",
    )
    (reading,) = formats.read(path)
    (document,) = reading.documents
    assert document.domain == "news"
    assert document.segments[0].flags == ("reference_differs",)
    assert list(document.segments[0].references.values()) == ["Eins!"]
    notes = " ".join(reading.notes)
    assert "1 row says something else about its document" in notes
    assert "another reference" in notes


def test_a_plain_table_says_that_its_rows_differ_about_a_document(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = "d,1,news,One.,Eins.\nd,2,law,Two.,Zwei.\nd,3,,Three.,Drei.\ne,1,law,Four.,Vier.\n"
    path.write_text(f"document,segment,domain,source,target\n{rows}", encoding="utf-8")
    (reading,) = formats.read(path)
    assert [document.domain for document in reading.documents] == ["news", "law"]
    assert "1 row says something else" in " ".join(reading.notes)


def test_a_duration_that_cannot_be_read_is_flagged(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("rater,item,score,seconds\na,1,4,12.5\na,2,5,a while\na,3,3,\n")
    (reading,) = formats.read(path)
    assert [j.flags for j in reading.judgements] == [(), ("unreadable_time",), ()]
    assert [j.elapsed_seconds for j in reading.judgements] == [12.5, None, None]
    assert "(line 3)" in " ".join(reading.notes)


@pytest.mark.parametrize("content", ["source,target\n", "judge,document,segment,score\n", ""])
def test_a_table_without_rows_is_an_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=r"no rows|empty|no header|none of the formats"):
        formats.read(path)
    with pytest.raises(InputError):
        list(formats.read_documents(path))


@pytest.mark.parametrize(
    "value",
    [
        {"documents": [{"a": 1}], "x": 2},
        {"title": "t", "segments": [{"src": "One.", "mt": "Eins."}, {"src": "Two.", "mt": "Zwei."}]},
    ],
)
def test_a_list_inside_an_object(tmp_path: Path, value: dict[str, Any]) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(value, indent=1))
    if "segments" not in value:
        with pytest.raises(InputError):
            formats.read(path)
        return
    (reading,) = formats.read(path, "table")
    assert [s.source for s in reading.documents[0]] == ["One.", "Two."]


def test_documents_with_lists_of_sentences(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [{"doc_id": "a", "src": ["One.", "Two."], "outputs": {"gpt": ["Eins.", "Zwei."], "nmt": ["Ein.", "Zwo."]}}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    (reading,) = formats.read(path)
    (document,) = reading.documents
    assert [(s.id, s.source, dict(s.outputs)) for s in document] == [
        ("1", "One.", {"gpt": "Eins.", "nmt": "Ein."}),
        ("2", "Two.", {"gpt": "Zwei.", "nmt": "Zwo."}),
    ]
    rows[0]["outputs"]["gpt"].append("Drei.")
    path.write_text(json.dumps(rows[0]) + "\n")
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert caught.value.code == "list_length"


def test_items_by_judges(tmp_path: Path) -> None:
    """The matrix that statistics packages take: an item a row, a judge a column."""
    path = tmp_path / "t.csv"
    path.write_text("item,ann,ben,carla\n1,4,5,4\n2,3,,3\n")
    (reading,) = formats.read(path)
    assert {(j.judge, j.segment): j.value for j in reading.judgements} == {
        ("ann", "1"): 4, ("ben", "1"): 5, ("carla", "1"): 4, ("ann", "2"): 3, ("carla", "2"): 3,
    }  # fmt: skip


def test_labels_by_judges(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,ann,ben\n1,good,bad\n2,good,good\n")
    (reading,) = formats.read(path)
    assert [(j.judge, j.question, j.value) for j in reading.judgements][:2] == [
        ("ann", "label", "good"), ("ben", "label", "bad"),
    ]  # fmt: skip
    path.write_text("id,kind,of\n1,noun,house\n2,verb,tree\n")
    with pytest.raises(InputError):
        formats.read(path)


# Tables of a few rows


PREFERENCES = {
    "name": lambda names, side: names[side] if side < 2 else "tie",
    "heading": lambda names, side: f"Translation {names[side]}" if side < 2 else "About the same",
    "letter": lambda names, side: ("A", "B", "equal")[side],
}


@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_a_preference_is_read_from_tables_of_one_to_four_rows(data: st.DataObject) -> None:
    style = data.draw(st.sampled_from(list(PREFERENCES)))
    names = ("A", "B") if style == "letter" else data.draw(st.sampled_from([("oak", "elm"), ("GPT-4", "DeepL")]))
    judge = data.draw(st.sampled_from(["judge", "Rater", "who", "평가자", "Evaluated by", "Bewerter"]))
    asked = data.draw(st.sampled_from(["Preferred", "better", "Winner", "선호", "Bevorzugt", "Which is better?"]))
    # without a side among the answers nothing says that they are preferences
    chosen = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=4).filter(lambda sides: min(sides) < 2))
    heads = [f"Translation {name}" if style == "heading" else name for name in names]
    rows = [
        [
            ["ann", "bob"][n % 2],
            SENTENCES[n][0],
            SENTENCES[n][1],
            f"{SENTENCES[n][1]}.",
            PREFERENCES[style](names, side),
        ]
        for n, side in enumerate(chosen)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[judge, "source", *heads, asked], *rows])
        (reading,) = formats.read(path)
    (document,) = reading.documents
    assert [(s.source, tuple(s.outputs)) for s in document] == [(SENTENCES[n][0], names) for n in range(len(chosen))]
    values = [(j.judge, j.systems, str(j.value).casefold()) for j in reading.judgements]
    # a letter that is the only answer is the name of the system, and its side
    assert values == [(row[0], names, ("a", "b", "tie")[side]) for row, side in zip(rows, chosen, strict=True)]


@pytest.mark.parametrize(
    ("table", "says", "advice"),
    [
        ("Ours,en,de,opinion\nann,Cats sit.,Sie.,good\nbob,Cats sit.,Sie.,bad\n", "no column is known to name judges",
         "--columns judge=Ours."),
        ("source,target,Person\nI sit.,Ich sitze.,ann\nYou sit.,Du sitzt.,bob\n", "no judgements in it",
         "lanner new"),
        ("Our person,en,de,opinion\nann,Cats.,Sie.,good\nbob,Cats.,Sie.,bad\n", "no column is known to name judges",
         "--columns 'judge=Our person'."),
        ("en,de,score\nCats sit.,Sie.,4\nCats sit.,Sie.,2\n", "no column is known to name judges",
         "Add a column `judge`."),
        ("rater,source,target,comment\nann,Cats sit.,Sie.,fine\n", "no column is known to hold their answers",
         "--columns answer:comment=comment."),
        ("judge,source,oak\nann,The cat sat.,Die Katze.\n", "no column is known to hold their answers", "lanner new"),
        ("segment,score\n1,3\n2,4\n", "no column says whose they are", "--columns judge=COLUMN"),
    ],
)  # fmt: skip
def test_small_tables_that_do_not_say_enough_are_refused_with_the_option_to_give(
    tmp_path: Path, table: str, says: str, advice: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table)
    with pytest.raises(InputError, match=says) as raised:
        formats.read_judged(path)
    assert advice in str(raised.value)


@pytest.mark.parametrize(
    ("table", "answers"),
    [
        ("who,en,de,opinion\nann,Cats sit.,Sie.,good\n", [("ann", "opinion", ("target",), "good")]),
        ("Person,en,de,opinion\nann,Cats sit.,Sie.,good\n", [("ann", "opinion", ("target",), "good")]),
        ("Personne,source,cible,note\nann,Cats sit.,Sie.,4\n", [("ann", "note", ("cible",), 4)]),
        ("Participante,origen,traducción,nota\nann,Cats.,Gatos.,4\n", [("ann", "nota", ("traducción",), 4)]),
        ("응답자,en,ko,score\n김,Cats sit.,고양이.,4\n", [("김", "score", ("target",), 4)]),
        ("judge,en,de,person,score\nann,I sit.,Ich sitze.,1,4\n", [("ann", "score", ("target",), 4)]),
        ("person,en,de,score_ann,score_bob\nx,I sit.,Ich sitze.,4,3\n",
         [("ann", "score", ("target",), 4), ("bob", "score", ("target",), 3)]),
        ("name,source,target,score\nann,Cats sit.,Sie.,4\nbob,Cats sit.,Sie.,2\n",
         [("ann", "score", ("target",), 4), ("bob", "score", ("target",), 2)]),
        ("rater,source,system A,translation A,system B,translation B,better\nann,Cats.,DeepL,Sie.,Bing,Es.,A\n",
         [("ann", "better", ("DeepL", "Bing"), "a")]),
        ("judge,source,oak,elm,ash,best\nann,The cat sat.,Die Katze saß.,Katze sitzt.,Eine Katze.,ash\n",
         [("ann", "best", ("oak", "elm", "ash"), "ash")]),
        ("Rater,Sentence,Translation,Score\nann,The cat sat.,Die Katze.,4\n",
         [("ann", "score", ("Translation",), 4)]),
    ],
)  # fmt: skip
def test_small_tables_that_say_enough(tmp_path: Path, table: str, answers: list[tuple[Any, ...]]) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table)
    (reading,) = formats.read(path)
    values = [(j.judge, j.question, j.systems, j.value) for j in reading.judgements]
    assert [(*rest, v.casefold() if isinstance(v, str) else v) for *rest, v in values] == answers


@pytest.mark.parametrize("values", [("1st", "2nd", "3rd"), ("1", "2", "3"), ("third", "first", "third")])
def test_grammatical_persons_are_no_judges(tmp_path: Path, values: tuple[str, ...]) -> None:
    path = tmp_path / "t.tsv"
    rows = "".join(f"{en}\t{ko}\t{value}\t4\n" for (en, ko), value in zip(SENTENCES, values, strict=False))
    path.write_text(f"source\ttarget\tPerson\tscore\n{rows}", encoding="utf-8")
    (reading,) = formats.read_judged(path)
    assert {(j.judge, j.question) for j in reading.judgements} == {("judge", "score")}
    assert any("not read: Person" in note for note in reading.notes)


@pytest.mark.parametrize(
    "table",
    [
        "key,name,source,target\n1,ok,Yes,Ja\n2,sure,Yes,Ja\n3,cancel,No,Nein\n4,never,No,Nein\n",  # names of strings
        "prompt,chosen,rejected\nTranslate: A cat.,A Katze.,Katze.\nTranslate: B.,B Katze.,Katze.\n",
        "source,target,Language\nOne cat.,Eine Katze.,de\nTwo cats.,Zwei Katzen.,de\n",
    ],
)
def test_small_tables_of_texts_hold_no_judgements(tmp_path: Path, table: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table)
    (reading,) = formats.read(path)
    assert not reading.judgements
    assert not any("name judges" in note for note in reading.notes)


def test_columns_that_are_dropped_beside_answers_are_not_said_to_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("judge,source,target,score,batch\nann,Cats sit.,Sie.,4,x\nbob,Cats sit.,Sie.,5,x\n")
    (reading,) = formats.read(path)
    assert "not read: batch" in reading.notes[0]
    path.write_text("source,target,batch\nCats sit.,Sie.,x\n")
    (reading,) = formats.read(path)
    assert "kept as they are: batch" in reading.notes[0]
    assert reading.documents[0].segments[0].meta == {"batch": "x"}


def test_a_few_repeated_sentences_are_one_judges(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("en,de,score\nYes.,Ja.,4\nYes.,Ja.,2\nNo.,Nein.,3\nWhy?,Warum?,5\n")
    assert [j.value for reading in formats.read_judged(path) for j in reading.judgements] == [4, 2, 3, 5]


def test_a_translation_that_is_the_name_of_a_column_is_no_preference(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("source,oak,elm,yew\nAn elm.,Eine Ulme.,Ulme.,Elm\nA dog.,Ein Hund.,Hund.,Der Hund\n")
    (reading,) = formats.read(path)
    assert reading.documents[0].systems == ("oak", "elm", "yew")


def test_one_judge_assumed_is_said_with_the_options_that_name_judges(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("source,hyp,ann,bob\nThe cat sat.,Die Katze saß.,4,5\nThe dog ran.,Der Hund lief.,3,2\n")
    (reading,) = formats.read_judged(path)
    [note] = [note for note in reading.notes if "one judge's" in note]
    assert "--columns judge:ann=ann,judge:bob=bob" in note


# Headings of several words: a letter or number behind a word, a scale behind a question

WORDS = {  # source, output, judge, answer
    "en": ("Source", "MT", "Rater", "Score"),
    "ko": ("원문", "번역", "평가자", "점수"),
    "ja": ("原文", "訳文", "評価者", "評価"),
    "zh": ("原文", "译文", "评估员", "评分"),
    "de": ("Quelle", "Übersetzung", "Bewerter", "Bewertung"),
    "fr": ("Texte source", "Traduction", "Évaluateur", "Note"),
    "es": ("Texto original", "Traducción", "Evaluador", "Puntuación"),
    "ru": ("Оригинал", "Перевод", "Эксперт", "Оценка"),
    "pl": ("Tekst źródłowy", "Tłumaczenie", "Oceniający", "Ocena"),
    "tr": ("Kaynak metin", "Çeviri", "Değerlendirici", "Puan"),
    "ar": ("النص المصدر", "الترجمة", "المقيم", "الدرجة"),
}
SCALES = ["", " (0-100)", " (0–100)", " [0-100]", " 0-100", " /100", "（0-100）", " (1 = bad, 100 = good)"]


@given(data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_scores_are_about_the_output_with_the_same_letter_or_number(data: st.DataObject) -> None:
    source, output, judge, answer = WORDS[data.draw(st.sampled_from(list(WORDS)))]
    glue = data.draw(st.sampled_from(["", " ", "_"]))
    marks = data.draw(st.sampled_from([("A", "B"), ("1", "2"), ("1", "2", "3")]))
    scale = data.draw(st.sampled_from(SCALES))
    numbers = data.draw(st.lists(st.integers(40, 60), min_size=6 * len(marks), max_size=6 * len(marks)))
    judges, places = ("ann", "ben"), range(3)
    values = iter(numbers)
    truth = {(j, n, mark): next(values) for j in judges for n in places for mark in marks}
    header = [judge, source, *(f"{output}{glue}{m}" for m in marks), *(f"{answer}{glue}{m}{scale}" for m in marks)]
    texts = {(n, mark): f"{SENTENCES[n][1]} {mark}" for n in places for mark in marks}
    rows = [
        [j, SENTENCES[n][0], *(texts[n, mark] for mark in marks), *(truth[j, n, mark] for mark in marks)]
        for j in judges
        for n in places
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
        (reading,) = formats.read(path)
    (document,) = reading.documents
    assert [s.source for s in document] == [SENTENCES[n][0] for n in places]
    assert [list(s.outputs.values()) for s in document] == [[texts[n, mark] for mark in marks] for n in places]
    assert len({j.question for j in reading.judgements}) == 1
    read = {(j.judge, int(j.segment) - 1, j.systems[0][-1]): j.value for j in reading.judgements if len(j.systems) == 1}
    assert (read, len(reading.judgements)) == (truth, len(truth))


@pytest.mark.parametrize("scale", SCALES[1:])
@pytest.mark.parametrize("has_judge", [True, False])
def test_a_question_is_not_called_by_its_scale(tmp_path: Path, scale: str, has_judge: bool) -> None:
    header = (
        ["rater", "segment", f"Score{scale}"] if has_judge else ["segment", f"Score Ann{scale}", f"Score Ben{scale}"]
    )
    scores = {("Ann", 1): 40, ("Ann", 2): 41, ("Ben", 1): 42, ("Ben", 2): 43}
    rows = [[j, n, value] for (j, n), value in scores.items()]
    if not has_judge:
        if not scale.strip().startswith(("(", "[", "（")):
            pytest.skip("`Score Ann 0-100` may name a system")
        rows = [[n, scores["Ann", n], scores["Ben", n]] for n in (1, 2)]
    path = tmp_path / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    (reading,) = formats.read(path)
    assert {(j.judge, int(j.segment)): j.value for j in reading.judgements} == scores
    assert {j.question for j in reading.judgements} == {"score"}


def test_scales_of_one_question_keep_their_names_apart(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("rater,segment,Score (1-5),Score (0-100)\na,1,3,60\nb,1,4,70\n", encoding="utf-8")
    (reading,) = formats.read(path)
    assert [(j.judge, j.question, j.value) for j in reading.judgements] == [
        *(("a", "score_1_5", 3), ("a", "score_0_100", 60), ("b", "score_1_5", 4), ("b", "score_0_100", 70)),
    ]


@pytest.mark.parametrize("heading", ["score", "Score 0-100", "Puan (1-100)"])
@pytest.mark.parametrize("same_texts", [True, False])
def test_sheets_with_the_same_texts_are_judges_and_with_others_systems(
    tmp_path: Path, heading: str, same_texts: bool
) -> None:
    book = openpyxl.Workbook()
    for at, name in enumerate(("one", "two")):
        page = book.create_sheet(name)
        page.append(["No", "Source", "Target", heading])
        for n, (source, target) in enumerate(SENTENCES[:3]):
            page.append([n, source, target if same_texts else f"{target} {name}", 50 + n + 10 * at])
    del book[book.sheetnames[0]]
    book.save(tmp_path / "t.xlsx")
    (reading,) = formats.read(tmp_path / "t.xlsx")
    systems = {system for document in reading.documents for segment in document for system in segment.outputs}
    assert systems == ({"Target"} if same_texts else {"one", "two"})
    if same_texts:
        read = {(j.judge, j.segment): j.value for j in reading.judgements}
        assert read == {(name, str(n)): 50 + n + 10 * at for at, name in enumerate(("one", "two")) for n in range(3)}


STEPS = [
    (["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"], [1, 2, 3, 4, 5]),
    (
        ["Strongly disagree", "Somewhat disagree", "Neither agree nor disagree", "Somewhat agree", "Agree"],
        [1, 3, 4, 5, 6],
    ),
    (["Very poor", "Poor", "Fair", "Good", "Excellent"], [1, 2, 3, 4, 5]),
    (["Bad", "Poor", "Fair", "Good", "Excellent"], [1, 2, 3, 4, 5]),
    (["Poor", "Fair", "Good", "Very good", "Excellent"], [1, 2, 3, 4, 5]),
    (["sehr schlecht", "schlecht", "mittel", "gut", "sehr gut"], [1, 2, 3, 4, 5]),
    (["Très mauvais", "Mauvais", "Moyen", "Bon", "Excellent"], [1, 2, 3, 4, 5]),
    (["매우 나쁨", "나쁨", "보통", "좋음", "매우 좋음"], [1, 2, 3, 4, 5]),
    (["전혀 그렇지 않다", "그렇지 않다", "보통이다", "그렇다", "매우 그렇다"], [1, 2, 3, 4, 5]),
    (["とても悪い", "悪い", "普通", "良い", "とても良い"], [1, 2, 3, 4, 5]),
    (["很差", "差", "一般", "好", "很好"], [1, 2, 3, 4, 5]),
    (["очень плохо", "плохо", "средне", "хорошо", "отлично"], [1, 2, 3, 4, 5]),
    (["çok kötü", "kötü", "orta", "iyi", "çok iyi"], [1, 2, 3, 4, 5]),
    (["minor", "major", "critical", "minor", "major"], None),
    (["Good", "Good", "Good", "Good", "Good"], None),
    (["Good", "Bad", "Purple", "Good", "Bad"], None),
]


@pytest.mark.parametrize(("words", "steps"), STEPS, ids=lambda value: str(value)[:24])
@pytest.mark.parametrize("heading", ["quality", "response"])
def test_words_of_a_scale_are_its_steps(
    tmp_path: Path, words: list[str], steps: list[int] | None, heading: str
) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"{judge},{n},sys,{word}\n" for judge in "ab" for n, word in enumerate(words))
    path.write_text(f"judge,segment,system,{heading}\n{rows}", encoding="utf-8")
    if heading == "response" and steps is None:
        return  # nothing says then that these are no outputs
    (reading,) = formats.read(path)
    assert [j.value for j in reading.judgements] == 2 * (steps or words)
    assert any("steps of a scale" in note for note in reading.notes) == (steps is not None)


@pytest.mark.parametrize(
    "cells",
    [
        ["1 point", "2 points", "3 points"],
        ["1 Punkt", "2 Punkte", "3 Punkte"],
        ["1점", "2점", "3점"],
        ["1 (bad)", "2 (so-so)", "3 (good)"],
        ["1=bad", "2=so-so", "3=good"],
        ["bad (1)", "so-so (2)", "good (3)"],
        ["bad: 1", "so-so: 2", "good: 3"],
        ["1 (bad)", "2", "3 (good)"],
        ["1", "2", "3 (Good)", "3 (good)", "3"],
        ["+1 (better)", "-1 (worse)", "0"],
        ["1/3", "2/3", "3/3"],
    ],
    ids=lambda cells: str(cells[-1]),
)
def test_a_number_with_a_word_is_a_number(tmp_path: Path, cells: list[str]) -> None:
    rows = [{"judge": judge, "item": n, "score": cell} for judge in "ab" for n, cell in enumerate(cells)]
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.json")
    numbers = {"b": 1, "s": 2, "g": 3, "+": 1, "-": -1}  # what a cell begins with, where that is no digit
    expected = [int(cell[0]) if cell[0].isdigit() else numbers[cell[0]] for cell in cells]
    assert [j.value for j in reading.judgements] == 2 * expected
    assert any("steps of a scale" in note for note in reading.notes)


@pytest.mark.parametrize("cells", [["3 (good)", "3 (fair)", "2 (bad)"], ["good (3)", "fair (3)", "bad (2)"]])
def test_a_number_with_several_words_is_a_label_and_said_to_be_one(tmp_path: Path, cells: list[str]) -> None:
    rows = [{"judge": judge, "item": n, "score": cell} for judge in "ab" for n, cell in enumerate(cells)]
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.json")
    assert [j.value for j in reading.judgements] == 2 * cells
    assert any("one number has several words" in note for note in reading.notes)


@pytest.mark.parametrize(
    "cells", [["1 (left)", "2 (right)", "0 (tie)"], ["A (1)", "B (2)", "Tie (0)"], ["1 - first", "2 - second"]]
)
def test_sides_with_a_number_are_no_steps(tmp_path: Path, cells: list[str]) -> None:
    rows = [{"judge": judge, "item": n, "preferred": cell} for judge in "ab" for n, cell in enumerate(cells)]
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.json")
    assert [j.value for j in reading.judgements] == 2 * cells
    assert not any("steps of a scale" in note or "numbers with words" in note for note in reading.notes)


@pytest.mark.parametrize("score", [{"value": 4, "max": 5}, {"value": 4, "min": 1, "max": 5}])
def test_what_a_score_is_out_of_is_no_answer(tmp_path: Path, score: dict[str, int]) -> None:
    rows = [
        {"judge": judge, "document": "d", "segment": n, "fluency": {**score, next(iter(score)): n + 1}}
        for judge in "ab"
        for n in range(4)
    ]
    (tmp_path / "t.json").write_text(json.dumps(rows), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.json")
    assert {j.question for j in reading.judgements} == {"fluency"}
    assert [j.value for j in reading.judgements] == 2 * [1, 2, 3, 4]


@pytest.mark.parametrize(
    "places", [("1st", "2nd", "3rd"), ("1.", "2.", "3."), ("1위", "2위", "3위"), ("第1位", "第2位", "第3位")]
)
def test_ranks_are_numbers_however_they_are_written(tmp_path: Path, places: tuple[str, ...]) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(
        f"{judge},1,{system},{place}\n" for judge in "ab" for system, place in zip("xyz", places, strict=True)
    )
    path.write_text(f"judge,segment,system,rank\n{rows}", encoding="utf-8")
    (reading,) = formats.read(path)
    assert [(j.judge, j.systems, j.value) for j in reading.judgements] == [
        (judge, (system,), n) for judge in "ab" for n, system in enumerate("xyz", 1)
    ]


def test_numbered_raters_beside_texts_are_judges(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "source,MT,R1,R2\nCats sit.,Katzen sitzen.,60,70\nDogs run.,Hunde rennen.,61,69\n", encoding="utf-8"
    )
    (reading,) = formats.read(path)
    assert {(j.judge, j.segment): j.value for j in reading.judgements} == {
        **{("R1", "1"): 60, ("R2", "1"): 70, ("R1", "2"): 61, ("R2", "2"): 69}
    }
    path.write_text("source,MT_A,MT_B,rater,ScoreA,ScoreB\nCats sit.,Katzen.,Sie.,x,60,70\nDogs.,Hunde.,Die.,x,1,2\n")
    (reading,) = formats.read(path)
    assert [(j.systems, j.value) for j in reading.judgements] == [
        ((s,), v) for s, v in zip("ABAB", (60, 70, 1, 2), strict=True)
    ]


@pytest.mark.parametrize("headers", ["system_1,system_2", "MT 1,MT 2", "mt_a,mt_b"])
def test_systems_that_take_turns_are_names_and_no_texts(headers: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [("x", 1, "gpt", "nmt", "1"), ("x", 2, "nmt", "gpt", "2"), ("y", 1, "gpt", "nmt", "same")]
    path.write_text(f"judge,segment,{headers},preference\n" + "".join(f"{','.join(map(str, r))}\n" for r in rows))
    (reading,) = formats.read(path)
    assert [(j.judge, j.systems, j.value) for j in reading.judgements] == [
        *(("x", ("gpt", "nmt"), "a"), ("x", ("nmt", "gpt"), "b"), ("y", ("gpt", "nmt"), "tie")),
    ]


def test_a_short_text_that_comes_again_in_the_other_column_is_no_system(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = "x,Oui.,Yes.,No.,1,2\nx,Non.,No.,Nope.,3,4\n"
    path.write_text(f"judge,source,MT1,MT2,Score1,Score2\n{rows}", encoding="utf-8")
    (reading,) = formats.read(path)
    assert [dict(s.outputs) for s in reading.documents[0]] == [
        *({"MT1": "Yes.", "MT2": "No."}, {"MT1": "No.", "MT2": "Nope."}),
    ]


def test_columns_of_language_codes_are_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"sys,en,de,{n},{50 + n + k},u{k}\n" for k in (1, 2) for n in range(3))
    path.write_text(f"SYS,SRC,TGT,SID,score,user\n{rows}", encoding="utf-8")
    (reading,) = formats.read(path)
    assert {(j.judge, j.segment): j.value for j in reading.judgements} == {
        (f"u{k}", str(n)): 50 + n + k for k in (1, 2) for n in range(3)
    }
    assert {d.language_pair for d in reading.documents} == {"en-de"}
    path.write_text("id,source,mt_google,mt_deepl\n1,Cats sit.,Katzen.,Sie sitzen.\n", encoding="utf-8")
    (reading,) = formats.read(path)
    assert {d.language_pair for d in reading.documents} == {"und-und"}  # and not Maltese


@pytest.mark.parametrize(
    ("table", "code"),
    [
        ("Judge,System,Adequacy\nA,x,3\nA,y,4\nB,x,2\nB,y,5\n", "no_item_column"),
        ("Judge,Segment,Score\nA,1,2026-03-04\nA,2,2026-03-05\nB,1,2026-03-04\n", "dates_as_answers"),
    ],
)
def test_answers_that_cannot_be_read_are_refused_with_the_reason(tmp_path: Path, table: str, code: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert caught.value.code == code
    assert "--columns" in caught.value.next_step


@pytest.mark.parametrize("headers", ["target:one,target:two", "target:A,target:B", "one,two", "MT1,MT2"])
def test_short_texts_that_come_again_in_both_columns_are_texts(headers: str, tmp_path: Path) -> None:
    """They were taken for names of systems that take turns, and the texts were lost."""
    rows = [f'd{n},{at},"a sentence {n}",Satz {at + n},Satz {n}' for n in range(30) for at in range(2)]
    (tmp_path / "t.csv").write_text("\n".join([f"document,segment,source,{headers}", *rows]), encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.csv", languages="en-de")
    outputs = [list(segment.outputs.values()) for document in reading.documents for segment in document.segments]
    assert outputs == [[f"Satz {at + n}", f"Satz {n}"] for n in range(30) for at in range(2)]


@pytest.mark.parametrize("headers", ["target:A,target:B", "translation_a,translation_b", "Output 1,Output 2"])
def test_a_header_that_says_text_holds_texts_however_short_and_often_they_come(headers: str, tmp_path: Path) -> None:
    rows = [f"{n},question {n}?,{('ja', 'nein')[n % 2]},{('nein', 'ja')[n % 2]},x,{'AB'[n % 2]}" for n in range(12)]
    (tmp_path / "t.csv").write_text("\n".join([f"id,source,{headers},judge,preference", *rows]), encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.csv")
    outputs = [tuple(segment.outputs.values()) for document in reading.documents for segment in document.segments]
    assert outputs == [("ja", "nein"), ("nein", "ja")] * 6
    assert [j.value for j in reading.judgements] == ["a", "b"] * 6


@pytest.mark.parametrize("judges", ["X", "y", "XY", "NF"])
def test_a_judge_whose_name_is_a_tick_is_a_judge(judges: str, tmp_path: Path) -> None:
    """Every row says yes: nothing is told apart, and the answers were lost."""
    rows = [f"{n},question {n}?,text {n} here,{judges[n % len(judges)]},{n}" for n in range(8)]
    (tmp_path / "t.csv").write_text("\n".join(["id,source,target,judge,score", *rows]), encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.csv")
    assert [(j.judge, j.value) for j in reading.judgements] == [(judges[n % len(judges)], n) for n in range(8)]


def test_names_that_meet_themselves_are_no_systems_that_take_turns(tmp_path: Path) -> None:
    """Two short texts that are alike in one segment: no system is compared with itself."""
    rows = [("ja", "nein"), ("nein", "ja"), ("ja", "ja"), ("nein", "doch"), ("doch", "nein"), ("doch", "ja")]
    table = "".join(f"{n},question {n}?,{first},{second}\n" for n, (first, second) in enumerate(rows))
    (tmp_path / "t.csv").write_text(f"segment,source,MT1,MT2\n{table}", encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.csv")
    assert [tuple(segment.outputs.values()) for segment in reading.documents[0]] == rows


@pytest.mark.parametrize("sure", [[1, 2, 5, 1], [1, 2, 2, 1]])
def test_numbers_beside_systems_called_by_numbers_stay_numbers(sure: list[int], tmp_path: Path) -> None:
    """A confidence of 1 or 2 became the first or the second translation."""
    said = ["Translation 1", "Translation 2", "Both are equally good", "Translation 2"]
    rows = enumerate(zip(said, sure, strict=True))
    table = "".join(f"Sentence {n}.,Satz {n}.,Ein Satz {n}.,{better},x,{sure}\n" for n, (better, sure) in rows)
    header = "Source,Translation 1,Translation 2,Which is better?,Evaluator,How confident are you? (1-5)\n"
    (tmp_path / "t.csv").write_text(header + table, encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.csv")
    values = {key: [j.value for j in reading.judgements if j.question == key] for key in ("which_is_better",)}
    values["sure"] = [j.value for j in reading.judgements if j.question != "which_is_better"]
    assert values == {"which_is_better": ["a", "b", "tie", "b"], "sure": sure}
    assert not any(j.flags for j in reading.judgements)


@pytest.mark.parametrize("source", [True, False], ids=["with source", "ratings alone"])
def test_question_ids_of_a_benchmark_name_items(source: bool, tmp_path: Path) -> None:
    """Each prompt is a question there: every row was read as a question of its own."""
    pairs = [("oak", "elm"), ("elm", "oak"), ("oak", "ash"), ("ash", "elm"), ("elm", "oak"), ("ash", "oak")]
    said = ["model_a", "model_b", "tie (bothbad)", "model_a", "tie", "model_b"]
    lines = [
        {"question_id": 80 + n, "model_a": a, "model_b": b, "winner": winner, "judge": f"x{who}", "tstamp": 1.7e9 + n}
        | ({"source": f"Sentence {n}.", "response_a": f"Satz {n}.", "response_b": f"Ein Satz {n}."} if source else {})
        for who in (1, 2)
        for n, ((a, b), winner) in enumerate(zip(pairs, said, strict=True))
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.jsonl")
    found = [j for j in reading.judgements if j.judge == "x1"]
    assert {j.question for j in found} == {"winner"}
    assert [(j.systems, j.value) for j in found] == [
        (pair, {"model_a": "a", "model_b": "b"}.get(winner, "tie")) for pair, winner in zip(pairs, said, strict=True)
    ]
    assert [j.answered_at and j.answered_at.year for j in found] == [2023] * 6
    assert all(j.elapsed_seconds is None for j in found)


def test_a_cell_with_the_scores_of_several_judges(tmp_path: Path) -> None:
    """As direct assessments for quality estimation are released: standardised scores were read as two judges' answers,
    and those of the judges were lost."""
    scores = [[70, 80, 90], [55, 60], [1, 2, 3]]
    rows = [f"{n}\tSentence {n}.\tSatz {n}.\t{row}\t80.1\t[0.1, 0.2]\t0.1\t-0.4" for n, row in enumerate(scores)]
    header = "index\toriginal\ttranslation\tscores\tmean\tz_scores\tz_mean\tmodel_scores"
    (tmp_path / "t.tsv").write_text("\n".join([header, *rows]), encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.tsv")
    assert {(j.judge, j.segment): j.value for j in reading.judgements} == {
        (str(judge), str(n)): value for n, row in enumerate(scores) for judge, value in enumerate(row, 1)
    }
    assert any("several answers" in note for note in reading.notes)


def test_marks_of_prodigy_with_their_source(tmp_path: Path) -> None:
    lines = [
        {
            "text": f"Satz {n}.",
            "meta": {"source": f"Sentence {n}.", "system": "oak"},
            "spans": [{"start": 0, "end": 4, "label": "accuracy", "token_start": 0}] if n % 2 else [],
            "answer": "reject" if n == 3 else "accept",
            "_input_hash": n,
            "_task_hash": -n,
            "_annotator_id": "x",
        }
        for n in range(4)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.jsonl")
    mark = {"start": 0, "end": 4, "category": "accuracy"}
    assert [j.value for j in reading.judgements] == [[], [mark], [], None]
    assert [(s.source, dict(s.outputs)) for s in reading.documents[0]] == [
        (f"Sentence {n}.", {"oak": f"Satz {n}."}) for n in range(4)
    ]


def test_columns_of_a_form_that_are_not_read_are_named(tmp_path: Path) -> None:
    header = "Timestamp,Email Address,1. First sentence,2. Second sentence,3. Third sentence,Any comments?"
    rows = [f"2026/03/0{n} 10:00:00 AM GMT+1,p{n}@example.org,{n},2,3,fine" for n in (1, 2, 3)]
    (tmp_path / "t.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.csv")
    assert len(reading.judgements) == 9
    assert any("Not read: Timestamp, Any comments?." in note for note in reading.notes)


def test_a_number_that_no_judge_ever_changes_is_about_the_judge(tmp_path: Path) -> None:
    """An age is no answer; a dwelling time without a known name is one."""
    rows = [
        f"{n},{who},{(n + len(who)) % 5},{age},{n * len(who)}" for n in range(6) for who, age in (("x", 31), ("yy", 4))
    ]
    (tmp_path / "t.csv").write_text("\n".join(["segment,judge,adequacy,judge_age,looks", *rows]), encoding="utf-8")
    [reading] = formats.read(tmp_path / "t.csv")
    assert {j.question for j in reading.judgements} == {"adequacy", "looks"}


def _read_scores(path: Path, **options: Any) -> set[tuple[str, str, tuple[str, ...], float]]:
    (reading,) = formats.read(path, **options)
    return {(entry.judge, entry.segment, entry.systems, entry.value) for entry in reading.judgements}


SYSTEMS = [
    ["GPT-4", "DeepL", "Google Translate"],
    ["SystemA", "SystemB", "SystemC"],
    ["MT1", "MT2", "HT"],
    ["ONLINE-B", "NLLB-200", "refA"],
]


@pytest.mark.parametrize("names", SYSTEMS, ids=lambda names: names[0])
@pytest.mark.parametrize("judge", [True, False])
def test_columns_named_after_systems_hold_their_scores(tmp_path: Path, names: list[str], judge: bool) -> None:
    rows = [(j, f"d{d}", d, [60 + 7 * d + 3 * k + j for k in range(3)]) for j in range(1 + judge) for d in range(4)]
    path = tmp_path / "t.csv"
    lines = [["rater"] * judge + ["doc", "seg", *names]]
    lines += [[f"p{j}"] * judge + [doc, str(seg), *map(str, scores)] for j, doc, seg, scores in rows]
    path.write_text("\n".join(map(",".join, lines)), encoding="utf-8")
    read = {(systems, segment, value) for _, segment, systems, value in _read_scores(path)}
    assert read == {((name,), str(seg), score) for _, _, seg, s in rows for name, score in zip(names, s, strict=True)}


def test_headings_with_a_letter_behind_the_word_name_the_system(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("rater,doc,seg,System A,System B\np,d,1,70,60\nq,d,1,80,75\n", encoding="utf-8")
    assert _read_scores(path) == {
        *(("p", "1", ("A",), 70), ("p", "1", ("B",), 60), ("q", "1", ("A",), 80), ("q", "1", ("B",), 75)),
    }


@pytest.mark.parametrize(("columns", "are_systems"), [(["GPT-4", "Claude"], False), (["GPT-4", "DeepL"], True)])
def test_language_models_may_judge_and_translation_engines_do_not(
    tmp_path: Path, columns: list[str], are_systems: bool
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"doc,seg,{','.join(columns)}\nd,1,70,60\nd,2,80,75\n", encoding="utf-8")
    (reading,) = formats.read(path)
    assert ({entry.systems for entry in reading.judgements} == {(name,) for name in columns}) == are_systems
    assert ({entry.judge for entry in reading.judgements} == set(columns)) == (not are_systems)


def test_scores_of_systems_need_no_judge_where_the_columns_are_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc,seg,oak,elm\nd,1,70,60\nd,2,80,75\n", encoding="utf-8")
    read = _read_scores(path, columns="answer:score about oak=oak,answer:score about elm=elm")
    assert {(segment, systems, value) for _, segment, systems, value in read} == {
        *(("1", ("oak",), 70), ("1", ("elm",), 60), ("2", ("oak",), 80), ("2", ("elm",), 75)),
    }


@pytest.mark.parametrize(
    ("sheets", "columns", "on_sheets"),
    [
        (["Rater 1", "Rater 2"], ["oak", "elm"], "judge"),
        (["Kim", "Lee"], ["DeepL", "Google"], "judge"),
        (["Kim", "Lee"], ["GPT-4", "DeepL"], "judge"),
        (["Kim", "Lee"], ["style", "tone"], "judge"),
        (["System 1", "System 2"], ["Kim", "Lee"], "system"),
        (["oak", "elm"], ["annotator1", "annotator2"], "system"),
        (["Kim", "Lee"], ["oak", "elm"], ""),
        (["GPT-4", "Claude"], ["Kim", "Lee"], ""),
        (["Kim", "Lee"], ["oak, large", "elm=2"], ""),
    ],
)
def test_sheets_of_scores_are_judges_or_systems_by_their_names_or_refused(
    tmp_path: Path, sheets: list[str], columns: list[str], on_sheets: str
) -> None:
    book = openpyxl.Workbook()
    for at, name in enumerate(sheets):
        page = book.create_sheet(name)
        page.append(["doc", "seg", *columns])
        for n in range(4):
            page.append([f"d{n % 2}", n, 50 + n + 10 * at, 40 + 2 * n + 10 * at])
    del book[book.sheetnames[0]]
    book.save(tmp_path / "t.xlsx")
    if not on_sheets:
        with pytest.raises(InputError, match="sheet") as error:
            formats.read(tmp_path / "t.xlsx")
        # each of the two commands that it offers reads the file
        ways = [w.strip("'") for w in re.findall(r"--columns ('[^']+'|\S+)\.(?: |$)", error.value.next_step)]
        readings = [_read_scores(tmp_path / "t.xlsx", columns=way) for way in ways]
        by_judge = {(sheets[0], "1", (columns[0],), 51.0), (sheets[1], "3", (columns[1],), 56.0)}
        by_system = {(columns[0], "1", (sheets[0],), 51.0), (columns[1], "3", (sheets[1],), 56.0)}
        assert [by_judge <= readings[0], by_system <= readings[1]] == [True, True]
        return
    read = _read_scores(tmp_path / "t.xlsx")
    assert {judge for judge, *_ in read} == set(sheets if on_sheets == "judge" else columns)
    if on_sheets == "system":
        assert {systems for _, _, systems, _ in read} == {(name,) for name in sheets}


def test_numbers_of_an_unknown_meaning_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc,seg,system,ter\nd,1,oak,0.2\nd,2,oak,0.4\nd,1,elm,0.3\nd,2,elm,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="The numbers in ter may be") as error:
        formats.read(path)
    (way,) = re.findall(r"--columns (\S+)\. ", error.value.next_step)
    assert {(segment, systems, value) for _, segment, systems, value in _read_scores(path, columns=way)} == {
        *(("1", ("oak",), 0.2), ("2", ("oak",), 0.4), ("1", ("elm",), 0.3), ("2", ("elm",), 0.5)),
    }


@pytest.mark.parametrize("people", ["human", "gold", "MOS"])
def test_metrics_beside_scores_of_people_are_no_judges(tmp_path: Path, people: str) -> None:
    rows = [f"d{n % 2},{n},{name},{60 + n},0.{70 + n},{n},0.{30 - n}" for n in range(6) for name in ("oak", "elm")]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([f"doc,seg,system,{people},COMET,BLEU,TER", *rows]), encoding="utf-8")
    read = {(segment, systems, value) for _, segment, systems, value in _read_scores(path)}
    assert read == {(str(n), (name,), 60 + n) for n in range(6) for name in ("oak", "elm")}


def test_columns_on_different_scales_are_no_judges(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc,seg,ann,foo\n" + "".join(f"d,{n},{70 + n},0.{n}\n" for n in range(6)), encoding="utf-8")
    with pytest.raises(InputError, match="ann are on different scales") as error:
        formats.read(path)
    assert "answer:ann=ann" in error.value.next_step


def test_names_of_systems_beside_others_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("doc,seg,DeepL,oak\nd,1,70,60\nd,2,80,75\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"after systems \(DeepL\).*\(oak\) is not clear") as error:
        formats.read(path)
    (way,) = re.findall(r"--columns '([^']+)'", error.value.next_step)
    assert {systems for _, _, systems, _ in _read_scores(path, columns=way)} == {("DeepL",), ("oak",)}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("gpt-4o", "model"), ("claude-3-opus", "model"), ("LLM judge", "model"), ("Llama 3", "model")),
        *(("COMET", "metric"), ("CometKiwi", "metric"), ("chrF2", "metric"), ("wmt22-comet-da", "metric")),
        *(("adjudicated", "adjudicated"), ("Consensus", "adjudicated"), ("gold", "adjudicated")),
        *(("合意", "adjudicated"), ("Average", "adjudicated"), ("Claude", "person"), ("Gemma", "person")),
        *(("Rouget", "person"), ("Ai", "person"), ("Philippa", "person"), ("Terence", "person")),
    ],
)
@pytest.mark.parametrize("layout", ["long", "wide"])
def test_judges_that_are_no_people_are_known_by_their_names(tmp_path: Path, name: str, kind: str, layout: str) -> None:
    path = tmp_path / "t.csv"
    items = [f"d{n // 2},{n},{system}" for n in range(8) for system in ("DeepL", "Papago")]
    if layout == "long":
        rows = [f"{item},{judge},{60 + n}" for n, item in enumerate(items) for judge in ("Ana", "Ben", name)]
        path.write_text("\n".join(["document,segment,system,judge,score", *rows]), encoding="utf-8")
    else:
        rows = [f"{item},{60 + n},{70 + n % 5},{80 - n}" for n, item in enumerate(items)]
        path.write_text("\n".join([f"document,segment,system,Ana score,Ben score,{name} score", *rows]), "utf-8")
        if kind == "metric" or name == "Average":
            return  # columns of metrics and averages are no judges at all
    (reading,) = formats.read(path)
    kinds = {judge.id: str(judge.kind) for judge in reading.judges}
    assert kinds == {"Ana": "person", "Ben": "person", name: kind}
    assert any(repr(name) in note for note in reading.notes) == (kind != "person")


def test_kinds_of_judges_are_read_in_other_words_than_ours(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    kinds = {"r1": "Human", "r2": "LLM", "r3": "automatic metric", "r4": "gold", "r5": "alien"}
    rows = [f"d{n},{judge},{kind},{70 + n}" for n in range(4) for judge, kind in kinds.items()]
    path.write_text("\n".join(["document,rater,rater type,score", *rows]), encoding="utf-8")
    (reading,) = formats.read(path)
    said = [str(judge.kind) for judge in reading.judges]
    assert said == ["person", "model", "metric", "adjudicated", "person"]
    assert any("'alien'" in note and "r5 counts as a person" in note for note in reading.notes)


@pytest.mark.parametrize(
    "table",
    [
        "judge,document,system,score\nAna,d1,A,3\nAna,d1,B|few-shot,4\nBen,d1,A,5\nBen,d1,B|few-shot,4",
        "judge,document,segment,source,A,B|few-shot,score_A,score_B|few-shot\nAna,d1,1,One.,Eins.,Ein.,3,4\n",
        "judge,document,system_a,system_b,winner\nAna,d1,Oak,B|few-shot,Oak\nAna,d2,B|few-shot,Oak,Oak\n",
    ],
)
def test_a_system_with_a_bar_in_its_name_is_refused_and_not_lost(tmp_path: Path, table: str) -> None:
    (tmp_path / "t.csv").write_text(table, encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        formats.read(tmp_path / "t.csv")
    assert refusal.value.code == "bar_in_name"
    assert "'B|few-shot'" in str(refusal.value)


@pytest.mark.parametrize("what", ["judge", "document", "system"])
def test_ids_that_look_the_same_are_refused_and_not_two(tmp_path: Path, what: str) -> None:
    """é is one code point, or an e and an accent: one judge would be compared with themselves."""
    rows = [
        {"judge": "Ana", "document": f"d{n}", "system": "Oak", "score": str(n), **({what: name} if n < 2 else {})}
        for n, name in enumerate(["Andr\u00e9", "Andre\u0301", "", ""])
    ]
    table = "\n".join(",".join(row.values()) for row in rows)
    (tmp_path / "t.csv").write_text(f"judge,document,system,score\n{table}\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"The {what} 'Andr") as refusal:
        formats.read(tmp_path / "t.csv")
    assert refusal.value.code == "look_alikes"


def test_two_systems_with_a_bar_between_them_are_compared_also_beside_single_ones(tmp_path: Path) -> None:
    rows = ["A|B,preference,a", "A,score,3", "B,score,4"]
    table = ["judge,document,system,question,answer", *(f"Ana,d{n},{row}" for n in range(3) for row in rows)]
    (tmp_path / "t.csv").write_text("\n".join(table), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    assert {judgement.systems for judgement in reading.judgements} == {("A", "B"), ("A",), ("B",)}


@pytest.mark.parametrize("heading", ["sys1_wins", "sys2_wins", "First is better", "right won", "a_preferred"])
@pytest.mark.parametrize("words", [("True", "False"), ("yes", "no"), ("1", "0")])
def test_yes_and_no_say_whether_one_side_won(tmp_path: Path, heading: str, words: tuple[str, str]) -> None:
    pairs = [("oak", "elm"), ("elm", "oak"), ("oak", "fir"), ("fir", "elm")] * 3
    won = [True, False, False, True, True, True] * 2
    rows = [f"Ana,d{n},{a},{b},{words[not w]}" for n, ((a, b), w) in enumerate(zip(pairs, won, strict=True))]
    (tmp_path / "t.csv").write_text("\n".join([f"judge,document,system1,system2,{heading}", *rows]), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    side = "b" if heading in ("sys2_wins", "right won") else "a"
    expected = [side if w else {"a": "b", "b": "a"}[side] for w in won]
    assert [(j.systems, j.value) for j in reading.judgements] == list(zip(pairs, expected, strict=True))
    assert any("If ties are among them" in note for note in reading.notes)


@pytest.mark.parametrize("headings", ["sys1_wins,sys2_wins", "oak wins", "A is not better", "A wins"])
def test_yes_and_no_that_may_mean_something_else_are_no_preferences(tmp_path: Path, headings: str) -> None:
    names = ("A", "B") if headings == "A wins" else ("oak", "elm")
    pairs = [names, names[::-1]] * 4
    answers = ["True", "False"] * (headings.count(",") + 1)
    rows = [f"Ana,d{n},{a},{b},{','.join(answers[: headings.count(',') + 1])}" for n, (a, b) in enumerate(pairs)]
    (tmp_path / "t.csv").write_text("\n".join([f"judge,document,system1,system2,{headings}", *rows]), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    assert not {"a", "b"} & {str(judgement.value) for judgement in reading.judgements}


def _ranked(layout: str, places: Sequence[tuple[float, ...]]) -> str:
    systems = ("DeepL", "Google", "Papago")
    placed = [(f"d{n},{system}", own[at]) for n, own in enumerate(places) for at, system in enumerate(systems)]
    if layout == "by system":
        rows = [f"Ana,d{n},{','.join(map(str, own))}" for n, own in enumerate(places)]
        return "\n".join([f"judge,document,{','.join(systems)}", *rows])
    if layout == "by judge":
        rows = [f"{item},{place},{place}" for item, place in placed]
        return "\n".join(["document,system,Ana,Ben", *rows])
    rows = [f"Ana,{item},{place}" for item, place in placed]
    return "\n".join(["judge,document,system,points", *rows])


@pytest.mark.parametrize(
    "ranks", [[(1, 2, 3), (1, 3, 2), (2, 1, 3)], [(1, 1, 3), (1, 2, 2)], [(1, 1, 2), (1.5, 1.5, 3)]]
)
@pytest.mark.parametrize("layout", ["by system", "by judge", "long"])
def test_places_of_systems_are_ranks_although_no_heading_says_so(
    tmp_path: Path, layout: str, ranks: list[tuple[float, ...]]
) -> None:
    (tmp_path / "t.csv").write_text(_ranked(layout, ranks * 5), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    if layout == "long":  # the heading says points: asked, and not decided
        assert {judgement.question for judgement in reading.judgements} == {"points"}
        assert any("places 1, 2, 3" in note for note in reading.notes)
    else:
        assert {judgement.question for judgement in reading.judgements} == {"rank"}


@pytest.mark.parametrize("layout", ["by system", "by judge", "long"])
def test_scores_that_are_no_places_stay_scores(tmp_path: Path, layout: str) -> None:
    for scores in ([(1, 2, 3)] * 4, [(1, 2, 3)] * 14 + [(2, 2, 3)], [(3, 1, 3), (1, 2, 3)] * 9):
        (tmp_path / "t.csv").write_text(_ranked(layout, scores), encoding="utf-8")
        (reading,) = formats.read(tmp_path / "t.csv")
        assert {judgement.question for judgement in reading.judgements} == {"points" if layout == "long" else "score"}
        assert not any("places 1, 2, 3" in note for note in reading.notes)


def test_times_of_day_beside_dates_are_no_durations(tmp_path: Path) -> None:
    rows = [f"2024-05-{n + 1:02},{9 + n}:{n * 5:02},Ana,d{n},{70 + n}" for n in range(8)]
    (tmp_path / "t.csv").write_text("\n".join(["date,time,judge,document,score", *rows]), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    assert {judgement.elapsed_seconds for judgement in reading.judgements} == {None}
    assert {judgement.question for judgement in reading.judgements} == {"score"}
    durations = "\n".join(["time,judge,document,score", *(row.partition(",")[2] for row in rows)])
    (tmp_path / "t.csv").write_text(durations, encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    assert [judgement.elapsed_seconds for judgement in reading.judgements][:2] == [540.0, 605.0]


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("is_control", {"main": "no", "control": "yes"}),
        ("attention check", {"main": "0", "control": "1"}),
        ("phase", {"tutorial": "Training", "main": "main"}),
        ("role", {"tutorial": "practice", "main": "main", "calibration": "calibration"}),
    ],
)
def test_what_an_answer_is_for_is_read_in_other_words(tmp_path: Path, heading: str, words: dict[str, str]) -> None:
    roles = [role for role in words for _ in range(250)]  # the first rows do not show all of them
    rows = [f"Ana,d{n},oak,{n % 90},{words[role]}" for n, role in enumerate(roles)]
    (tmp_path / "t.csv").write_text("\n".join([f"judge,document,system,score,{heading}", *rows]), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    assert [str(judgement.role) for judgement in reading.judgements] == roles
    assert {judgement.question for judgement in reading.judgements} == {"score"}


def test_a_column_of_ordinary_words_says_nothing_about_what_answers_are_for(tmp_path: Path) -> None:
    rows = [f"Ana,d{n},oak,{60 + n},{word}" for n, word in enumerate(["training", "test"] * 5)]
    (tmp_path / "t.csv").write_text("\n".join(["judge,document,system,score,split", *rows]), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    assert {str(judgement.role) for judgement in reading.judgements} == {"main"}


def test_a_type_that_is_the_same_for_each_judge_is_what_the_judge_is(tmp_path: Path) -> None:
    kinds = {"r1": "human", "r2": "human", "r3": "LLM"}
    rows = [f"d{n},{judge},{kind},{50 + n % 40}" for judge, kind in kinds.items() for n in range(250)]
    (tmp_path / "t.csv").write_text("\n".join(["document,rater,type,score", *rows]), encoding="utf-8")
    (reading,) = formats.read(tmp_path / "t.csv")
    assert {judge.id: str(judge.kind) for judge in reading.judges} == {"r1": "person", "r2": "person", "r3": "model"}
    assert {document.text_type for document in reading.documents} == {""}


@pytest.mark.parametrize("names", [("Rater 1", "Rater 2"), ("Ana", "Politeness")])
def test_columns_for_each_judge_and_output_are_read_or_asked_about(tmp_path: Path, names: tuple[str, str]) -> None:
    columns = [f"{name} {system}" for name in names for system in ("MT1", "MT2")]
    path = tmp_path / "crossed.csv"
    rows = [f"{n},Source {n}.,Satz A {n}.,Satz B {n}.,1,2,3,4" for n in range(3)]
    path.write_text("\n".join([",".join(["id", "source", "MT1", "MT2", *columns]), *rows]), encoding="utf-8")
    expected = dict(zip([(name, (system,)) for name in names for system in ("MT1", "MT2")], (1, 2, 3, 4), strict=True))
    (reading,) = formats.read(path)
    if names[0] == "Ana":
        assert not reading.judgements
        (note,) = [note for note in map(str, reading.notes) if "not analysed" in note]
        assert "judge:Ana about MT1=Ana MT1" in note
        assert "answer:Politeness about MT2=Politeness MT2" in note
        by_judge = {f"judge:{name} about {system}": f"{name} {system}" for name in names for system in ("MT1", "MT2")}
        (reading,) = formats.read(path, columns=by_judge)
    answers = {(entry.judge, entry.systems): entry.value for entry in reading.judgements if entry.segment == "0"}
    assert answers == expected


@pytest.mark.parametrize("yes_no", [("1", "0"), ("yes", "no")])
@pytest.mark.parametrize(("heading", "is_answer"), [("omission", True), ("is_question", False)])
def test_what_no_judge_disputes_is_an_answer_by_its_name_or_said_to_be_left_out(
    tmp_path: Path, yes_no: tuple[str, str], heading: str, is_answer: bool
) -> None:
    rows = [f"{judge},{n},{(n + (judge == 'b')) % 5},{yes_no[n % 2]}" for n in range(8) for judge in "ab"]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([f"judge,segment,score,{heading}", *rows]))
    (reading,) = formats.read(path)
    assert ({entry.question for entry in reading.judgements} == {"score", heading}) == is_answer
    assert any(f"--columns measure:{heading}={heading}" in note for note in reading.notes) != is_answer
    (named,) = formats.read(path, columns=f"measure:{heading}={heading}")
    assert {entry.question for entry in named.judgements} == {"score", heading}


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "columns.parquet", "csv"])
@pytest.mark.parametrize(("pair", "source"), [("", "en"), ("en-de", "en"), ("de-en", "de")])
def test_one_text_in_several_languages(tmp_path: Path, kind: str, pair: str, source: str) -> None:
    """`translation: {en, de}`, as datasets of Hugging Face hold it, and a column for each language: the first is the
    source, unless the language pair says otherwise."""
    texts = {"en": ["The cat sat there.", "It rained all day."], "de": ["Die Katze saß da.", "Es regnete immer."]}
    rows = [dict(zip(texts, each, strict=True)) for each in zip(*texts.values(), strict=True)]
    path = tmp_path / f"t.{kind}"
    match kind:
        case "jsonl":
            path.write_text("\n".join(json.dumps({"translation": row}) for row in rows), encoding="utf-8")
        case "parquet":
            pl.DataFrame({"translation": rows}).write_parquet(path)
        case "columns.parquet":
            pl.DataFrame({"sentence_eng_Latn": texts["en"], "sentence_deu_Latn": texts["de"]}).write_parquet(path)
        case "csv":
            pl.DataFrame(texts).write_csv(path)
    (reading,) = formats.read(path, languages=pair)
    (document,) = reading.documents
    target = "de" if source == "en" else "en"
    assert [segment.source for segment in document] == texts[source]
    assert [list(segment.outputs.values()) for segment in document] == [[text] for text in texts[target]]
    assert (document.source_language[:2], document.target_language[:2]) == (source, target)


def test_languages_that_are_said_against_the_headings_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("source_en,target_de\nThe cat sat there.,Die Katze saß da.\n", encoding="utf-8")
    (reading,) = formats.read(path, languages="de-en")
    assert "The headings name the languages en-de; the texts are read as de-en, as was said." in reading.notes
    (reading,) = formats.read(path, languages="en-de_AT")
    assert not any("headings name" in note for note in reading.notes)


@pytest.mark.parametrize(("start", "place"), [(15, 15), (16, 15), (14, 14)])
def test_marks_that_a_browser_counted_stand_where_their_words_are(tmp_path: Path, start: int, place: int) -> None:
    """In UTF-16 units an emoji before them is two; a place that fits neither way stays."""
    path = tmp_path / "t.jsonl"
    mark = {"start": start, "end": start + 5, "text": "gross", "severity": "major"}
    row = {
        "judge": "a",
        "segment": "1",
        "source": "The house is big.",
        "mt": "😀 Das Haus ist gross.",
        "errors": [mark],
    }
    rows = [row, {**row, "segment": "2", "errors": []}]
    path.write_text("\n".join(json.dumps(each, ensure_ascii=False) for each in rows), encoding="utf-8")
    (reading,) = formats.read(path)
    assert [[mark["start"] for mark in judgement.value] for judgement in reading.judgements] == [[place], []]
    assert any("1 mark has its place in UTF-16" in note for note in reading.notes) == (start == 16)
