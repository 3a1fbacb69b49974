from pathlib import Path

import pytest

from data_sets import data_dir
from lanner.errors import InputError
from lanner.studies.computations import COMPUTATIONS
from lanner.studies.data import Data
from lanner.studies.found import Found
from lanner.studies.reproduce import AGREES, DIFFERS, Check, check, reproduce, summary
from lanner.studies.study import TRUTH, Cell, Study, load


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "folder", "agree", "differ"),
    [
        ("kim2025", "h-falcon", 193, 83),
        ("laubli2018", "parity", 240, 0),
        ("wmt23", "mtme/wmt23", 20, 0),
        ("ted2021", "mqm", 15, 1),
        ("esa2024", "esa-appraise", 1, 9),
    ],
)
def test_every_value_comes_out_as_the_study_says(name: str, folder: str, agree: int, differ: int) -> None:
    checks = reproduce(load(name), data_dir(folder))
    surprising = [made.row() for made in checks if not made.known]
    assert not surprising
    found = [made.verdict for made in checks]
    assert (found.count(AGREES), found.count(DIFFERS)) == (agree, differ)


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (Found(0.48, 0.4, 0.6, recovers=True, truth=0.55), AGREES),
        (Found(0.48, 0.4, 0.5, recovers=True, truth=0.55), DIFFERS),
        (Found(None, recovers=True, truth=0.55), "not computable"),
    ],
)
def test_a_truth_is_recovered_if_the_interval_holds_it(
    made: Found, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COMPUTATIONS, "texts", lambda _data: made)
    study = Study("s", "S", "S", "none", (cell(TRUTH),))
    [found] = check(study, Data())
    assert (found.verdict, found.cell.paper) == (verdict, 0.55)


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
