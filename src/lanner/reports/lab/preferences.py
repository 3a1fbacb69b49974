"""Which of two systems is preferred, and does it depend on how the texts were shown?"""

from __future__ import annotations

from typing import Any

import polars as pl

from lanner.errors import StatisticError
from lanner.reports.figures.preference import Preference, preference
from lanner.reports.lab.answer import Answer, Lab, Line
from lanner.reports.lab.matching import LABELS, Matched, matched
from lanner.reports.lab.ratios import ratio, ratio_gap
from lanner.reports.lab.sides import Side
from lanner.reports.parts import Figure
from lanner.reports.typeset import p_value
from lanner.stats.preference import comparisons, exact_sign_test

_LEVEL = 0.05


def preferences(lab: Lab) -> Answer:
    """The share of decided comparisons that the first system by name wins; the sign test of each side; the gap."""
    title = "Which system is preferred?"
    lines: list[Line] = []
    bars: list[Preference] = []
    said: list[str] = []
    data: list[dict[str, Any]] = []
    names: tuple[str, str] | None = None
    for pair in matched(lab.whole):
        if pair.kind is not LABELS:
            continue
        won = [_won(side, question) for side, question in zip(lab.whole, pair.questions, strict=True)]
        if any(table is None for table in won):
            continue
        tables = [table for table in won if table is not None]
        first = tables[0].row(0, named=True)
        names = names or (first["one"], first["two"])
        tables = [table.filter(pl.col("one") == names[0], pl.col("two") == names[1]) for table in tables]
        values = [ratio(table, lab.resampling, scale="share") for table in tables]
        gaps = [ratio_gap(tables[0], table, lab.resampling) for table in tables[1:]]
        lines.append(Line(f"{pair.label.capitalize()}: {names[0]} preferred over {names[1]}", values, gaps))
        found = [_tested(side, pair, table) for side, table in zip(lab.whole, tables, strict=True)]
        bars += [
            Preference(pair.label.capitalize(), row["side"], row["losses"], row["ties"], row["wins"], row["p"])
            for row in found
        ]
        data += found
        said.append(_sentence(pair, names[0], found, gaps))
    if not lines or names is None:
        return Answer(title, missing="no side compares two outputs.")
    text = " ".join(said)
    figure = Figure(
        "lab-preferences", f"{text} Bars are centred on the ties; small numbers are counts.",
        str(preference(bars, names[1], names[0])), data, "sign test, ties dropped, judgements taken as independent",
    )  # fmt: skip
    return Answer(title, lines, figure, text, data=data)


def _won(side: Side, question: str) -> pl.DataFrame | None:
    try:
        table, _ = comparisons(side.by_people, question)
    except StatisticError:  # labels that name no outputs
        return None
    if not len(table):
        return None
    return table.with_columns(
        (pl.col("won") == 1).cast(pl.Float64).alias("top"), (pl.col("won") != 0).cast(pl.Float64).alias("bottom")
    )


def _tested(side: Side, pair: Matched, table: pl.DataFrame) -> dict[str, Any]:
    wins, losses, ties = (int((table["won"] == k).sum()) for k in (1, -1, 0))
    test = exact_sign_test(wins, losses, ties)
    return {"question": pair.label, "side": side.name, "wins": wins, "ties": ties, "losses": losses, "p": test.p}


def _sentence(pair: Matched, system: str, found: list[dict[str, Any]], gaps: list[Any]) -> str:
    each = [
        f"{row['side']}: {row['wins']} of {row['wins'] + row['losses']} for {system}, {p_value(row['p'])}"
        for row in found
    ]
    clear = [row["side"] for row in found if row["p"] is not None and row["p"] < _LEVEL]
    who = " and ".join(clear) or "no side"
    said = f"On {pair.label} a preference is shown by **{who}** ({'; '.join(each)})"
    gap = gaps[0] if gaps else None
    if gap:
        said += f"; {gap.in_words('the shares differ by')}"
    return f"{said}."
