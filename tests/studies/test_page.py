from lanner.reports.html import render
from lanner.studies.page import findings, ours, page, typed
from lanner.studies.reproduce import AGREES, DIFFERS, MISSED, NOT_COMPUTABLE, NOT_PRINTED, RECOVERED, Check
from lanner.studies.study import Cell, CellResult, Data, Study

CHECKS = [
    Check(Cell("Table 1", "a", "κ", 0.5, "x", {}), CellResult(0.5), AGREES),
    Check(
        Cell("Table 2", "b", "κ", 0.5, "x", {}, note="rows are missing"), CellResult(0.61), DIFFERS, "rows are missing"
    ),
    Check(Cell("Text", "slowest", "domain", "literary", "x", {}), CellResult("news", detail="news 1.16"), DIFFERS),
    Check(
        Cell("Table 3", "c", "α", 0.1, "x", {}, note="not released"), CellResult(None), NOT_COMPUTABLE, "not released"
    ),
    Check(Cell("Table 4", "d", "α", None, "x", {}), CellResult(0.2), NOT_PRINTED),
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
    found = Check(Cell("T", "r", "κ", 0.7, "x", {}, simulated=True), CellResult(0.48, 0.4, 0.6, truth=0.5), RECOVERED)
    simulated = Study("s", "S", "S", "none", (found.cell,), reader="simulation")
    made = page(simulated, [found], Data())
    assert made.tables[0].rows[0]["ours0"] == "0.480 [0.400, 0.600] ◇"
    assert "simulated" in made.kicker
    headings = [column.heading for column in made.tables[0].columns]
    assert headings == ["", "paper", "simulated truth", "simulated estimate"]
    assert (made.tables[0].rows[0]["paper0"], made.tables[0].rows[0]["true0"]) == ("0.700", "0.500")
    assert "1 of 1 known truths lie within" in " ".join(made.findings)
    lost = Check(found.cell, CellResult(0.3, 0.2, 0.4, truth=0.5), MISSED)
    assert "Not recovered: T, r, κ." in " ".join(findings(simulated, [found, lost]))
    assert typed(None, 2) == "—"


def test_what_cannot_exceed_one_has_no_zero_in_front_and_small_p_is_no_zero() -> None:
    p = Check(Cell("T", "r", "p", "<.001", "preferred", {"give": "p_drop"}), CellResult(0.000005), AGREES)
    kappa = Check(Cell("T", "s", "κ", 0.5, "agreement", {"statistic": "kappa"}), CellResult(0.5004), AGREES)
    spans = Check(Cell("T", "u", "ESA", 0.45, "spans_per_segment", {}, digits=2), CellResult(0.432, 0.4, 0.5), DIFFERS)
    assert [ours(p), ours(kappa), ours(spans)] == ["< .001", ".500", "0.432 [0.400, 0.500]"]


def test_halves_are_rounded_up_as_in_print() -> None:
    assert [typed(28.5, 0), typed(-0.125, 2), typed(0.1, 3), typed("<.05", 2)] == ["29", "−0.13", "0.100", "<.05"]
