"""Judging with a model's marks to start from: what became of them, time saved, and how far judges relied on them."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.analysis import FEWEST_ITEMS
from lanner.analysis.assistance import Assistance, Comparison, assistance
from lanner.figures.typeset import estimate, p_number, percent, plural, words
from lanner.model import Json, Result
from lanner.reports.parts import Block, Column, Paragraph, Section, Table
from lanner.reports.view import View

_DIGITS = {"seconds": 1}


def section(view: View) -> Section | None:
    """For a campaign whose judges started from a model's marks."""
    results = assistance(view.material, resampling=view.resampling)
    if not results:
        return None
    blocks: list[Block] = []
    for result in results:
        blocks += [Paragraph(_methods(result)), _fates(view, result), _comparison_table(view, result)]
    return Section("assistance", "Marks offered by a model", blocks, _findings(results))


def _methods(result: Assistance) -> str:
    """What was done, from the numbers and their signatures."""
    models = words([entry.model or "an unnamed program" for entry in result.models]) or "the model"
    marks = result.comparisons[0]
    with_marks, without_marks = marks.assisted.counts, marks.unaided.counts
    signature = marks.difference.signature
    parts = dict(signature.parts) if signature else {}
    interval = (
        f" Intervals: {parts['interval']}, degrees of freedom {parts['degrees of freedom']}."
        if parts.get("interval")
        else ""
    )
    return (
        f"Judges started from marks of {models} in {plural(with_marks['items'], 'answer')} about "
        f"{plural(with_marks['documents'], 'document')}. {plural(without_marks['items'], 'answer')} about "
        f"{plural(without_marks['documents'], 'document')}, drawn by chance, equally many for each system, were given "
        "without them: they show how much people mark on their own. **Differences are assisted minus unaided.** "
        "Agreement with the model is F1 by marked characters; what is higher where its marks were shown is reliance on "
        f"it, not evidence for it.{interval}"
    )


def _fates(view: View, result: Assistance) -> Table:
    rows: list[dict[str, Json]] = []
    data = [row for row in result.to_rows() if row.get("model")]
    signature = ""
    for entry in result.models:
        rows.append(
            {
                "model": entry.model or "unnamed",
                **{fate: estimate(one.value, one.low, one.high) for fate, one in entry.fates.items()},
                "n": f"{entry.offered:,}",
            }
        )
        signature = signature or view.signature(entry.fates["kept"])
    columns = [
        Column("model", "Model"),
        Column("kept", "Kept [95 %]"),
        Column("changed", "Changed [95 %]"),
        Column("removed", "Removed [95 %]"),
        Column("n", "Marks", quiet=True),
    ]
    additions = estimate(result.added.value, result.added.low, result.added.high, 2, bounded=False)
    caption = (
        f"{view.short(result.question).capitalize()}: what became of the marks that were offered, with intervals over "
        f"documents. Judges added {additions} marks to an item."
    )
    return Table(f"offered-{result.question}", caption, columns, rows, data, signature)


def _comparison_table(view: View, result: Assistance) -> Table:
    comparisons = [*result.comparisons, *result.judges]
    rows = [_row(comparison) for comparison in comparisons]
    data = [row for row in result.to_rows() if row.get("items")]
    signature = next((view.signature(c.difference) for c in comparisons if c.difference.signature), "")
    columns = [
        Column("what", ""),
        Column("assisted", "Assisted [95 %]"),
        Column("unaided", "Unaided [95 %]"),
        Column("difference", "Difference [95 %]"),
        Column("p", "p", quiet=True),
        Column("n", "Unaided answers", quiet=True),
    ]
    caption = (
        f"{view.short(result.question).capitalize()}: items judged with the model's marks and without. Judges who "
        "start from the same marks agree with each other more than they would on their own, so **their agreement is "
        "inflated on assisted items**; the unaided ones show it as it is."
    )
    return Table(f"assistance-{result.question}", caption, columns, rows, data, signature)


def _row(comparison: Comparison) -> dict[str, Json]:
    digits = _DIGITS.get(comparison.measure, 2)

    def shown(result: Result) -> str:
        enough = result.counts.get("items", FEWEST_ITEMS) >= FEWEST_ITEMS
        return estimate(result.value, result.low, result.high, digits, bounded=False) if enough else ""

    p = p_number(comparison.difference.p)
    return {
        "what": _heading(comparison.measure),
        "assisted": shown(comparison.assisted),
        "unaided": shown(comparison.unaided),
        "difference": shown(comparison.difference),
        "p": p,
        "n": f"{comparison.unaided.counts.get('items', 0):,}",
    }


def _heading(measure: str) -> str:
    """With a capital letter, unless it begins with a coefficient's sign (α); F1 keeps its own."""
    return f"{measure[0].upper()}{measure[1:]}" if measure[0].isascii() else measure


def _findings(results: Sequence[Assistance]) -> list[str]:
    """The share kept, and reliance where its interval leaves no doubt."""
    findings = []
    for result in results:
        follows = next(c for c in result.comparisons if c.measure == "agreement with the model")
        shares_kept = [entry.fates["kept"] for entry in result.models]
        if not shares_kept or shares_kept[0].counts.get("marks", 0) < FEWEST_ITEMS:
            continue
        share = percent(shares_kept[0].value or 0.0, 0)
        sentence = f"Judges kept **{share} of the marks** that a model offered"
        low = follows.difference.low
        if low is not None and low > 0:
            gap = estimate(follows.difference.value, low, follows.difference.high, 2, bounded=False)
            sentence += f" and **follow it more than they would unaided** (F1 with the model {gap} higher)"
        findings.append(f"{sentence}.")
    return findings
