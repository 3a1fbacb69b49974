import polars as pl
import pytest

from lanner.errors import StatisticError
from lanner.stats.averaging import Averaging
from lanner.stats.scores import Items

TABLE = pl.DataFrame(
    {
        "system": ["oak"] * 4,
        "domain": ["news", "news", "news", "talk"],
        "document": ["d1", "d1", "d2", "d3"],
        "segment": ["1", "2", "1", "1"],
        "score": [1.0, 3.0, 8.0, 12.0],
        "judges": [1] * 4,
    }
)
FOUND = Items(TABLE, "score", 1)


@pytest.mark.parametrize(
    ("average", "expected"),
    [("micro", 6), ("document", 22 / 3), ("macro", (4 + 12) / 2), ("document-macro", (5 + 12) / 2)],
)
def test_the_four_ways_up(average: str, expected: float) -> None:
    [value] = Averaging.of(FOUND, ["oak"], average).values()  # type: ignore[arg-type]
    assert value == pytest.approx(expected)


def test_points_per_words() -> None:
    words = {("d1", "1"): 10, ("d1", "2"): 30, ("d2", "1"): 40, ("d3", "1"): 20}
    [value] = Averaging.of(FOUND, ["oak"], "micro", words=words, per_words=1000).values()
    assert value == pytest.approx(24 * 1000 / 100)
    with pytest.raises(StatisticError, match="number of words"):
        Averaging.of(FOUND, ["oak"], "micro", words={}, per_words=1000)


def test_an_unknown_average() -> None:
    with pytest.raises(StatisticError, match="average"):
        Averaging.of(FOUND, ["oak"], "macr")  # type: ignore[arg-type]
