"""A file that no format recognises: what was seen, what comes nearest, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanner import formats, registry
from lanner.errors import InputError
from lanner.formats import look


def refused(path: Path, content: str | bytes) -> InputError:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError, match="none of the formats") as caught:
        formats.recognise(path)
    return caught.value


@pytest.mark.parametrize(
    ("name", "content", "seen", "step"),
    [
        ("t.csv", "talk,said\na,b\n", "a .csv file with a table, columns talk, said", "--columns source=COLUMN"),
        ("t.txt", "Hello there\n", "its first line is “Hello there”", "lanner import src.en hyp.de"),
        ("t", "Hello\n", "a file without an ending", "lanner formats"),
        ("t.json", '{"info": 1, "data": []}', "a JSON object, keys info, data", "pearmut"),
        ("t.jsonl", '{"id": "a"}\n{"id": "b"}\n', "JSON lines, keys id", "lacks segments"),
        ("t.xml", "<doc><seg>a</seg></doc>", "XML, root doc, elements doc, seg", "lacks dataset, src"),
        ("t.bin", b"\x01\x02ab", "a .bin file that is no text", "lanner formats"),
        ("t.pdf", b"%PDF-1.4\n", "a .pdf file of a page layout (PDF)", "save it as CSV or xlsx"),
        ("t.doc", b"\xd0\xcf\x11\xe0\xa1\xb1", "a .doc file of Office before 2007", "save it as xlsx, docx or CSV"),
        (
            "t.sav",
            b"$FL2@(#) SPSS DATA FILE\x00\x01",
            "a .sav file of SPSS",
            "Open it there and save it as CSV or xlsx",
        ),
        ("t.sqlite", b"SQLite format 3\x00\x10", "a .sqlite file of SQLite", "lanner campaign list --store"),
        ("t.csv", "", "a .csv file that is empty", "lanner formats"),
        ("t.srt", "1\n00:00:01,000 --> 00:00:02,500\nHello.\n", "subtitles (SubRip, SRT)", "one subtitle a line"),
        ("t.vtt", "WEBVTT\n\n00:01.000 --> 00:02.500\nHello.\n", "subtitles (WebVTT)", "one subtitle a line"),
        ("t.properties", "# menu\na.b=Hello\nc=Bye now\n", "strings by keys (properties)", "XLIFF, TMX, PO or a table"),
        ("t.strings", '/* menu */\n"a" = "Hello";\n', "strings of Apple", "columns key, source, target"),
        ("t.xml", '<?xml version="1.0"?>\n<resources><string name="a">Hi</string></resources>', "of Android", "XLIFF"),
        ("t.resx", '<root><data name="a"><value>Hi</value></data></root>', "strings of .NET (resx)", "XLIFF"),
        ("t.yml", "de:\n  a: Hallo\n  b: Bis dann\n", "strings by keys (YAML)", "XLIFF"),
        ("t.json", '{"menu": {"k1": "Hello"}}', "a JSON object, keys menu, k1", "For the strings of a program"),
    ],
)
def test_it_says_what_it_saw_and_what_comes_nearest(
    tmp_path: Path, name: str, content: str | bytes, seen: str, step: str
) -> None:
    error = refused(tmp_path / name, content)
    assert seen in error.what
    assert step in error.next_step
    assert len(error.next_step) < 600  # a list of everything helps nobody


def test_the_nearest_format_comes_first_with_what_it_lacks(tmp_path: Path) -> None:
    error = refused(tmp_path / "t.tsv", "system\trater\ttarget\tseverity\na\tb\tc\td\n")
    assert "Nearest: wmt_mqm (WMT's MQM ratings (TSV)) lacks source, category; judgements" in error.next_step


def test_a_folder_is_told_by_its_files(tmp_path: Path) -> None:
    assert str(look(tmp_path)) == "an empty folder"
    (tmp_path / "sources").mkdir()
    (tmp_path / "documents").mkdir()
    with pytest.raises(InputError) as caught:
        formats.recognise(tmp_path)
    assert "a folder with documents, sources" in caught.value.what
    assert "lacks system-outputs" in caught.value.next_step


def test_whoever_names_the_columns_says_that_it_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("talk,said,mt\na,Hello,Hallo\n")
    given = {"columns": "source=said,document=talk"}
    assert formats.recognise(path, **given) == "table"
    (reading,) = formats.read(path, **given)
    assert reading.documents[0].segments[0].source == "Hello"


def test_every_format_that_has_names_to_be_known_by_says_them() -> None:
    without = {name for name in registry.names("formats") if not formats.load(name).signs}
    assert without == {"appraise_scores", "folder", "huggingface", "po"}  # known by their layout
