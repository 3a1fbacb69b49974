from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data_sets import data_dir
from lanner.errors import InputError
from lanner.studies.computations import COMPUTATIONS
from lanner.studies.reproduce import (
    AGREES,
    DIFFERS,
    MISSED,
    NOT_COMPUTABLE,
    RECOVERED,
    Check,
    check,
    read,
    reproduce,
    summary,
)
from lanner.studies.study import Cell, CellResult, Data, Study, load


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "folder", "agree", "differ"),
    [
        ("kim2025", "h-falcon", 209, 106),
        ("laubli2018", "parity", 247, 0),
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
    ("found", "verdict"),
    [
        (CellResult(0.48, 0.4, 0.6, truth=0.55), RECOVERED),
        (CellResult(0.48, 0.4, 0.5, truth=0.55), MISSED),
        (CellResult(None, truth=0.55), NOT_COMPUTABLE),
    ],
)
def test_a_truth_is_recovered_if_the_interval_holds_it(
    found: CellResult, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COMPUTATIONS, "texts", lambda _data: found)
    study = Study("s", "S", "S", "none", (cell(0.9, simulated=True),))
    [made] = check(study, Data())
    assert made.verdict == verdict
    row = made.row()
    assert (row["paper"], row["value"], row["difference"]) == (0.9, None, None)
    assert (row["simulated_truth"], row["simulated_estimate"]) == (0.55, found.value)


@pytest.mark.parametrize("name", ["castilho2020", "castilho2021"])
def test_simulated_values_are_called_so_and_the_papers_own_stand_apart(name: str) -> None:
    study = load(name)
    simulated = [cell for cell in study.cells if cell.simulated]
    assert simulated
    assert all(cell.where.startswith("Simulated judges") for cell in simulated)
    assert not any("simulat" in cell.where.casefold() for cell in study.cells if not cell.simulated)
    checks = [Check(cell, CellResult(0.5, 0.4, 0.6, truth=0.5), RECOVERED) for cell in simulated]
    printed = sum(cell.paper is not None for cell in simulated)
    assert summary(checks).startswith(f"{printed} of {printed} cannot be computed; simulated judges: ")
    assert not any(row["verdict"] == AGREES for row in (made.row() for made in checks))


@pytest.mark.parametrize(
    ("cell_options", "value", "proviso"),
    [
        ({}, 0.5004, ""),
        ({"tolerance": 0.01}, 0.5004, ""),
        ({"tolerance": 0.01}, 0.509, "only within the tolerance of 0.01"),
        ({"options": {"fill": 10}}, 0.5, "only with missing scores taken as 10"),
        ({"options": {"mean_over": [{"fill": 10}, {}]}}, 0.5, "only with missing scores taken as 10"),
        ({"compute": "of_printed"}, 0.5, "the mean of numbers that the paper prints, not of the data"),
    ],
)
def test_an_agreement_says_what_it_rests_on(cell_options: dict[str, Any], value: float, proviso: str) -> None:
    made = Check(Cell(**{**_CELL, **cell_options}), CellResult(value), AGREES)
    assert made.proviso == made.row()["proviso"] == proviso
    assert replace(made, verdict=DIFFERS).proviso == ""
    if proviso:
        assert "1 of those that agree do so only with a proviso" in summary([made])


_CELL: dict[str, Any] = {"where": "T", "row": "r", "column": "c", "paper": 0.5, "compute": "texts", "options": {}}


@pytest.mark.data
def test_released_data_is_found_by_the_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = data_dir("parity")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANNER_DATA", raising=False)
    with pytest.raises(InputError, match="LANNER_DATA"):
        reproduce(load("laubli2018"))
    monkeypatch.setenv("LANNER_DATA", str(folder.parent))
    assert {made.verdict for made in reproduce(load("laubli2018"))} == {AGREES}
    monkeypatch.setenv("LANNER_DATA", str(folder))
    assert reproduce(load("laubli2018"))


@pytest.mark.data
def test_a_table_of_a_second_data_set_says_that_it_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy = tmp_path / "h-falcon"
    copy.symlink_to(data_dir("h-falcon"))
    monkeypatch.delenv("LANNER_DATA", raising=False)
    data = read(load("kim2025"), copy)
    absent = check(load("kim2025"), replace(data, absent={"wmt24": ("sources",)}, parts={}), "Table 1, original")
    assert {made.verdict for made in absent} == {NOT_COMPUTABLE}
    assert all(made.known for made in absent)


def cell(paper: float | str, **more: object) -> Cell:
    return Cell("T", "r", "c", paper, "texts", {}, **more)  # type: ignore[arg-type]


def test_rows_have_both_values_and_the_difference() -> None:
    row = Check(cell(0.5), CellResult(0.51), DIFFERS).row()
    assert set(row) == {"where", "row", "column", "paper", "value", "difference", "verdict", "proviso"}
    assert row["difference"] == pytest.approx(0.01)


def test_the_summary_counts_and_names_surprises() -> None:
    text = summary([Check(cell(1), CellResult(1.0), AGREES), Check(cell(1), CellResult(2.0), DIFFERS)])
    assert text == "1 of 2 agree; 1 of 2 differ; 1 are not as this file expects."


def test_a_missing_folder() -> None:
    with pytest.raises(InputError, match="no such folder"):
        reproduce(load("kim2025"), Path("nowhere"))
