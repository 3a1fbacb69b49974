from pathlib import Path

import numpy as np
import pytest

from lanner.errors import InputError
from lanner.formats import mtme


def folder(root: Path, scores: str = "oak\t1.5\noak\tNone\nelm\t2\nelm\t-1\n") -> Path:
    for path, text in {
        "documents/en-de.docs": "news\td1\nnews\td1\n",
        "references/en-de.refA.txt": "a\nb\n",
        "human-scores/en-de.mqm.seg.score": "elm\t0\nelm\t-1\noak\t-2\noak\tNone\n",
        "human-scores/en-de.mqm.sys.score": "oak\t-2\nelm\t-0.5\n",
        "metric-scores/en-de/M-refA.seg.score": scores,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def test_scores_by_system_with_gaps(tmp_path: Path) -> None:
    found = mtme.read_score_tables(folder(tmp_path), "en-de")
    [metric] = found.metrics
    assert (metric.name, metric.systems, metric.system) == ("M-refA", ("oak", "elm"), None)
    assert metric.segments[1].tolist() == [2, -1]
    assert np.isnan(metric.segments[0, 1])
    assert found.gold.systems == ("elm", "oak")
    assert found.gold.system is not None
    assert found.gold.system.tolist() == [-0.5, -2]
    assert (found.references, found.documents, found.domains) == (("refA",), ("d1", "d1"), ("news", "news"))


def test_spaces_between_fields_are_read_too(tmp_path: Path) -> None:
    found = mtme.read_score_tables(folder(tmp_path, "oak 1\noak None\n"), "en-de")
    assert found.metrics[0].segments[0, 0] == 1


@pytest.mark.parametrize(
    ("scores", "said", "line"),
    [("oak\t1\n", "has 1 scores, there are 2 segments", None), ("oak\t1\noak\tmany\n", "SYSTEM and SCORE", 2)],
)
def test_what_is_wrong_is_named(tmp_path: Path, scores: str, said: str, line: int | None) -> None:
    with pytest.raises(InputError, match=said) as caught:
        mtme.read_score_tables(folder(tmp_path, scores), "en-de")
    assert caught.value.where.line == line
