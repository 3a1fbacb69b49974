from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from starlette.datastructures import FormData
from starlette.testclient import TestClient

from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Segment
from lanner.store import Store
from lanner.web.drafting.tables import (
    ANSWERS,
    LEFT_OUT,
    OTHER,
    ColumnChoice,
    TableChoices,
    TablePreview,
    is_table,
    preview_table,
    read_choices,
)
from web_clients import sent_back, sign_in

TABLE = (
    "doc_id,domain,seg_id,source,Claude,IKUN\n"
    "d1,news,1,The tide turned before noon today.,Die Flut kam heute vor Mittag.,Das Wasser stieg am Vormittag an.\n"
    "d1,news,2,Nobody waited on the pier.,Niemand wartete am Kai.,Keiner stand auf dem Steg.\n"
)


@pytest.fixture
def token(client: TestClient, store: Store) -> str:
    return sign_in(client, store, "Olga", "organiser")


def upload(client: TestClient, token: str, content: str | bytes = TABLE, name: str = "set.csv", **fields: str) -> Any:
    return client.post("/new", data={"token": token, "from": "file", **fields}, files={"texts": (name, content)})


def taken(client: TestClient, address: str) -> list[Any]:
    """The documents that wait under an address of a draft."""
    site = client.app.state.site  # type: ignore[attr-defined]
    waiting = site.uploads._uploads[address.rpartition("/")[2]]
    return list(formats.read_documents(waiting.path, "native"))


