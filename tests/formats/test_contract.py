"""What holds for every format, also for one that another package brings."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

import openpyxl
import pytest

from data_sets import data_dir
from lanner import formats, protocols, registry
from lanner.designs._layout import items
from lanner.designs._layout import outputs as shown_outputs
from lanner.errors import InputError, LannerError
from lanner.formats.parsing import textfile
from lanner.model import Document, Segment

NAMES = registry.names("formats")
SAMPLES = Path(__file__).parent / "samples"


@pytest.mark.parametrize("name", NAMES)
def test_every_format_says_what_it_is(name: str) -> None:
    each = formats.load(name)
    assert each.name == name
    assert each.title
    assert each.description
    assert (each.recognise is None) == (each.read is None)
    assert each.read is not None or each.write is not None
    assert all(isinstance(meaning, str) and meaning for meaning in formats.options(name).values())


def test_an_unknown_option_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("source\nx\n")
    with pytest.raises(InputError, match="no option 'colums'") as caught:
        formats.read(path, colums="source=x")
    assert "columns" in caught.value.next_step


def test_an_unknown_format_is_named(tmp_path: Path) -> None:
    with pytest.raises(LannerError, match="no format called 'natif'") as caught:
        formats.write("natif", tmp_path / "x", [])
    assert "native" in caught.value.next_step


def test_a_format_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(LannerError, match="read but not written"):
        formats.write("h-falcon", tmp_path / "x", [])


def test_a_folder_is_recognised_without_walking_a_whole_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path.joinpath(*"abcdef")
    deep.mkdir(parents=True)
    (tmp_path / "other").mkdir()  # a folder with one entry only is opened, as archives are packed
    (deep / "notes.txt").write_text('<seg id="1">\tOne.\n', encoding="utf-8")
    listed: list[Path] = []
    scan = os.scandir

    def noting(path: str = ".") -> object:
        listed.append(Path(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", noting)
    with pytest.raises(InputError):
        formats.read(tmp_path)
    assert tmp_path in listed
    assert all(len(path.relative_to(tmp_path).parts) <= 2 for path in listed)


def test_a_missing_path_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        formats.read(tmp_path / "none")


def test_markers_rule_out_no_format_that_would_recognise_a_file(tmp_path: Path) -> None:
    """A look at the beginning saves asking every format; the answer is the same as asking them all."""
    for name, each in formats.all_formats().items():
        with contextlib.suppress(InputError):  # formats of judgements alone
            if each.write is not None:
                formats.write(name, tmp_path / name, [Document("d", (Segment("1", "A.", {"a": "B."}),))])
    files = [path for folder in (SAMPLES, tmp_path) for path in folder.rglob("*") if not path.name.startswith(".")]
    assert len(files) > 40
    for path in files:
        head = textfile.head(path).casefold()
        for each in formats.all_formats().values():
            assert each.recognise is None or not each.recognise(path) or each.may_fit(path, head), (path, each.name)


def test_of_a_plain_table_only_the_reader_of_tables_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("document,source,target\nd,One.,Eins.\n", encoding="utf-8")
    head = textfile.head(path).casefold()
    assert [name for name, each in formats.all_formats().items() if each.may_fit(path, head)] == ["table"]


@pytest.mark.data
@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("esa-appraise", "appraise"),
        ("h-falcon", "h_falcon"),
        ("mqm", "folder"),
        ("mtme", "mtme"),
        ("parity", "parity"),
        ("wmt24", "mtme"),
    ],
)
def test_released_folders_are_recognised_without_a_flag(folder: str, name: str) -> None:
    assert formats.recognise(data_dir(folder)) == name


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "source,oak,elm\nOne.,Eins.,Ein.\nTwo.,,Zwei.\n"),
        ("t.tsv", "source\tsystem\ttarget\nOne.\toak\tEins.\nOne.\telm\tEin.\nTwo.\toak\t \nTwo.\telm\tZwei.\n"),
        ("t.jsonl", '{"source": "One.", "oak": "Eins.", "elm": "Ein."}\n{"source": "Two.", "oak": "", "elm": "Ja."}\n'),
        ("t.json", '[{"source": "One.", "oak": "Eins.", "elm": "Ein."}, {"source": "Two.", "elm": "Zwei."}]'),
        ("xlsx", ""),
        ("native", ""),
        ("parallel", ""),
    ],
)  # fmt: skip
def test_nobody_is_asked_about_an_empty_output_in_any_format(tmp_path: Path, name: str, content: str) -> None:
    path: formats.PathOrPaths = tmp_path / name
    outputs = [{"oak": "Eins.", "elm": "Ein."}, {"oak": "", "elm": "Zwei."}]
    if name == "xlsx":
        book = openpyxl.Workbook()
        for row in (["source", "oak", "elm"], ["One.", "Eins.", "Ein."], ["Two.", None, "Zwei."]):
            book.worksheets[0].append(row)
        path = tmp_path / "t.xlsx"
        book.save(path)
    elif name == "native":
        segments = [Segment(str(n), source, texts) for n, (source, texts) in enumerate(zip("ab", outputs, strict=True))]
        formats.write("native", path, [Document("d", tuple(segments), "en", "de")])
    elif name == "parallel":
        path = [tmp_path / f"t.{end}" for end in ("src", "oak", "elm")]
        for file, lines in zip(path, ("One.\nTwo.\n", "Eins.\n\n", "Ein.\nZwei.\n"), strict=True):
            file.write_text(lines)
    else:
        (tmp_path / name).write_text(content)
    readings = formats.read(path)
    (note,) = [note for r in readings for note in r.notes if "empty" in note]
    assert re.fullmatch(r"1 output is empty or missing \(.*segment [12], system .*oak\); nobody .*", note)
    (document,) = (document for reading in readings for document in reading.documents)
    page = protocols.load("esa").stages
    asked = [len(items(document, page, shown)) for shown in shown_outputs(document, page, document.systems)]
    assert sorted(asked) == [1, 2]


ABOUT = Document(
    "d", (Segment("0", "One.", {"oak": "Eins.\nZwei."}),), "en", "de", title="A title", domain="law", text_type="letter"
)


@pytest.mark.parametrize(("name", "file"), [("tmx", "t.tmx"), ("xliff", "t.xlf"), ("appraise_batches", "t.json")])
def test_what_is_known_of_a_document_is_kept(tmp_path: Path, name: str, file: str) -> None:
    formats.write(name, tmp_path / file, [ABOUT])
    (reading,) = formats.read(tmp_path / file)
    (document,) = reading.documents
    assert (document.title, document.domain, document.text_type) == ("A title", "law", "letter")


@pytest.mark.parametrize("name", ["parallel", "mtme"])
def test_a_mark_for_line_breaks_that_we_wrote_is_read_back_as_one(tmp_path: Path, name: str) -> None:
    formats.write(name, tmp_path / "one", [ABOUT], newline="<br>")
    documents = [document for reading in formats.read_texts(tmp_path / "one") for document in reading.documents]
    assert [dict(segment.outputs) for document in documents for segment in document] == [{"oak": "Eins.\nZwei."}]
