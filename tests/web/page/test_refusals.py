from __future__ import annotations

from pathlib import Path

import pytest

from lanner import formats
from lanner.errors import CampaignError, InputError, LannerError, Where
from lanner.web.drafting.uploads import without_folders
from lanner.web.page.refusals import parts, told
from lanner.web.page.speech import speaking


def test_in_english_the_librarys_own_words() -> None:
    error = InputError("A column is missing.", where=Where("a.csv", 3), next_step="Add it.")
    assert parts(error) == ("A column is missing.", "a.csv:3", "Add it.")
    assert told(error) == "a.csv:3: A column is missing.\nAdd it."


def test_common_refusals_are_translated_by_their_code() -> None:
    error = CampaignError(
        "There is already a campaign called 'x'.", code="name_taken", next_step="Choose another name."
    )
    with speaking("de"):
        assert parts(error)[0] == "Es gibt schon eine Kampagne dieses Namens."
        assert "called" not in told(error)


def test_of_the_rest_the_kind_is_told_in_the_readers_language() -> None:
    with speaking("ko"):
        assert parts(InputError("Line is odd.", where=Where("a.csv", 3)))[:2] == (
            "파일을 들이지 않았습니다: Line is odd.",
            "a.csv:3",
        )
        assert told(LannerError("Plain.")) == "Plain."


def test_missing_columns_are_told_with_the_names_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("eins,zwei\na,b\n", encoding="utf-8")
    for columns, what, step in (
        ("", "Von keiner Spalte ist bekannt", "source=eins"),
        ("source=drei", "Es gibt keine Spalte drei.", "eins, zwei"),
    ):
        with pytest.raises(InputError) as caught:
            list(formats.read_documents(file, "table", columns=columns))
        with speaking("de"):
            said, where, next_step = parts(caught.value)
        assert what in said
        assert where == f"{file}:1"
        assert step in next_step


@pytest.mark.parametrize(
    ("table", "what", "line"),
    [
        ("document,segment,source,mt\nd,1,One.\n", "Diese Zeile hat 3 Zellen, die Kopfzeile 4.", 2),
        ("source,source\na,b\n", "Zwei Spalten heißen source.", 1),
        ("source,,,mt\na,b,c,d\n", "Spalte 2 hat keinen Namen.", 1),
        ("document,source,mt\n,One.,Eins.\n", "Diese Zeile nennt kein Dokument.", 2),
        ("document,segment,source,mt\nd,,One.,Eins.\n", "Diese Zeile hat keine Segmentkennung.", 2),
        ("document,segment,source,mt\nd,1,A.,B.\nd,1,C.,D.\n", "Das Segment 1 von d steht schon in Zeile 2.", 3),
    ],
)
def test_common_mistakes_in_a_table_are_told_in_the_readers_language(
    tmp_path: Path, table: str, what: str, line: int
) -> None:
    file = tmp_path / "t.csv"
    file.write_text(table, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(formats.read_documents(file, "table"))
    with speaking("de"):
        said, where, next_step = parts(without_folders(caught.value))
    assert said == what
    assert where == f"t.csv:{line}"
    assert next_step
    assert "{" not in next_step
