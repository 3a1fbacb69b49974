from __future__ import annotations

from collections import Counter
from pathlib import Path
from shutil import copytree

import pytest

from data_sets import data_dir
from formats.strategies import SAMPLES
from lanner import formats
from lanner.errors import InputError
from lanner.model import Role


def test_the_sample() -> None:
    (reading,) = formats.read(SAMPLES / "parity")
    assert reading.protocol == "parity"
    assert [(d.id, d.language_pair, d.segments[0].id) for d in reading.documents] == [
        ("E-1", "zh-en", "1"),
        ("E-2", "zh-en", "1"),
        ("O-1", "zh-en", "17"),
    ]
    assert reading.documents[1].meta == {"article": "news.2", "unit": "document", "spam": "mt"}
    assert reading.judges[0].attributes["guess_origin"] == "No idea, really."
    assert [(j.stage, j.question, j.segment, j.systems, j.value, j.role) for j in reading.judgements] == [
        ("fluency_document", "fluency_of_document", "", ("human", "mt"), [1, 2], Role.MAIN),
        ("fluency_document", "fluency_of_document", "", ("human", "mt"), [2, 1], Role.CONTROL),
        ("adequacy_sentence", "adequacy_of_sentence", "17", ("human", "mt"), [1, 1], Role.MAIN),
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("ratings.with-spam.csv", "O-1", "O-9", "no item 'O-9'"),
        ("ratings.with-spam.csv", "tie", "both", "not known"),
        ("sentences.csv", "O-1", "E-1", "already at documents.csv:2"),
        ("documents.csv", "E-1", "", "no number"),
        ("documents.csv", "spam", "junk", "no column 'spam'"),
    ],
)
def test_faults_are_named(tmp_path: Path, name: str, old: str, new: str, message: str) -> None:
    copytree(SAMPLES / "parity", tmp_path / "p")
    file = tmp_path / "p" / name
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        formats.read(tmp_path / "p", "parity")


@pytest.mark.data
def test_the_released_study() -> None:
    """Table 1: how often the machine, neither and the human translation were preferred."""
    (reading,) = formats.read(data_dir("parity"))
    assert len(reading.documents) == 350
    counts: Counter[tuple[str, str]] = Counter()
    for judgement in reading.judgements:
        if judgement.role is Role.MAIN and not judgement.document.startswith("U"):
            human, mt = judgement.value
            counts[judgement.stage, "human" if human < mt else "mt" if mt < human else "tie"] += 1
    found = {stage: tuple(counts[stage, side] for side in ("mt", "tie", "human")) for stage, _ in counts}
    assert found == {
        "adequacy_document": (74, 22, 104),
        "adequacy_sentence": (103, 19, 86),
        "fluency_document": (44, 57, 99),
        "fluency_sentence": (66, 36, 106),
    }
    missed = [j for j in reading.judgements if j.role is Role.CONTROL and j.value == [1, 1]]
    assert Counter(j.stage.split("_")[1] for j in missed) == {"document": 1, "sentence": 5}
