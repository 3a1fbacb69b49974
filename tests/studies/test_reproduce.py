from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data_sets import data_dir
from lanner.errors import InputError
from lanner.reports.rendering import render
from lanner.studies.reproduce import (
    AGREES,
    DIFFERS,
    MISSED,
    NOT_COMPUTABLE,
    NOT_PRINTED,
    RECOVERED,
    ValueCheck,
    check,
    findings,
    ours,
    page,
    read,
    reproduce,
    summary,
    typed,
)
from lanner.studies.study import COMPUTATIONS, CellResult, Data, PublishedValue, Study, judgements, load


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
def test_every_value_comes_out_as_the_study_says(
    released: Callable[[str, str], Data], name: str, folder: str, agree: int, differ: int
) -> None:
    checks = check(load(name), released(name, folder))
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
    checks = [ValueCheck(cell, CellResult(0.5, 0.4, 0.6, truth=0.5), RECOVERED) for cell in simulated]
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
    made = ValueCheck(PublishedValue(**{**_CELL, **cell_options}), CellResult(value), AGREES)
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
    for place in (folder.parent, folder):
        monkeypatch.setenv("LANNER_DATA", str(place))
        found = read(load("laubli2018"), None)
        assert found.folder is not None and found.folder.samefile(folder)
        assert found.part("parity").judgements


def test_a_table_of_a_second_data_set_says_that_it_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone = tmp_path / "answers.csv"
    alone.write_text("document,segment,judge,label\nd,1,ana,a\nd,1,ben,b\n", encoding="utf-8")
    monkeypatch.delenv("LANNER_DATA", raising=False)
    data = judgements(alone, load("kim2025").more)
    assert set(data.absent) == {"wmt24"}
    absent = check(load("kim2025"), data, "Table 1, original")
    assert {made.verdict for made in absent} == {NOT_COMPUTABLE}
    assert all(made.known for made in absent)


def cell(paper: float | str, **more: object) -> PublishedValue:
    return PublishedValue("T", "r", "c", paper, "texts", {}, **more)  # type: ignore[arg-type]


def test_rows_have_both_values_and_the_difference() -> None:
    row = ValueCheck(cell(0.5), CellResult(0.51), DIFFERS).row()
    assert set(row) == {"where", "row", "column", "paper", "value", "difference", "verdict", "proviso"}
    assert row["difference"] == pytest.approx(0.01)


def test_the_summary_counts_and_names_surprises() -> None:
    text = summary([ValueCheck(cell(1), CellResult(1.0), AGREES), ValueCheck(cell(1), CellResult(2.0), DIFFERS)])
    assert text == "1 of 2 agree; 1 of 2 differ; 1 are not as this file expects."


def test_a_missing_folder() -> None:
    with pytest.raises(InputError, match="no such folder"):
        reproduce(load("kim2025"), Path("nowhere"))


CHECKS = [
    ValueCheck(PublishedValue("Table 1", "a", "κ", 0.5, "x", {}), CellResult(0.5), AGREES),
    ValueCheck(
        PublishedValue("Table 2", "b", "κ", 0.5, "x", {}, note="rows are missing"),
        CellResult(0.61),
        DIFFERS,
        "rows are missing",
    ),
    ValueCheck(
        PublishedValue("Text", "slowest", "domain", "literary", "x", {}),
        CellResult("news", detail="news 1.16"),
        DIFFERS,
    ),
    ValueCheck(
        PublishedValue("Table 3", "c", "α", 0.1, "x", {}, note="not released"),
        CellResult(None),
        NOT_COMPUTABLE,
        "not released",
    ),
    ValueCheck(PublishedValue("Table 4", "d", "α", None, "x", {}), CellResult(0.2), NOT_PRINTED),
]
STUDY = Study("s", "A study", "Somebody 2020", "a folder", tuple(c.cell for c in CHECKS), ("Two rows are lost.",))


def test_what_came_of_it_is_said_first() -> None:
    said = " ".join(findings(STUDY, CHECKS))
    assert "1 of 4 agree; 2 of 4 differ; 1 of 4 cannot be computed; 1 more was not printed" in said
    assert "Every value agrees in 1 table (Table 1)." in said
    assert "1 claim made in words is not borne out" in said
    alone = " ".join(findings(STUDY, CHECKS[:2]))
    assert "b differs: printed 0.500, recomputed 0.6100." in alone


def test_both_values_stand_side_by_side_with_what_is_known() -> None:
    made = page(STUDY, CHECKS, Data())
    numbers, claims = made.tables[:2]
    assert [row.get("ours") for row in numbers.rows if "group" not in row] == ["0.6100", "—"]
    [claim] = [row for row in claims.rows if "group" not in row]
    assert (claim["paper"], claim["ours"], claim["numbers"]) == ("literary", "news", "news 1.16")
    assert len(made.tables) == 2 + 5
    assert made.tables[3].rows[0]["ours0"] == "0.6100 △"
    assert made.tables[5].caption == "“Table 3”: it cannot be computed."
    text = render(made)
    assert "Rows are missing." in text
    assert "Two rows are lost." in text
    assert "http" not in text.replace("http-equiv", "")


def test_nothing_differs_then_there_is_no_such_part() -> None:
    made = page(STUDY, CHECKS[:1], Data())
    assert [section.id for section in made.sections] == ["tables", "remarks"]


def test_an_estimate_stands_with_its_interval() -> None:
    found = ValueCheck(
        PublishedValue("T", "r", "κ", 0.7, "x", {}, simulated=True), CellResult(0.48, 0.4, 0.6, truth=0.5), RECOVERED
    )
    simulated = Study("s", "S", "S", "none", (found.cell,), reader="simulation")
    made = page(simulated, [found], Data())
    assert made.tables[0].rows[0]["ours0"] == "0.480 [0.400, 0.600] ◇"
    assert "simulated" in made.kicker
    headings = [column.heading for column in made.tables[0].columns]
    assert headings == ["", "paper", "simulated truth", "simulated estimate"]
    assert (made.tables[0].rows[0]["paper0"], made.tables[0].rows[0]["true0"]) == ("0.700", "0.500")
    assert "1 of 1 known truths lie within" in " ".join(made.findings)
    lost = ValueCheck(found.cell, CellResult(0.3, 0.2, 0.4, truth=0.5), MISSED)
    assert "Not recovered: T, r, κ." in " ".join(findings(simulated, [found, lost]))
    assert typed(None, 2) == "—"
    assert [typed(0.0001, 3), typed(-0.0001, 3), typed(0.0, 3)] == ["< 0.001", "> −0.001", "0.000"]


def test_what_cannot_exceed_one_has_no_zero_in_front_and_small_p_is_no_zero() -> None:
    p = ValueCheck(
        PublishedValue("T", "r", "p", "<.001", "preferred", {"give": "p_drop"}), CellResult(0.000005), AGREES
    )
    kappa = ValueCheck(
        PublishedValue("T", "s", "κ", 0.5, "agreement", {"statistic": "kappa"}), CellResult(0.5004), AGREES
    )
    spans = ValueCheck(
        PublishedValue("T", "u", "ESA", 0.45, "spans_per_segment", {}, digits=2), CellResult(0.432, 0.4, 0.5), DIFFERS
    )
    assert [ours(p), ours(kappa), ours(spans)] == ["< .001", ".500", "0.432 [0.400, 0.500]"]


def test_halves_are_rounded_up_as_in_print() -> None:
    assert [typed(28.5, 0), typed(-0.125, 2), typed(0.1, 3), typed("<.05", 2)] == ["29", "−0.13", "0.100", "<.05"]
