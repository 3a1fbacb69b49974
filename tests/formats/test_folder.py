from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from data_sets import data_dir
from formats.strategies import SAMPLES
from lanner import formats
from lanner.errors import InputError


def test_each_file_by_its_own_format(tmp_path: Path) -> None:
    for name in ("mqm.en-de.tsv", "wmt.xml"):
        copy(SAMPLES / name, tmp_path / name)
    (tmp_path / "readme.md").write_text("hello")
    assert formats.recognise(tmp_path) == "folder"
    readings = formats.read(tmp_path)
    assert [(reading.name, reading.protocol) for reading in readings] == [("mqm", "mqm"), ("wmt", "")]
    assert "Not read: readme.md." in readings[0].notes
    assert len(list(formats.read_documents(tmp_path))) == 3


def test_the_codebook_beside_an_export_is_no_table_of_its_own(tmp_path: Path) -> None:
    copy(SAMPLES / "mqm.en-de.tsv", tmp_path / "mqm.en-de.tsv")
    codebook = "kind,id,meaning,of,value\nversion,lanner,0.1.0,,\ncolumn,score,how good,,\noption,minor,small,marks,1\n"
    (tmp_path / "mqm.codebook.csv").write_text(codebook, encoding="utf-8")
    assert [reading.name for reading in formats.read(tmp_path)] == ["mqm"]


def test_an_error_in_one_file_is_an_error_of_all(tmp_path: Path) -> None:
    copy(SAMPLES / "mqm.en-de.tsv", tmp_path / "a.tsv")
    (tmp_path / "b.xml").write_text("<dataset><doc id='a'><src><p><seg id='1'>")
    with pytest.raises(InputError, match="not well-formed"):
        formats.read(tmp_path)


def test_a_card_stands_beside_the_files_in_data(tmp_path: Path) -> None:
    """As the Hub has it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "README.md").write_text("hello")
    copy(SAMPLES / "mqm.en-de.tsv", tmp_path / "data" / "mqm.en-de.tsv")
    assert [reading.name for reading in formats.read(tmp_path)] == ["mqm"]
    assert len(list(formats.read_documents(tmp_path))) == 1


def test_a_folder_of_nothing_known(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("hello")
    with pytest.raises(InputError, match="none of the formats"):
        formats.read(tmp_path)


@pytest.mark.data
def test_the_released_mqm_folder() -> None:
    (reading,) = formats.read(data_dir("mqm"))
    assert len(reading.judgements) == 7406
    assert reading.notes[-1] == "Not read: mqm_ted_ende.avg_seg_scores.tsv."


def test_catalogues_in_a_folder_are_read_as_they_are_alone(tmp_path: Path) -> None:
    (tmp_path / "de.po").write_text('msgid "Open"\nmsgstr "Öffnen"\n', encoding="utf-8")
    (tmp_path / "ko.po").write_text('msgid "Open"\nmsgstr "열기"\n', encoding="utf-8")
    assert formats.recognise(tmp_path) == "folder"
    assert [document.id for reading in formats.read(tmp_path) for document in reading.documents] == ["de", "ko"]
    assert [document.id for document in formats.read_documents(tmp_path)] == ["de", "ko"]
