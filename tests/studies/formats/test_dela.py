from __future__ import annotations

from pathlib import Path

import pytest

from formats.strategies import SAMPLES
from lanner import formats
from lanner.errors import InputError


def test_the_sample() -> None:
    (reading,) = formats.read(SAMPLES / "dela.txt")
    harbour, plums = reading.documents
    assert (harbour.id, harbour.domain, plums.id, plums.meta) == (
        *("harbour", "news", "dela-2"),
        {"link": "https://example.org/plums"},
    )
    assert [s.source for s in harbour] == ["The keeper left.", "We wait.", 'It was "out".']
    assert harbour.segments[0].meta["issues"] == [
        {"issue": "gender", "explanation": "keeper=feminine"},
        {"issue": "number", "explanation": "left=singular"},
    ]
    assert harbour.segments[2].flags == ("irregular_issues",)
    assert [(s.id, s.flags) for s in plums] == [("1", ()), ("1.2", ("duplicate_id",))]
    assert [(j.segment, j.value) for j in reading.judgements] == [
        ("1", ["gender", "number"]),
        ("2", []),
        ("3", ["reference"]),
        ("1", []),
    ]
    assert reading.judgements[2].origin == "dela.txt:4"


def test_translations_are_paired_by_order(tmp_path: Path) -> None:
    english = '<doc\tx>\r\n<seg id="1">\tA.\tX\tX\r\n</doc>\r\n<doc\ty>\r\n<seg id="1">\tB.\tX\tX\r\n'
    (tmp_path / "EN_Annotated_Review.txt").write_text(english)
    (tmp_path / "EN_ID_reviews.txt").write_text(english.replace("\tX\tX", ""))
    (tmp_path / "PT-BR_Reviews.txt").write_text(
        '<doc>\n<seg id="1">\tÁ.\n\t\n<doc>\n<seg id="1">\tBê.\n', encoding="utf-8"
    )
    assert formats.recognise(tmp_path) == "dela"
    (reading,) = formats.read(tmp_path)
    assert reading.name == "EN_Annotated_Review"
    assert [dict(s.references) for d in reading.documents for s in d] == [{"PT-BR": "Á."}, {"PT-BR": "Bê."}]
    assert reading.documents[0].language_pair == "en-pt-BR"
    (tmp_path / "PT-BR_Reviews.txt").write_text('<doc>\n<seg id="1">\tÁ.\n', encoding="utf-8")
    (reading,) = formats.read(tmp_path)
    assert any("not paired" in note for note in reading.notes)


@pytest.mark.parametrize("line", ["<seg>\tno id", "loose text"])
def test_other_lines_are_errors(tmp_path: Path, line: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(f'<doc>\n<seg id="1">\tA.\n{line}\n')
    with pytest.raises(InputError) as caught:
        formats.read(path)
    assert caught.value.where.line == 3
