import polars as pl
import pytest

from lanner.reports.lab.ratios import ratio, ratio_gap
from reports.lab.worlds import QUICK


def table(values: list[float]) -> pl.DataFrame:
    return pl.DataFrame({"document": [f"d{n}" for n in range(len(values))], "top": values, "bottom": 1.0})


def test_a_mean_and_its_interval() -> None:
    found = ratio(table([1, 2, 3, 4, 5]), QUICK)
    assert found.value == 3
    assert found.low is not None
    assert found.high is not None
    assert found.low < 3 < found.high
    assert found.n == 5


def test_a_gap_on_shared_documents_is_paired() -> None:
    one = [1.0, 20.0, 3.0, 44.0, 5.0, 60.0]
    shifted = ratio_gap(
        table([x + 1 for x in one]),
        table([x + noise for x, noise in zip(one, [0, 0.1, 0, -0.1, 0, 0], strict=True)]),
        QUICK,
    )
    assert shifted is not None
    assert shifted.value == pytest.approx(1.0)
    assert shifted.p is not None
    assert shifted.p < 0.001
