from __future__ import annotations

from pathlib import Path

import pytest

from lanner.errors import InputError
from lanner.formats._mtme_scores import read_ratings, read_scores
from lanner.model import Document, Segment

DOCUMENTS = [
    Document("d1", (Segment("0", "aa", {"oak": "AAAA"}), Segment("1", "b", {"oak": "B"})), domain="news"),
    Document("d2", (Segment("2", "c", {"oak": "C"}),)),
]


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_segment_scores_follow_the_order_of_segments(tmp_path: Path) -> None:
    file = put(tmp_path / "m.seg.score", "oak\t1.0\noak\tNone\noak\t-0.25\n")
    judge, made = read_scores(file, tmp_path, "m", "seg", DOCUMENTS, metric=True)
    assert judge.id == "m"
    assert [(j.document, j.segment, j.value, j.flags) for j in made] == [
        ("d1", "0", 1, ()),
        ("d1", "1", None, ("missing",)),
        ("d2", "2", -0.25, ()),
    ]
    assert made[2].origin == "m.seg.score:3"


def test_document_scores(tmp_path: Path) -> None:
    _, made = read_scores(put(tmp_path / "m", "oak 1\noak 2\n"), tmp_path, "m", "doc", DOCUMENTS, metric=False)
    assert [(j.document, j.segment, j.value) for j in made] == [("d1", "", 1), ("d2", "", 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("oak\t1\n", "has 1 scores, there are 3"),
        ("oak\t1\n" * 4, "more scores than the 3"),
        ("oak\tgood\n", "not a score"),
        ("oak\n", "SYSTEM and SCORE"),
    ],
)
def test_wrong_scores(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_scores(put(tmp_path / "m", text), tmp_path, "m", "seg", DOCUMENTS, metric=True)


def test_ratings_mark_either_side(tmp_path: Path) -> None:
    error = '{"start": 1, "end": 2, "category": "c", "severity": "minor", "is_source_error": %s}'
    text = f'oak\t{{"errors": [{error % "true"}, {error % "false"}]}}\nB\nC\n'.replace(
        "\nB\nC", "\noak\tNone\noak\tNone"
    )
    rated = read_ratings(put(tmp_path / "r", text), tmp_path, "rater", DOCUMENTS)
    assert [(s["side"], s["text"]) for s in rated.judgements[0].value] == [("source", "a"), ("target", "A")]
    assert rated.notes == ("2 outputs have no rating (None).",)


def test_a_line_can_name_its_rater(tmp_path: Path) -> None:
    text = 'oak\t{"errors": []}\tr7\n' + 'oak\t{"errors": [{"start": 1, "end": 1}]}\n' + "oak\tNone\n"
    rated = read_ratings(put(tmp_path / "r", text), tmp_path, "mqm.merged", DOCUMENTS)
    assert [(j.judge, j.flags) for j in rated.judgements] == [("r7", ()), ("mqm.merged", ("bad_offsets",))]


@pytest.mark.parametrize("text", ["oak\t[]\n", "oak\t{}\n", "oak\tnull\n", "oak\n", 'oak\t{"errors": []}\n'])
def test_wrong_ratings(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_ratings(put(tmp_path / "r", text), tmp_path, "rater", DOCUMENTS)
