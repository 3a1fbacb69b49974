from __future__ import annotations

from pathlib import Path

import pytest

import lanner
from lanner import formats
from lanner.errors import InputError

PAIRS = ("en-de", "en-ko")


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_blank_rows_are_counted_and_left_out(tmp_path: Path) -> None:
    (reading,) = formats.read(put(tmp_path / "t.csv", "source,mt\na,b\n,\nc,d\n"))
    assert [s.id for d in reading.documents for s in d] == ["1", "2"]
    assert any("1 blank row is" in note for note in reading.notes)
    assert any("No column names documents" in note for note in reading.notes)


def test_rows_of_a_document_may_be_apart_unless_streamed(tmp_path: Path) -> None:
    path = put(tmp_path / "t.csv", "doc,source\na,1\nb,2\na,3\n")
    (reading,) = formats.read(path)
    assert [[s.source for s in d] for d in reading.documents] == [["1", "3"], ["2"]]
    with pytest.raises(InputError, match="do not stand together"):
        list(formats.read_documents(path))


def test_language_columns(tmp_path: Path) -> None:
    (reading,) = formats.read(put(tmp_path / "t.tsv", "doc\tsource\tmt\tlp\na\tx\ty\teng-zho\n"))
    assert reading.documents[0].language_pair == "en-zh"
    (reading,) = formats.read(put(tmp_path / "t.tsv", "doc\tsource\tmt\nd\tx\ty\n"), languages="en-ko")
    assert reading.documents[0].language_pair == "en-ko"


def two_pairs(path: Path, *, rated: bool, heading: str = "lp") -> Path:
    """A test set of two documents in two language pairs, with the same names in both; rated by two judges of each."""
    lines = [f"{heading},document,segment,system," + ("judge,score" if rated else "source,target")]
    for pair in PAIRS:
        for document in ("d1", "d2"):
            for segment in ("1", "2"):
                for system in ("A", "B"):
                    place = f"{pair},{document},{segment},{system}"
                    if rated:
                        score = 90 if (pair == "en-de") == (system == "A") else 30 + 10 * int(segment)
                        lines += [f"{place},{pair} {judge},{score}" for judge in ("one", "two")]
                    else:
                        lines.append(f"{place},A sentence.,{system} in {pair}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_documents_of_one_name_in_several_language_pairs_are_several_documents(tmp_path: Path) -> None:
    """Their rows were taken for one document: texts were refused as double, and answers about translations into two
    languages were compared with each other."""
    names = ["d1 (en-de)", "d2 (en-de)", "d1 (en-ko)", "d2 (en-ko)"]
    (reading,) = formats.read(two_pairs(tmp_path / "texts.csv", rated=False))
    assert [document.id for document in reading.documents] == names
    assert {document.language_pair for document in reading.documents} == set(PAIRS)
    assert reading.documents[2].segments[0].outputs == {"A": "A in en-ko", "B": "B in en-ko"}
    assert any("several language pairs" in note for note in reading.notes)
    (ratings,) = formats.read(two_pairs(tmp_path / "ratings.csv", rated=True))
    assert len(ratings.judgements) == 32
    assert {(entry.document[4:-1], entry.judge[:5]) for entry in ratings.judgements} == {(p, p) for p in PAIRS}
    lines = (tmp_path / "ratings.csv").read_text("utf-8").splitlines()
    shuffled = tmp_path / "shuffled.csv"
    shuffled.write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n", encoding="utf-8")
    (other,) = formats.read(shuffled)
    assert {document.id for document in other.documents} == set(names), "the order of rows does not matter"
    (korean,) = formats.read(tmp_path / "ratings.csv", languages="en-ko")
    assert {entry.judge for entry in korean.judgements} == {"en-ko one", "en-ko two"}
    alpha = lanner.agreement(tmp_path / "ratings.csv", judges=["en-de one", "en-ko one"])
    assert alpha.results[0].value is None, "no two of these judges answered the same items"


def test_a_table_of_two_language_pairs_in_other_shapes(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("source lang,target lang,document,source,A\nen,de,d,One.,Eins.\nen,ko,d,One.,하나.\n", "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents] == ["d (en-de)", "d (en-ko)"]
    path.write_text("lp,source,A\nen-pt_BR,One.,Um.\nen-pt_PT,One.,Um só.\n", "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents] == ["wide (en-pt-BR)", "wide (en-pt-PT)"]
    path.write_text("lp,document,source,A\nen-pt,d,One.,Um.\nen-pt_BR,d,Two.,Dois.\nEN-PT,d,Three.,Três.\n", "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents] == ["d"], "spellings of one pair"
    path.write_text("lp,document,source,A\nen-de,d,One.,Eins.\nen-ko,d,One.,하나.\n,d,Two.,Zwei.\n", "utf-8")
    with pytest.raises(InputError, match=r"names no language pair"):
        formats.read(path)


def test_documents_numbered_anew_in_each_domain_are_several_documents(tmp_path: Path) -> None:
    """Answers about the first text of one domain were compared with those about the first of another."""
    path = tmp_path / "ratings.csv"
    rows = [
        f"{domain},{document},1,A,{judge},{score}"
        for domain, judges, score in (("news", "ab", 90), ("social", "cd", 20))
        for document in "12"
        for judge in judges
    ]
    path.write_text("\n".join(["domain,document,segment,system,judge,score", *rows]) + "\n", "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents] == ["1 (news)", "2 (news)", "1 (social)", "2 (social)"]
    assert {(entry.document[3:-1], entry.value) for entry in reading.judgements} == {("news", 90), ("social", 20)}
    assert any("several values of domain" in note for note in reading.notes)
    path.write_text("\n".join(["testset,domain,doc,sent,system,judge,score", *(f"x,{row}" for row in rows)]), "utf-8")
    (reading,) = formats.read(path)
    assert [document.id for document in reading.documents][::3] == ["1 (x, news)", "2 (x, social)"]
    assert {entry.question for entry in reading.judgements} == {"score"}
    assert reading.documents[0].meta == {"collection": "x"}
    texts_file = tmp_path / "texts.csv"
    texts_file.write_text("domain,document,segment,source,A\nnews,1,1,One.,Eins.\nsocial,1,1,Two.,Zwei.\n", "utf-8")
    (reading,) = formats.read(texts_file)
    assert [document.id for document in reading.documents] == ["1 (news)", "1 (social)"]
    texts_file.write_text("domain,document,segment,source,A\nnews,1,1,One.,Eins.\nNews ,1,2,Two.,Zwei.\n", "utf-8")
    (reading,) = formats.read(texts_file)
    assert [document.id for document in reading.documents] == ["1"], "spellings of one domain"
