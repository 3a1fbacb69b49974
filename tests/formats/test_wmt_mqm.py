from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sets import data_dir
from formats.strategies import SAMPLES, texts, without_origin
from lanner import formats
from lanner.analysis.material import from_file
from lanner.errors import InputError
from lanner.model import Document, Judgement, Segment
from property_examples import examples

SAMPLE = (SAMPLES / "mqm.en-de.tsv").read_text(encoding="utf-8")


def test_the_sample() -> None:
    (reading,) = formats.read(SAMPLES / "mqm.en-de.tsv")
    (document,) = reading.documents
    assert (document.language_pair, reading.protocol) == ("en-de", "mqm")
    assert document.segments[0].source == 'He said "go.'  # quotation marks are text, marks are not
    answers = {(j.judge, j.segment): j for j in reading.judgements}
    assert answers["r1", "1"].value == [
        {
            "side": "target",
            "start": 12,  # code points: the emoji counts as one
            "end": 17,
            "text": "bleib",
            "category": "Accuracy/Mistranslation",
            "severity": "Major",
            "note": "opposite",
        },
        {"side": "source", "start": 3, "end": 7, "text": "said", "category": "Accuracy/Omission", "severity": "minor"},
    ]
    assert answers["r2", "1"].value == []
    assert (answers["r1", "2"].flags, answers["r1", "2"].value[0]["text"]) == (("unclosed_mark",), "zyx")
    assert (answers["r2", "2"].flags, answers["r2", "2"].value[0]["text"]) == (("unmarked",), "Xyz zyx")
    assert answers["r2", "2"].origin == "mqm.en-de.tsv:6"


def test_of_several_marks_the_first_is_taken_and_said(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(SAMPLE.replace("Xyz zyx", "<v>Xyz</v> <v>zyx</v>"), encoding="utf-8")
    (reading,) = formats.read(path)
    judgement = reading.judgements[-1]
    assert (judgement.value[0]["text"], judgement.flags) == ("Xyz", ("several_marks",))
    assert any("1 judgement holds an error with more than one mark" in note for note in reading.notes)


def test_errors_without_categories_come_back_without(tmp_path: Path) -> None:
    """ESA asks for none."""
    mark = {"side": "target", "start": 0, "end": 1, "text": "E", "severity": "minor"}
    answer = Judgement("a", "marking", "errors", "d", "1", ("oak",), [mark])
    formats.write("wmt_mqm", tmp_path / "x.tsv", [Document("d", (Segment("1", "One.", {"oak": "Eins."}),))], [answer])
    (reading,) = from_file(tmp_path / "x.tsv")
    assert reading.judgements[0].value == [mark]


def test_texts_that_differ_are_flagged(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(SAMPLE.replace("2\tr2\tWe wait.\tXyz zyx", "2\tr2\tWe await.\tXyz zyxx"), encoding="utf-8")
    (reading,) = formats.read(path)
    assert reading.judgements[-1].flags == ("source_differs", "output_differs", "unmarked")


def test_tests_of_attention_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(SAMPLE.replace("minor", "HOTW-test"), encoding="utf-8")
    (reading,) = formats.read(path)
    assert len(reading.judgements[0].value) == 1
    assert any("1 row is a test" in note for note in reading.notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\tdoc\t", "\tbook\t", "holds the document"),
        ("\tMajor\topposite", "", "8 cells"),
        ("\tharbour\t", "\t\t", "no document"),
    ],
)
def test_faults_are_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "x.tsv"
    path.write_text(SAMPLE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        formats.read(path, "wmt_mqm")


PLAIN = texts(without="\t\n\r<>", min_size=1)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.tuples(PLAIN, PLAIN, st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), max_size=3)), min_size=1)
)
def test_round_trip(rows: list[tuple[str, str, list[tuple[int, int]]]]) -> None:
    segments, judgements = [], []
    for number, (source, target, places) in enumerate(rows):
        segments.append(Segment(str(number), source, {"oak": target}))
        spans = []
        for start, length in places:
            begin = min(start, len(target) - 1)
            end = min(begin + length, len(target))
            about = {"category": "Style/Awkward", "severity": "Minor"}
            spans.append({"side": "target", "start": begin, "end": end, "text": target[begin:end], **about})
        judgements.append(Judgement("r1", "marking", "errors", "d", str(number), ("oak",), spans))
    made = [Document("d", tuple(segments), "en", "de")]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.en-de.tsv"
        formats.write("wmt_mqm", path, made, judgements)
        assert formats.recognise(path) == "wmt_mqm"
        (reading,) = formats.read(path)
        assert list(reading.documents) == made
        assert without_origin(reading.judgements) == judgements


@pytest.mark.parametrize(
    ("source", "value", "message"),
    [
        ("a\tb", [], "tabs"),
        ("<v>", [], "itself holds"),
        ("a", [{"missing": True}], "missing text"),
        ("a", None, "no answer"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path: Path, source: str, value: object, message: str) -> None:
    document = Document("d", (Segment("1", source, {"oak": "A"}),))
    with pytest.raises(InputError, match=message):
        formats.write("wmt_mqm", tmp_path / "x", [document], [Judgement("r", "s", "errors", "d", "1", ("oak",), value)])


@pytest.mark.data
def test_the_released_ted_ratings() -> None:
    """The published averages follow from what is read: major 5, minor 1, minor punctuation 0.1."""
    folder = data_dir("mqm")
    (reading,) = formats.read(folder / "mqm_ted_ende.tsv")
    assert reading.documents[0].language_pair == "en-de"
    scores: dict[tuple[str, str], list[float]] = {}
    for judgement in reading.judgements:
        total = 0.0
        for span in judgement.value:
            minor = 0.1 if span["category"] == "Fluency/Punctuation" else 1
            total -= {"Major": 5, "Minor": minor}[span["severity"]]
        scores.setdefault((judgement.systems[0], judgement.segment), []).append(total)
    published = (folder / "mqm_ted_ende.avg_seg_scores.tsv").read_text(encoding="utf-8").splitlines()[1:]
    checked = 0
    for line in published:
        system, score, segment = line.split()
        if score != "None":
            given = scores["ref" if system == "ref-A" else system, segment]
            assert sum(given) / len(given) == pytest.approx(float(score), abs=1e-6)
            checked += 1
    assert checked == 6877 + 529  # systems, and the reference as one more


def test_a_row_with_a_tab_too_many_is_refused(tmp_path: Path) -> None:
    """Read on, its category would be taken for its severity."""
    path = tmp_path / "t.en-de.tsv"
    header = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    path.write_text(f"{header}\noak\td\t1\tr1\tOne.\tEins\t<v>zwei</v>.\tAccuracy\tmajor\n", encoding="utf-8")
    with pytest.raises(InputError, match="This row has 9 cells, the header has 8") as caught:
        formats.read(path)
    assert caught.value.where.line == 2
