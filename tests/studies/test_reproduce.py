from pathlib import Path

import pytest

from lanner.errors import InputError
from lanner.studies.found import Found
from lanner.studies.reproduce import AGREES, DIFFERS, Check, reproduce, summary
from lanner.studies.study import Cell, load
from released import data_dir


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "folder", "agree", "differ"),
    [
        ("kim2025", "h-falcon", 191, 85),
        ("laubli2018", "parity", 240, 0),
        ("wmt23", "mtme/wmt23", 20, 0),
        ("ted2021", "mqm", 15, 1),
        ("esa2024", "esa-appraise", 1, 9),
    ],
)
def test_every_value_comes_out_as_the_study_says(name: str, folder: str, agree: int, differ: int) -> None:
    checks = reproduce(load(name), data_dir(folder))
    surprising = [check.row() for check in checks if not check.known]
    assert not surprising
    found = [check.verdict for check in checks]
    assert (found.count(AGREES), found.count(DIFFERS)) == (agree, differ)


@pytest.mark.parametrize("name", ["castilho2020", "castilho2021"])
def test_without_released_data_nothing_is_claimed(name: str) -> None:
    checks = reproduce(load(name), Path("nowhere"))
    assert {check.verdict for check in checks} == {"not computable"}
    assert all(check.known and check.reason for check in checks)


def cell(paper: float | str, **more: object) -> Cell:
    return Cell("T", "r", "c", paper, "texts", {}, **more)  # type: ignore[arg-type]


def test_rows_have_both_values_and_the_difference() -> None:
    row = Check(cell(0.5), Found(0.51), DIFFERS).row()
    assert set(row) == {"where", "row", "column", "paper", "value", "difference", "verdict"}
    assert row["difference"] == pytest.approx(0.01)


def test_the_summary_counts_and_names_surprises() -> None:
    text = summary([Check(cell(1), Found(1.0), AGREES), Check(cell(1), Found(2.0), DIFFERS)])
    assert text == "1 of 2 agree; 1 of 2 differ; 1 are not as this file expects."


def test_a_missing_folder() -> None:
    with pytest.raises(InputError, match="no such folder"):
        reproduce(load("kim2025"), Path("nowhere"))