def test_two_systems_without_typing(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    assert place.endswith("/table"), "guesses that are not sure are shown first"
    page = client.get(place).text
    fields = sent_back(page)
    assert [fields[f"role.{at}"] for at in range(6)] == [
        *("document", "domain", "segment", "source", "translation", "translation")
    ]
    assert "--" not in re.sub(r"<!--.*?-->|<style.*?</style>", "", page, flags=re.DOTALL), "no word of a command line"
    answer = client.post(place, data={"token": token, "do": "take", **fields, "from": "en", "into": "de"})
    [document] = taken(client, answer.headers["location"])
    assert (document.systems, document.source_language, document.target_language) == (("Claude", "IKUN"), "en", "de")
    draft = client.get(answer.headers["location"]).text
    assert f'href="{place}"' in draft, "one can come back"
    again = sent_back(client.get(place).text)
    assert (again["from"], again["into"]) == ("en", "de"), "what was chosen is kept"


def test_a_role_that_was_changed_is_called_yours_and_keeps_the_guess(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    page = client.get(place).text
    assert '<html lang="en" dir="ltr">' in page
    assert re.findall(r'data-guess="(\w+)">\s*<span>guessed', page) == [
        *("document", "domain", "segment", "source", "translation", "translation")
    ]
    fields = {**sent_back(page), "role.1": "ignore"}
    page = client.post(place, data={"token": token, "do": "look", **fields}).text
    guesses = re.findall(r'data-guess="(\w+)">\s*<span( hidden)?>[^<]*</span>\s*<span( hidden)?>yours', page)
    assert [(role, bool(yours)) for role, yours, _ in guesses] == [
        ("document", False), ("domain", True), ("segment", False), ("source", False),
        ("translation", False), ("translation", False),
    ]  # fmt: skip


def test_another_row_names_the_columns_and_a_column_is_left_out(client: TestClient, token: str) -> None:
    content = "set,of,spring,2026,v1,x\n" + TABLE.replace("source", "text one").replace("doc_id", "talk")
    place = upload(client, token, content).headers["location"]
    fields = sent_back(client.get(place).text)
    page = client.post(place, data={"token": token, "do": "look", **fields, "header": "2"}).text
    fields = sent_back(page)
    assert fields["column"] == ["talk", "domain", "seg_id", "text one", "Claude", "IKUN"]
    roles = ["document", "ignore", "segment", "source", "translation", "ignore"]
    chosen = {f"role.{at}": role for at, role in enumerate(roles)}
    answer = client.post(place, data={"token": token, "do": "take", **fields, **chosen, "name.4": "A"})
    [document] = taken(client, answer.headers["location"])
    assert (document.systems, document.domain, len(document.segments)) == (("A",), "", 2)


def test_a_contradiction_is_said_and_nothing_is_lost(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    fields = sent_back(client.get(place).text) | {"role.4": "source", "from": "fr", "name.5": "My system"}
    answer = client.post(place, data={"token": token, "do": "take", **fields})
    assert answer.status_code == 422
    assert "“source” and “Claude” have the same role." in answer.text
    again = sent_back(answer.text)
    assert (again["role.4"], again["from"], again["name.5"]) == ("source", "fr", "My system")


def test_a_table_in_which_nothing_is_known_asks_instead_of_refusing(client: TestClient, token: str) -> None:
    place = upload(client, token, "a,b\nThe tide turned before noon.,Die Flut kam vor Mittag.\n").headers["location"]
    page = client.get(place).text
    assert 'role="alert"' in page and "--columns" not in page
    fields = sent_back(page) | {"role.0": "source", "role.1": "translation"}
    answer = client.post(place, data={"token": token, "do": "take", **fields})
    [document] = taken(client, answer.headers["location"])
    assert document.segments[0].outputs == {"b": "Die Flut kam vor Mittag."}


def test_columns_of_scores_that_are_not_clear_do_not_hide_what_the_others_hold(tmp_path: Path) -> None:
    """Every column had to be chosen, and no source was said to be known."""
    path = tmp_path / "set.csv"
    path.write_text(
        "judge,source,elm,Score,oak,Score.1\n"
        "Anna,The tide turned before noon.,Die Flut kam.,3,Die Flut kam vor Mittag.,4\n"
        "Anna,Nobody waited on the pier.,Niemand war da.,2,Niemand wartete am Kai.,5\n",
        encoding="utf-8",
    )
    preview = preview_table(str(path), "set.csv", TableChoices(), str(tmp_path / "texts"))
    roles = [column.role for column in preview.choices.columns]
    assert roles == ["answer", "source", "translation", "ignore", "translation", "ignore"]
    assert preview.texts is not None and not preview.problem
    assert [name for name, _ in preview.texts.systems] == ["elm", "oak"]


def test_the_table_of_another_account_is_not_there(client: TestClient, store: Store, token: str) -> None:
    place = upload(client, token).headers["location"]
    sign_in(client, store, "Otto", "organiser")
    assert client.get(place).status_code == 404


def test_languages_that_nothing_says_are_guessed_shown_and_can_be_changed(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    page = client.get(place).text
    fields = sent_back(page)
    assert (fields["from"], fields["into"]) == ("en", "de"), "guessed without typing"
    assert len(re.findall(r"guessed, \d+ % sure", page)) >= 4, "languages and columns"
    answer = client.post(place, data={"token": token, "do": "take", **fields, "into": "nl"})
    [document] = taken(client, answer.headers["location"])
    assert (document.source_language, document.target_language) == ("en", "nl"), "what was chosen counts"
    place = upload(client, token, source="fr").headers["location"]
    assert sent_back(client.get(place).text)["from"] == "fr", "what was said before is no guess"


def test_a_table_is_read_once_until_something_else_is_chosen(
    client: TestClient, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Large ones take minutes. The copy that becomes a campaign is its own: the table can be read anew meanwhile."""
    reads = []
    monkeypatch.setattr(
        formats, "read_texts", lambda *a, read=formats.read_texts, **k: reads.append(a) or read(*a, **k)
    )
    place = upload(client, token).headers["location"]
    fields = sent_back(client.get(place).text)
    answer = client.post(place, data={"token": token, "do": "take", **fields})
    assert (len(reads), taken(client, answer.headers["location"])[0].target_language) == (1, "de")
    client.post(place, data={"token": token, "do": "look", **fields, "into": "nl"})
    assert (len(reads), taken(client, answer.headers["location"])[0].target_language) == (2, "de")


def test_a_language_is_guessed_only_where_no_row_names_one(client: TestClient, token: str) -> None:
    """A guess from texts in two languages would leave those of one of them out."""
    rows = TABLE.splitlines()
    table = f"target_language,{rows[0]}\nde,{rows[1]}\nfr,d2,news,1,Nobody waited here.,Personne.,Pas un chat.\n"
    place = upload(client, token, table).headers["location"]
    fields = sent_back(client.get(place).text)
    assert (fields["from"], fields["into"]) == ("en", "")
    answer = client.post(place, data={"token": token, "do": "take", **fields})
    assert [document.language_pair for document in taken(client, answer.headers["location"])] == ["en-de", "en-fr"]


def test_a_mistake_stands_at_the_columns_it_is_about(client: TestClient, token: str) -> None:
    place = upload(client, token).headers["location"]
    fields = sent_back(client.get(place).text)
    page = client.post(place, data={"token": token, "do": "take", **fields, "role.1": "source"}).text
    marked = re.findall(r'<select name="(role\.\d+)"[^>]*aria-invalid="true"', page)
    assert marked == ["role.1", "role.3"]
    assert 'href="#role.1"' in page, "the summary leads there"
    assert sent_back(page) == {**fields, "role.1": "source"}, "nothing chosen is lost"


def test_choices_become_options_of_the_format() -> None:
    columns = (ColumnChoice("src", "source"), ColumnChoice("mt", "translation", "GPT"), ColumnChoice("x", "ignore"))
    options = TableChoices("3", columns, "en", "pt").options()
    assert options["header"] == "3" and options["languages"] == "en:pt"
    assert options["columns"] == '{"source": "src", "system:GPT": "mt", "ignore:x": "x"}'


def test_two_columns_cannot_hold_the_same() -> None:
    with pytest.raises(InputError, match="have the same role"):
        TableChoices(columns=(ColumnChoice("a", "source"), ColumnChoice("b", "source"))).options()


def test_what_a_form_says_is_checked() -> None:
    form = FormData(
        [("column", "a"), ("column", "b"), ("role.0", "source"), ("role.1", "<b>"), ("header", "x"), ("from", "xx!")]
    )
    choices = read_choices(form)
    assert [column.role for column in choices.columns] == ["source", "ignore"]
    assert (choices.header, choices.source_language) == ("", "")


def test_rows_above_the_header_are_shown_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text("Spring set\n\ndocument,source,mt\nd,The tide turned.,Die Flut kam.\n")
    preview = preview_table(str(path), "set.csv", TableChoices(), str(tmp_path / "texts"))
    assert preview.header_line == 3 and [line for line, _ in preview.rows] == [1, 3, 4]
    assert preview.texts is not None and preview.texts.sentences == 1
    assert is_table(path) and not is_table(tmp_path / "none.csv")


def test_a_missing_translation_is_seen_in_the_rows(client: TestClient, token: str) -> None:
    content = "source,mt,note\nThe tide turned.,Die Flut kam.,\nAt noon.,,\n"
    page = client.get(upload(client, token, content).headers["location"]).text
    assert page.count('<span class="warn">empty</span>') == 1, "a note may be empty"
    assert "segment 2, system mt" in page


def test_the_rows_of_several_judges_are_one_sentence(tmp_path: Path) -> None:
    """Also where the answers are left out, as the page does: the campaign would ask about each sentence twice."""
    path = tmp_path / "set.csv"
    for rows in (
        "judge,document,segment,system,source,target,score\nann,d,1,oak,One.,Eins.,4\nben,d,1,oak,One.,Eins.,2\n",
        "who,en,de,opinion\nann,One cat.,Eine Katze.,good\nben,One cat.,Eine Katze.,bad\n",
    ):
        path.write_text(rows)
        preview = preview_table(str(path), "set.csv", TableChoices(), str(tmp_path / "texts"))
        assert preview.texts is not None
        assert (preview.texts.sentences, preview.texts.judgements) == (1, 2)
        assert not any("role" in note for note in preview.texts.notes)
        again = preview_table(str(path), "set.csv", preview.choices, str(tmp_path / "texts"))  # as the menus send it
        assert again.texts is not None and again.texts.sentences == 1


def looked_at(path: Path, rows: Sequence[Sequence[Any]], **changes: str) -> TablePreview:
    """What a table is taken for on a first look, and then with some columns chosen to hold something else."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    preview = preview_table(str(path), path.name, TableChoices(), str(path.with_suffix(".texts")))
    if changes:
        sent = [replace(each, role=changes.get(each.header, each.role)) for each in preview.choices.columns]
        choices = replace(preview.choices, columns=tuple(sent))
        preview = preview_table(str(path), path.name, choices, str(path.with_suffix(".texts")))
    return preview


SENTENCES = ["The ferry is late again.", "We waited on the pier.", "Nobody had told her.", "Then it began to rain."]
UNOFFERED: list[tuple[str, list[list[Any]], tuple[int, int]]] = [
    ("lp,doc,source,mt", [[lp, "d", s, f"{lp} {s}"] for lp in ("en-de", "en-ko") for s in SENTENCES], (2, 8)),
    ("test set,doc,seg,source,mt", [[c, 1, n, c + SENTENCES[n], "x"] for c in "AB" for n in range(4)], (2, 8)),
    ("paragraph,sentence,source,mt", [[n // 2, n % 2, SENTENCES[n], "x"] for n in range(4)], (1, 4)),
    ("item,source,mt,judge,score", [[n, SENTENCES[n], "x", j, 3] for n in range(4) for j in "AB"], (1, 4)),
]
"""Tables whose first column no menu offers, with their documents and sentences."""


@pytest.mark.parametrize(("head", "rows", "counts"), UNOFFERED, ids=[entry[0] for entry in UNOFFERED])
def test_what_no_menu_offers_is_read_as_on_the_command_line(
    tmp_path: Path, head: str, rows: list[list[Any]], counts: tuple[int, int]
) -> None:
    """The page left out the language pair, and texts in two languages were one document."""
    path = tmp_path / "t.csv"
    names = head.split(",")
    preview = looked_at(path, [names, *rows])
    assert preview.texts is not None and (preview.texts.documents, preview.texts.sentences) == counts
    (reading,) = formats.read_texts(path)
    shown = list(formats.read_documents(path.with_suffix(".texts"), "native"))
    assert [document.id for document in shown] == [document.id for document in reading.documents]
    assert preview.choices.columns[0].role == OTHER
    again = looked_at(path, [names, *rows], **{names[0]: OTHER})
    assert again.texts is not None and again.texts.documents == preview.texts.documents
    assert again.choices == preview.choices, "the menus send back what they were sent"


SIDES = [["Seg", "Source", "System A", "Translation A", "System B", "Translation B", "Judge", "Preference"]]
SIDES += [
    [str(n), text, "oak", f"Oak {n}.", "elm", f"Elm {n}.", judge, "AB"[n % 2]]
    for n, text in enumerate(SENTENCES)
    for judge in ("Anna", "Ben")
]


def turned(rows: list[list[str]]) -> list[list[str]]:
    """The same with the systems on other sides on every second row, as comparisons are shown."""
    return [[*row[:2], *row[4:6], *row[2:4], *row[6:]] if at % 2 else row for at, row in enumerate(rows)]


def test_the_two_systems_of_a_comparison_keep_their_outputs(tmp_path: Path) -> None:
    """The page took the sides for systems, called A and B, with outputs of both in each."""
    preview = looked_at(tmp_path / "t.csv", [SIDES[0], *turned(SIDES[1:])])
    assert preview.texts is not None and preview.texts.sentences == 4
    (document,) = formats.read_documents(tmp_path / "t.texts", "native")
    assert [dict(segment.outputs) for segment in document] == [
        {"oak": f"Oak {n}.", "elm": f"Elm {n}."} for n in range(4)
    ]


@pytest.mark.parametrize("column", ["Judge", "Preference", "System A"])
def test_a_column_that_is_left_out_is_not_read(tmp_path: Path, column: str) -> None:
    """Judges and answers were read all the same, and counted; one side of a comparison alone was an error of ours."""
    preview = looked_at(tmp_path / "t.csv", SIDES, **{column: LEFT_OUT})
    (index,) = (at for at, each in enumerate(preview.choices.columns) if each.header == column)
    assert preview.choices.columns[index].role == LEFT_OUT
    assert preview.choices.columns[index].guess in (ANSWERS, OTHER)
    if column == "Preference":
        assert preview.texts is not None
        assert (preview.texts.sentences, preview.texts.judgements) == (4, 0)


def test_only_columns_that_are_recognised_otherwise_offer_to_stay_so(client: TestClient, token: str) -> None:
    rows = (
        "lp,source,de,judge,score\nen-de,The ferry is late.,Sie ist spät.,Anna,3\nen-de,We wait.,Wir warten.,Anna,4\n"
    )
    page = client.get(upload(client, token, rows).headers["location"]).text
    menus = re.findall(r'<select name="role.*?</select>', page, re.S)
    assert [(f'value="{OTHER}"' in menu, f'value="{ANSWERS}"' in menu) for menu in menus] == [
        (True, False), (False, False), (False, False), (False, True), (False, True),
    ]  # fmt: skip


def test_encoding_and_delimiter_are_found_shown_and_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_bytes("document;source;mt\nd;The tide turned.;Die Flut stieg über Nacht.\n".encode("utf-16"))
    texts = str(tmp_path / "texts")
    preview = preview_table(str(path), "set.csv", TableChoices(), texts)
    assert (preview.is_text, preview.delimiter) == (True, ";") and preview.encoding.startswith("utf-16")
    assert preview.texts is not None and preview.texts.systems == (("mt", 1),)
    path.write_bytes("document,source,mt\nd,The tide turned.,Die Flut kam über Nacht.\n".encode("latin-1"))
    refused = preview_table(str(path), "set.csv", TableChoices(encoding="utf-8"), texts)
    assert refused.problem and "--" not in refused.problem and refused.choices.encoding == "utf-8"
    wrong = preview_table(str(path), "set.csv", TableChoices(delimiter="semicolon"), texts)
    assert [column.header for column in wrong.choices.columns] == ["document,source,mt"], "as it was chosen"
    right = preview_table(str(path), "set.csv", TableChoices(encoding="windows-1252"), texts)
    assert right.rows[1][1][2] == "Die Flut kam über Nacht."
    assert right.texts is not None and right.texts.rows[0][2] == ("Die Flut kam über Nacht.",)
    chosen = read_choices(FormData([("encoding", "windows-1252"), ("delimiter", "tab")]))
    assert (chosen.encoding, chosen.delimiter) == ("windows-1252", "tab")
    assert read_choices(FormData([("encoding", "../etc"), ("delimiter", "x")])) == TableChoices()


def test_a_text_that_two_encodings_may_have_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_bytes("document,source,mt\nd,the house,hišo\n".encode("cp852"))
    assert is_table(path)
    preview = preview_table(str(path), "set.csv", TableChoices(), str(tmp_path / "texts"))
    assert preview.is_text and preview.unsure and preview.texts is None and "encoding" in preview.problem
    right = preview_table(str(path), "set.csv", TableChoices(encoding="cp852"), str(tmp_path / "texts"))
    assert right.texts is not None and right.texts.rows[0][2] == ("hišo",)


def test_what_is_wrong_with_a_row_is_said_with_what_to_do(client: TestClient, token: str) -> None:
    place = upload(client, token, "document,source,mt\nd,A cat, it was.,Eine Katze.\n").headers["location"]
    german = client.get(place, headers={"accept-language": "de"}).text
    alert = german.partition('role="alert">')[2].partition("</p>")[0]
    assert "Zeile 2" in alert and "Anführungszeichen" in alert


def test_the_page_of_a_text_in_no_known_encoding_has_the_menu(client: TestClient, token: str) -> None:
    place = upload(client, token, "document,source,mt\nd,the house,hišo\n".encode("cp852")).headers["location"]
    page = client.get(place)
    assert page.status_code == 200 and 'name="encoding"' in page.text


def test_a_workbook_that_is_called_csv_is_read(client: TestClient, token: str, tmp_path: Path) -> None:
    text = Document("d", (Segment("1", "One.", {"oak": "Eins."}),), "en", "de")
    formats.write("table", tmp_path / "t.xlsx", [text])
    place = upload(client, token, (tmp_path / "t.xlsx").read_bytes(), "t.csv").headers["location"]
    assert taken(client, place) == [text]


def test_advice_on_a_page_names_no_options_of_commands(client: TestClient, token: str) -> None:
    page = upload(client, token, "A note without a table.\n", "note.txt").text
    alert = page.partition('role="alert">')[2].partition("</p>")[0]
    assert "none of the formats known" in alert and "column names" in alert
    assert "lanner " not in alert and "--" not in alert


def test_the_sheets_of_a_workbook_stay_although_their_headers_stand_on_other_rows(
    client: TestClient, token: str, tmp_path: Path
) -> None:
    """The page sends the row that was found back, and it is not taken for one that somebody chose."""
    header, book = ["document", "segment", "source", "target"], openpyxl.Workbook()
    for at, sheet in enumerate(["one", "two"]):
        page = book.create_sheet(sheet)
        for row in (["Order 17"], header, [sheet, 1, f"It is {sheet} here.", "Es ist hier."])[at:]:
            page.append(row)
    del book["Sheet"]
    book.save(tmp_path / "t.xlsx")
    place = upload(client, token, (tmp_path / "t.xlsx").read_bytes(), "t.xlsx").headers["location"]
    fields = sent_back(client.get(place).text)
    answer = client.post(place, data={"token": token, "do": "take", **fields, "from": "en", "into": "de"})
    assert [document.id for document in taken(client, answer.headers["location"])] == ["one", "two"]


def test_an_empty_file_is_called_empty(client: TestClient, token: str) -> None:
    assert "The file is empty." in upload(client, token, "").text


def test_a_text_in_no_known_encoding_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_bytes(b"source,mt\n" + bytes(range(0x80, 0xA0)) * 40 + b",\x81\x8d\x8f\x90\x9d\xff\xfe\n")
    if is_table(path):
        preview = preview_table(str(path), "set.csv", TableChoices(), str(tmp_path / "texts"))
        assert preview.is_text and preview.unsure


def test_what_is_missing_is_said_in_the_language_of_the_page(client: TestClient, token: str) -> None:
    place = upload(client, token, "x,y,z\nd,One is here.,Eins ist hier.\n").headers["location"]
    assert "No column is known to hold the source text." in client.get(place).text
    german = client.get(place, headers={"accept-language": "de"}).text
    assert "Von keiner Spalte ist bekannt" in german and "No column is known" not in german
