from __future__ import annotations

from pathlib import Path

import pytest
from starlette.datastructures import FormData

from lanner.errors import InputError
from lanner.web.drafting.columns import ColumnChoice, TableChoices, is_table, preview_table, read_choices


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


def test_a_text_in_no_known_encoding_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_bytes(b"source,mt\n" + bytes(range(0x80, 0xA0)) * 40 + b",\x81\x8d\x8f\x90\x9d\xff\xfe\n")
    if is_table(path):
        preview = preview_table(str(path), "set.csv", TableChoices(), str(tmp_path / "texts"))
        assert preview.is_text and preview.unsure
