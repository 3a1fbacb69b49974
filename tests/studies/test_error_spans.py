from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from lanner import protocols
from lanner.analysis.material import Material
from lanner.errors import InputError
from lanner.model import Document, Judge, Judgement, Segment
from lanner.studies import error_spans
from lanner.studies.study import Data

START = datetime(2024, 3, 1, 9, tzinfo=UTC)
SPAN = {"side": "target", "start": 0, "end": 2, "text": "ab", "severity": "minor"}


def world(shift: int = 0) -> Material:
    """Two systems, one judge, five segments: a segment is opened every 20 seconds, once after a pause of an hour."""
    segments = tuple(Segment(str(k), "source", {"x": "ab cd", "y": "ab cd"}) for k in range(5))
    document = Document("d", segments, domain="news", source_language="en", target_language="de")
    given: list[Judgement] = []
    at = START
    for system in ("x", "y"):
        for k in range(5):
            at += timedelta(seconds=3600 if (system, k) == ("y", 0) else 20)
            common = {"judge": "j", "document": "d", "segment": str(k), "systems": (system,), "stage": "rating"}
            times = {"elapsed_seconds": 5.0, "answered_at": at + timedelta(seconds=5)}
            marks = [SPAN] * (k if system == "x" else 2 * k)
            given.append(Judgement(question="errors", value=marks, **common, **times))  # type: ignore[arg-type]
            score = 90 - k - (0 if system == "x" else 10) + shift
            given.append(Judgement(question="score", value=score, **common, **times))  # type: ignore[arg-type]
    return Material("esa", protocols.load("esa"), (document,), (Judge("j"),), tuple(given))


DATA = Data({"esa": world(), "other": world(5)})


def test_spans_per_segment() -> None:
    found = error_spans.spans_per_segment(DATA, part="esa")
    assert found.value == pytest.approx(30 / 10)
    assert found.detail == "30 spans on 10 segments"
    assert error_spans.spans_per_segment(DATA, part="esa", severity="minor").value == pytest.approx(100)


def test_a_pause_counts_as_the_median_segment() -> None:
    assert error_spans.seconds_per_segment(DATA, part="esa").value == pytest.approx(20)
    assert error_spans.seconds_per_segment(DATA, part="esa", per="span").value == pytest.approx(20 / 3)


def test_scores_of_all_and_of_a_system() -> None:
    assert error_spans.mean_score(DATA, part="esa", of="score").value == pytest.approx(83)
    assert error_spans.mean_score(DATA, part="esa", of="score", system="x").value == pytest.approx(88)


def test_two_protocols_on_the_same_texts() -> None:
    options = {"parts": ["esa", "other"], "of": ["score", "score"]}
    for method in ("pearson", "spearman", "kendall"):
        found = error_spans.protocols_agree(DATA, level="segment", method=method, **options)  # type: ignore[arg-type]
        assert found.value == pytest.approx(1)
    turned = error_spans.protocols_agree(
        DATA, parts=["esa", "other"], of=["score", "score"], level="segment", method="pearson", signs=[1, -1]
    )
    assert turned.value == pytest.approx(-1)
    assert error_spans.protocols_agree(DATA, level="system", method="pearson", **options).value is None  # type: ignore[arg-type]


def test_systems_by_documents_with_an_interval() -> None:
    rows = [
        (f"d{d}", str(s), "xyz"[k], k + 0.2 * ((7 * d + 3 * k) % 5), k + 0.2 * ((3 * d + 5 * k) % 4))
        for d in range(6)
        for s in range(3)
        for k in range(3)
    ]
    names = ["document", "segment", "system", "score", "score_other"]
    both = pl.DataFrame(rows, schema=names, orient="row")
    same, pearson = (error_spans._systems_agree(both, method) for method in ("accuracy", "pearson"))
    assert (same.value, same.detail) == (100, "3 systems")
    assert pearson.value == pytest.approx(1, abs=0.05)
    assert pearson.low is not None and pearson.high is not None
    assert pearson.low < pearson.value < pearson.high  # type: ignore[operator]


def test_scores_of_a_released_file(tmp_path: Path) -> None:
    data = Data({"esa": world()}, folder=tmp_path)
    (tmp_path / "avg.tsv").write_text("system score seg\nx\t-90.0 0\nx\t-89.0 1\nx\tNone 2\nref-A\t-80.0 0\n")
    options = {"part": "esa", "of": "score", "file": "avg.tsv", "names": {"ref-A": "y"}}
    assert error_spans.same_as_released(data, give="scores", **options).value == 2  # type: ignore[arg-type]
    assert error_spans.same_as_released(data, give="same", **options).value == 2  # type: ignore[arg-type]
    assert error_spans.same_as_released(data, give="same", references=True, **options).value == 3  # type: ignore[arg-type]
    (tmp_path / "avg.tsv").write_text("system score seg\nx many 0\n")
    with pytest.raises(InputError, match="not a system, a score and a segment"):
        error_spans.same_as_released(data, give="same", **options)  # type: ignore[arg-type]
    (tmp_path / "avg.tsv").unlink()
    with pytest.raises(InputError, match="is missing"):
        error_spans.same_as_released(data, give="same", **options)  # type: ignore[arg-type]
