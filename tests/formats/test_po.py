from __future__ import annotations

from pathlib import Path

import pytest

from lanner import formats
from lanner.errors import InputError

CATALOGUE = """# Translations of the pump
msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=UTF-8\\n"

#. shown on the button
#: pump.c:12
msgid "Save \\"all\\" files"
msgstr "Alle Dateien speichern"

#: pump.c:14
#, c-format, fuzzy
msgctxt "menu"
msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d Datei"
msgstr[1] "%d Dateien"

msgid ""
"A long "
"line\\n"
msgstr ""
"Eine lange "
"Zeile\\n"
msgid "Open"
msgstr ""

#~ msgid "obsolete"
#~ msgstr "veraltet"
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "pump.po"
    path.write_text(CATALOGUE, encoding="utf-8")
    return path


def test_messages_become_the_segments_of_one_document(catalogue: Path) -> None:
    assert formats.recognise(catalogue) == "po"
    [reading] = formats.read(catalogue)
    [document] = reading.documents
    assert document.language_pair == "en-de"
    assert [(s.id, s.source, s.outputs["target"], s.judged) for s in document] == [
        ("1", 'Save "all" files', "Alle Dateien speichern", True),
        ("2", "%d file", "%d Datei", True),
        ("3", "%d files", "%d Dateien", True),
        ("4", "A long line\n", "Eine lange Zeile\n", True),
        ("5", "Open", "", False),
    ]
    assert document.segments[0].meta == {"remarks": "shown on the button", "references": "pump.c:12"}
    assert document.segments[1].meta["context"] == "menu"
    assert document.segments[1].meta["flags"] == "c-format, fuzzy"
    assert "1 message has no translation; it is shown and not judged." in reading.notes
    assert "2 translations are marked fuzzy; they are judged like the others." in reading.notes


def test_languages_and_the_system_can_be_named(catalogue: Path) -> None:
    [reading] = formats.read(catalogue, languages="fr-de", system="mt")
    assert reading.documents[0].language_pair == "fr-de"
    assert set(reading.documents[0].segments[0].outputs) == {"mt"}


def test_plural_forms_beyond_two_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "ru.po"
    path.write_text(
        'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d файл"\nmsgstr[1] "%d файла"\nmsgstr[2] "%d файлов"\n',
        encoding="utf-8",
    )
    [reading] = formats.read(path)
    assert reading.documents[0].segments[1].meta["plural_forms"] == {
        "msgstr[0]": "%d файл",
        "msgstr[1]": "%d файла",
        "msgstr[2]": "%d файлов",
    }


def test_a_language_without_plurals_has_one_form_for_both(tmp_path: Path) -> None:
    path = tmp_path / "ja.po"
    path.write_text('msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d ファイル"\n', encoding="utf-8")
    [reading] = formats.read(path)
    assert [segment.outputs["target"] for segment in reading.documents[0]] == ["%d ファイル"] * 2
    assert not any("no translation" in note for note in reading.notes)


def test_a_line_that_does_not_belong_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.po"
    path.write_text('msgid "One"\nmsgstr "Eins"\n\nmsgid "Two\nmsgstr "Zwei"\n')
    with pytest.raises(InputError, match="none of a PO catalogue") as caught:
        formats.read(path)
    assert caught.value.where is not None
    assert caught.value.where.line == 4
    path.write_text('msgid ""\nmsgstr "Language: de\\n"\n')
    with pytest.raises(InputError, match="no message"):
        formats.read(path)
